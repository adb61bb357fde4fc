"""Korean particles, which change their form with the last sound of the word before them."""

from typing import Literal

Particle = Literal["은/는", "이/가", "을/를", "과/와", "으로/로", "이야/야", "이여/여"]

FIRST_SYLLABLE, LAST_SYLLABLE = 0xAC00, 0xD7A3
FINALS = 28
FINAL_RIEUL = 8
# How a digit is read aloud: 영 일 이 삼 사 오 육 칠 팔 구.
DIGIT_FINALS = dict(zip("0123456789", "ㅇㄹ-ㅁ--ㄱㄹㄹ-", strict=True))
# Letters whose Korean name ends in a consonant: 엘 엠 엔 알.
LETTER_FINALS = {"L": "ㄹ", "M": "ㅁ", "N": "ㄴ", "R": "ㄹ"}
# Written English words are read by sound: 'shop' 숍, 'book' 북, 'king' 킹, 'grill' 그릴.
WORD_FINALS = {
    "L": "ㄹ",
    "M": "ㅁ",
    "N": "ㄴ",
    "G": "ㅇ",
    "P": "ㅂ",
    "B": "ㅂ",
    "K": "ㄱ",
    "C": "ㄱ",
}


def final_sound(word: str) -> str:
    """The consonant the word ends in when read aloud in Korean: "" for a vowel, "ㄹ" where it is that one.

    Marks after the last letter do not count. One Latin letter, or a word in capitals, is spelled out; other
    Latin words go by how their last letter usually sounds. Anything unreadable counts as a vowel.
    """
    letters = [character for character in word if character.isalnum()]
    if not letters:
        return ""
    last = letters[-1]
    if FIRST_SYLLABLE <= ord(last) <= LAST_SYLLABLE:
        final = (ord(last) - FIRST_SYLLABLE) % FINALS
        return "" if final == 0 else "ㄹ" if final == FINAL_RIEUL else "ㄴ"
    if last in DIGIT_FINALS:
        return DIGIT_FINALS[last].strip("-")
    latin = [letter for letter in letters if letter.isascii()]
    spelled = "".join(latin).isupper()
    return (LETTER_FINALS if spelled else WORD_FINALS).get(last.upper(), "")


def with_particle(word: str, particle: Particle) -> str:
    """`word` followed by the form of `particle` that fits it, e.g. "카페" + "을/를" → "카페를"."""
    after_consonant, after_vowel = particle.split("/")
    final = final_sound(word)
    closed = final != "" and not (particle == "으로/로" and final == "ㄹ")
    return word + (after_consonant if closed else after_vowel)
