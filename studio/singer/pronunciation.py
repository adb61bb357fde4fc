"""How written Korean is spoken: the sound changes between the syllables of a word. Pure.

Source: the standard pronunciation rules (표준 발음법) on final consonants, liaison, palatalisation, nasals, ㄹ and
tense consonants, as far as spelling alone decides.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

ONSETS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
CODAS = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
FIRST, LAST = 0xAC00, 0xD7A3
SILENT = "ㅇ"

MOVES = {
    "ㄳ": ("ㄱ", "ㅆ"), "ㄵ": ("ㄴ", "ㅈ"), "ㄺ": ("ㄹ", "ㄱ"), "ㄻ": ("ㄹ", "ㅁ"), "ㄼ": ("ㄹ", "ㅂ"),
    "ㄽ": ("ㄹ", "ㅆ"), "ㄾ": ("ㄹ", "ㅌ"), "ㄿ": ("ㄹ", "ㅍ"), "ㅄ": ("ㅂ", "ㅆ"),
    "ㄶ": (" ", "ㄴ"), "ㅀ": (" ", "ㄹ"), "ㅎ": (" ", " "),
}  # fmt: skip
"""What stays and what goes over to a following vowel, where it is not the whole consonant."""
PLAIN = {
    **dict.fromkeys("ㄲㅋㄳㄺ", "ㄱ"), **dict.fromkeys("ㅅㅆㅈㅊㅌㅎ", "ㄷ"), **dict.fromkeys("ㅍㅄㄿ", "ㅂ"),
    **dict.fromkeys("ㄼㄽㄾㅀ", "ㄹ"), **dict.fromkeys("ㄵㄶ", "ㄴ"), "ㄻ": "ㅁ",
}  # fmt: skip
ASPIRATED = {"ㄱ": "ㅋ", "ㄷ": "ㅌ", "ㅂ": "ㅍ", "ㅈ": "ㅊ"}
TENSE = {"ㄱ": "ㄲ", "ㄷ": "ㄸ", "ㅂ": "ㅃ", "ㅅ": "ㅆ", "ㅈ": "ㅉ"}
NASAL = {"ㄱ": "ㅇ", "ㄷ": "ㄴ", "ㅂ": "ㅁ"}
BEFORE_I = {"ㄷ": (" ", "ㅈ"), "ㅌ": (" ", "ㅊ"), "ㄾ": ("ㄹ", "ㅊ")}
BREATHED = {"ㅎ": " ", "ㄶ": "ㄴ", "ㅀ": "ㄹ"}


@dataclass(frozen=True)
class Letter:
    """A Hangul letter as its three parts; no coda is a blank."""

    onset: str
    vowel: str
    coda: str

    @staticmethod
    def of(character: str) -> "Letter":
        """The parts of a whole letter."""
        onset, rest = divmod(ord(character) - FIRST, len(VOWELS) * len(CODAS))
        vowel, coda = divmod(rest, len(CODAS))
        return Letter(ONSETS[onset], VOWELS[vowel], CODAS[coda])

    def __str__(self) -> str:
        place = ONSETS.index(self.onset) * len(VOWELS) + VOWELS.index(self.vowel)
        return chr(FIRST + place * len(CODAS) + CODAS.index(self.coda))


def pronounced(syllables: Sequence[str]) -> list[str]:
    """How the pieces of a Korean line are spoken: for each one a Hangul letter that is read as it is written.

    A piece that is not Hangul stays as it is; with a blank or mark after it, a piece ends a word.
    """
    spoken: list[str] = []
    word: list[Letter] = []
    for piece in syllables:
        letter = _letter(piece)
        if letter is None:
            spoken += [*_word(word), piece]
            word = []
            continue
        word.append(letter)
        if len(piece) > 1:
            spoken += _word(word)
            word = []
    return [*spoken, *_word(word)]


def _letter(piece: str) -> Letter | None:
    """The piece's Hangul letter; a lone consonant or vowel, as in ㅋㅋ or ㅠㅠ, becomes one that can be read."""
    core = next((character for character in piece if character.isalnum()), "")
    if core and FIRST <= ord(core) <= LAST:
        return Letter.of(core)
    core = unicodedata.normalize("NFKC", core)
    lone = unicodedata.name(core, "") if len(core) == 1 else ""
    if not lone.startswith("HANGUL"):
        return None
    parts = {unicodedata.name(part).rpartition(" ")[2]: part for part in ONSETS + VOWELS}
    part = parts.get(lone.rpartition(" ")[2])
    if part is None:
        return None
    return Letter(part, "ㅡ", " ") if part in ONSETS else Letter(SILENT, part, " ")


