"""How Korean reads numbers: with its own numerals before most counters, else with Chinese ones. Pure."""

import re
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
