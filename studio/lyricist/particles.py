"""Korean particles, which change their form with the last sound of the word before them. Pure."""

import re
import unicodedata

from studio.numbers import get_korean_words

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