def _word(letters: Sequence[Letter]) -> list[str]:
    letters = [_vowel(letter, at, len(letters)) for at, letter in enumerate(letters)]
    for at in range(len(letters) - 1):
        letters[at], letters[at + 1] = _joined(letters[at], letters[at + 1])
    if letters:
        letters[-1] = replace(letters[-1], coda=PLAIN.get(letters[-1].coda, letters[-1].coda))
    return [str(letter) for letter in letters]


def _vowel(letter: Letter, at: int, length: int) -> Letter:
    """ㅢ after a consonant is ㅣ, as a particle ㅔ; ㅖ after a consonant is ㅔ; ㅕ after ㅈ, ㅉ, ㅊ is ㅓ."""
    if letter.vowel == "ㅢ" and letter.onset != SILENT:
        return replace(letter, vowel="ㅣ")
    if letter.vowel == "ㅢ" and at and letter.coda == " ":
        return replace(letter, vowel="ㅔ" if at == length - 1 else "ㅣ")
    if letter.vowel == "ㅖ" and letter.onset not in (SILENT, "ㄹ"):
        return replace(letter, vowel="ㅔ")
    if letter.vowel == "ㅕ" and letter.onset in "ㅈㅉㅊ":
        return replace(letter, vowel="ㅓ")
    return letter


def _joined(left: Letter, right: Letter) -> tuple[Letter, Letter]:
    """Two neighbours as they are spoken together."""
    coda, onset = left.coda, right.onset
    if coda == " " or (coda == "ㅇ" and onset == SILENT):
        return left, right
    if onset == SILENT:
        coda, onset = _liaison(coda, right.vowel)
    elif coda in BREATHED and onset in "ㄱㄷㅈㅅ":
        coda, onset = BREATHED[coda], ASPIRATED.get(onset, "ㅆ")
    elif onset == "ㅎ" and PLAIN.get(_divided(coda)[1], _divided(coda)[1]) in ASPIRATED:
        coda, onset = _aspirated(coda, right.vowel)
    else:
        coda, onset = _touching(coda, onset)
    return replace(left, coda=coda), replace(right, onset=onset)


def _divided(coda: str) -> tuple[str, str]:
    """What stays of a coda, and what goes over to the next syllable."""
    return MOVES.get(coda, (" ", coda))


def _liaison(coda: str, vowel: str) -> tuple[str, str]:
    palatal = BEFORE_I.get(coda) if vowel == "ㅣ" else None
    stays, goes = palatal or _divided(coda)
    return stays, SILENT if goes == " " else goes


def _aspirated(coda: str, vowel: str) -> tuple[str, str]:
    """A stop and ㅎ become one sound."""
    stays, goes = _divided(coda)
    if goes == "ㅈ" or (coda == "ㄷ" and vowel == "ㅣ"):
        return stays, "ㅊ"
    if goes == "ㅆ" and coda != "ㅆ":
        stays, goes = " ", PLAIN[coda]
    goes = PLAIN.get(goes, goes)
    return (stays, ASPIRATED[goes]) if goes in ASPIRATED else (goes, "ㅎ")


def _touching(coda: str, onset: str) -> tuple[str, str]:
    """A coda before a consonant: plain, then both made alike."""
    if coda == "ㄺ" and onset == "ㄱ":
        return "ㄹ", "ㄲ"
    if coda in BREATHED and onset == "ㄴ":
        coda = BREATHED[coda].replace(" ", "ㄴ")
    tense = PLAIN.get(coda, coda) in NASAL or coda in "ㄵㄼㄾ"
    coda = PLAIN.get(coda, coda)
    if coda in NASAL and onset in "ㄴㅁㄹ":
        return NASAL[coda], "ㄴ" if onset == "ㄹ" else onset
    if coda in "ㅁㅇ" and onset == "ㄹ":
        return coda, "ㄴ"
    if {coda, onset} == {"ㄴ", "ㄹ"}:
        return "ㄹ", "ㄹ"
    return coda, TENSE.get(onset, onset) if tense else onset
