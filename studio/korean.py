"""How Korean reads numbers, and which form of a particle fits a word. Pure.

Before most counters numbers have numerals of Korean's own, else Chinese ones. Particles change their form with the
last sound of the word before them.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from studio.content import cache_content, read_words

DIGITS = "영일이삼사오육칠팔구"
PLACES = ("", "십", "백", "천")
MYRIADS = ("", "만", "억")
LONGEST_READ = 4 * len(MYRIADS)
ONES = ("", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
MOST_COUNTED = 20
# Hours have Korean numbers until twelve, unlike 14시 and 24시.
HOURS = re.compile(
    r"(?<![\d.,:~-])(?P<number>\d{1,2})\s?(?P<counter>시)(?=$|[^가-힣\d~–-]|[에까부의반정쯤면엔가는를도로만])"
)
LAST_KOREAN_HOUR = 12
_DIGIT = re.compile(r"\d")

FIRST_SYLLABLE, LAST_SYLLABLE = 0xAC00, 0xD7A3
FINALS = 28
FINAL_RIEUL = 8
# How it is read aloud: 영 일 이 삼 사 오 육 칠 팔 구; the larger ones (십 백 천 만) all end in a consonant.
DIGIT_FINALS = dict(zip("0123456789", "ㅇㄹ-ㅁ--ㄱㄹㄹ-", strict=True))
# Letters whose Korean name ends in a consonant: 엘 엠 엔 알.
LETTER_FINALS = {"L": "ㄹ", "M": "ㅁ", "N": "ㄴ", "R": "ㄹ"}
# 퍼센트, 플러스, 앤드.
SYMBOLS_READ = "%+&"
# 'BAR' and 'PUB' are words, 'KFC' is spelled out.
SAID_AS_WORD = re.compile(r"[^AEIOU]+[AEIOUY][^AEIOU]+|(?=.*[AEIOUY]).{4,}")

# How Korean writes English word endings: 'hotel' 호텔, 'table' 테이블.
WORD_ENDS_IN_RIEUL = re.compile(r"(l|.le)$")
# 'farm' 팜, 'wine' 와인, 'king' 킹.
WORD_ENDS_IN_NASAL = re.compile(r"([mn]|ng|[aeiou][mn]e)$")
# A stop after one short vowel closes the syllable: 'shop' 숍, 'pub' 펍, 'rock' 록, 'clinic' 클리닉, 'pet' 펫;
# after a long one it does not: 'soup' 수프, 'steak' 스테이크, 'street' 스트리트.
WORD_ENDS_IN_STOP = re.compile(r"((?<![aeiou])[aeiou]([pbkct]|ck)|oo[kt]|eep)$")


@dataclass(frozen=True)
class Count:
    """A number before a counter: where its digits and the counter begin, and the Korean numeral."""

    start: int
    counter: int
    numeral: str


@cache_content
def get_korean_words() -> dict[str, tuple[str, ...]]:
    """Return the lists of Korean words."""
    return read_words("korean", re.compile)


def find_counts(text: str) -> list[Count]:
    """Return the numbers of a text that are read with Korean numerals, in order: 3명 is 세 명, 11시 is 열한 시."""
    counted, machines = _get_patterns()
    found = [
        *_find_numerals(counted, text, MOST_COUNTED),
        *_find_numerals(HOURS, text, LAST_KOREAN_HOUR),
        *_find_numerals(machines, text, MOST_COUNTED),
    ]
    return sorted(found, key=lambda count: count.start)


def find_numerals(pieces: Sequence[str]) -> dict[int, str]:
    """Return the Korean numerals of those pieces of a line that are numbers before a counter, by their places."""
    line = "".join(pieces)
    if not _DIGIT.search(line):
        return {}
    starts = {count.start: count.numeral for count in find_counts(line)}
    ends = [0, *accumulate(map(len, pieces))]
    return {
        at: numeral
        for at, (first, end) in enumerate(pairwise(ends))
        for start, numeral in starts.items()
        if first <= start < end
    }


def spell_counts(text: str) -> str:
    """Return a text with its numbers before Korean counters as they are read."""
    for count in reversed(find_counts(text)):
        text = f"{text[: count.start]}{count.numeral} {text[count.counter :]}"
    return text


def spell_number(number: str) -> str:
    """Spell how a number such as "24", "3,000", "10:30" or "010" is read, a Hangul letter a syllable.

    Decimal digits of any script; with a leading zero, or more of them than numbers have names for, they are read
    one by one. A decimal point is read; a comma between thousands and other signs are not.
    """
    whole, point, decimals = number.replace(",", "").partition(".")
    parts = "".join(digit if digit.isdecimal() else " " for digit in whole).split()
    read = "".join(_spell_whole(part) for part in parts)
    return read + "점" + _spell_digits(decimals) if point else read


@cache_content
def _get_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    counters, machines = ("|".join(get_korean_words()[name]) for name in ("counters", "machines"))
    return (
        re.compile(rf"(?<![\d.,:-])(?P<number>\d{{1,2}})\s?(?P<counter>{counters})"),
        re.compile(rf"(?:{machines})\s?(?P<number>\d{{1,2}})\s?(?P<counter>대)(?![가-힣])"),
    )


def _find_numerals(pattern: re.Pattern[str], text: str, most: int) -> Iterator[Count]:
    for found in pattern.finditer(text):
        value = int(found["number"])
        if 0 < value <= most:
            ten, one = divmod(value, 10)
            numeral = "스무" if value == MOST_COUNTED else "열" * ten + ONES[one]
            yield Count(found.start("number"), found.start("counter"), numeral)


def _spell_whole(digits: str) -> str:
    if len(digits) > LONGEST_READ or (int(digits[0]) == 0 and len(digits) > 1):
        return _spell_digits(digits).replace("영", "공")
    values = [int(digit) for digit in reversed(digits)]
    groups = [values[first : first + 4] for first in range(0, len(values), 4)]
    read = "".join(
        _spell_group(group, bare=number == 1) + MYRIADS[number]
        for number, group in reversed(list(enumerate(groups)))
        if any(group)
    )
    return read or DIGITS[0]


def _spell_group(values: list[int], *, bare: bool) -> str:
    """Spell up to four digits, lowest first; no one is said before its place, nor before 만 if `bare`."""
    if bare and values[0] == 1 and not any(values[1:]):
        return ""
    return "".join(
        ("" if value == 1 and place else DIGITS[value]) + PLACES[place]
        for place, value in reversed(list(enumerate(values)))
        if value
    )


def _spell_digits(digits: str) -> str:
    return "".join(DIGITS[int(digit)] for digit in digits if digit.isdecimal())


def find_final(word: str) -> str | None:
    """Return the consonant the word ends in when read aloud in Korean: "" for a vowel, "ㄹ" where it is that one.

    Marks after the last letter do not count. A short word in capitals is spelled out; other Latin words go by
    how their ending is usually written in Hangul. None where that is unknown: no letters, an unknown script.
    """
    read = [character for character in word if character.isalnum() or character in SYMBOLS_READ]
    if not read:
        return None
    last = read[-1]
    if FIRST_SYLLABLE <= ord(last) <= LAST_SYLLABLE:
        final = (ord(last) - FIRST_SYLLABLE) % FINALS
        return "" if final == 0 else "ㄹ" if final == FINAL_RIEUL else "ㄴ"
    if last in SYMBOLS_READ:
        return ""
    if last in DIGIT_FINALS:
        return DIGIT_FINALS[last].strip("-")
    last_word = re.split(r"[^\w]+", re.sub(r"[\W_]+$", "", word))[-1]
    latin = re.search(r"[A-Za-z]+$", _strip_accents(last_word))
    return _find_latin_final(latin[0]) if latin else _find_other_final(last)


def add_particle(word: str, particle: str) -> str:
    """Return a word followed by the form of a particle that fits it, e.g. "카페" + "을/를" → "카페를".

    `particle` is the form after a consonant and the one after a vowel; a word whose end has no known reading
    gets the second.
    """
    after_consonant, after_vowel = particle.split("/")
    final = find_final(word) or ""
    closed = final != "" and not (after_consonant.startswith("으로") and final == "ㄹ")
    return word + (after_consonant if closed else after_vowel)


def _strip_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _find_latin_final(word: str) -> str:
    spelled = word.isupper() and not SAID_AS_WORD.fullmatch(word)
    if spelled or len(word) == 1:
        return LETTER_FINALS.get(word[-1].upper(), "")
    lowered = word.lower()
    if WORD_ENDS_IN_RIEUL.search(lowered):
        return "ㄹ"
    if WORD_ENDS_IN_NASAL.search(lowered):
        return "ㄴ"
    return "ㄱ" if WORD_ENDS_IN_STOP.search(lowered) else ""


def _find_other_final(last: str) -> str | None:
    words = get_korean_words()
    if last in words["closed-characters"]:
        return "ㄴ"
    if last in words["rieul-characters"]:
        return "ㄹ"
    kana = "\u3041" <= last <= "\u30fe"
    return "" if last in words["open-characters"] or kana else None
