"""From the pieces of a line to the spoken syllables that are sung on each. Pure.

Source of the sound changes between Korean syllables: the standard pronunciation rules (표준 발음법) on final
consonants, liaison, palatalisation, nasals, ㄹ and tense consonants, as far as spelling alone decides.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from studio.korean import find_numerals, spell_number

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
KOREAN, ENGLISH = "ko", "en-us"
WITHOUT_MEANING = {KOREAN: "라", ENGLISH: "la"}
NEUTRAL_VOWEL = "@"
STRESS = "',%="
VOWEL = re.compile(r"[aAeEiIoOuUV03@&y]")
TOGETHER = re.compile(
    r"(?:[pbtdkgfTSsh]|tS|dZ|ph|kh|th|[nmlvz](?=[jw]))[rljw]|s-?[ptkmnlw]|[^rljwN?*]+j|(?:tS|t|k|p)h"
)
LATIN = re.compile(r"[A-Za-z\u00c0-\u024f](?:[A-Za-z\u00c0-\u024f]|['’](?=\w))*['’]?")
NUMBER = re.compile(r"\d[\d.,:]*(?:st|nd|rd|th)?")
HANGUL = re.compile(r"[\uac00-\ud7a3]")
Group = tuple[tuple[str, ...], str, tuple[str, ...]]
TIED = 0.03
"""Seconds between two notes that are still sung in one breath."""


@dataclass(frozen=True)
class Syllable:
    """One sung note: `pitch` is a MIDI number, `start` in seconds of the song.

    `text` is a piece of the line with its blanks and marks, so that the texts of a phrase joined are its
    line; a piece without letters or digits is not sung.
    """

    text: str
    start: float
    seconds: float
    pitch: int


Phrase = tuple[Syllable, ...]


@dataclass(frozen=True)
class Spoken:
    """What is said and not sung: in the first of the `pauses`, in seconds of the song, that it ends in."""

    text: str
    pauses: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Letter:
    """A Hangul letter as its three parts; no coda is a blank."""

    onset: str
    vowel: str
    coda: str

    @staticmethod
    def of(character: str) -> "Letter":
        """Split a Korean syllable block into its letters."""
        onset, rest = divmod(ord(character) - FIRST, len(VOWELS) * len(CODAS))
        vowel, coda = divmod(rest, len(CODAS))
        return Letter(ONSETS[onset], VOWELS[vowel], CODAS[coda])

    def __str__(self) -> str:
        place = ONSETS.index(self.onset) * len(VOWELS) + VOWELS.index(self.vowel)
        return chr(FIRST + place * len(CODAS) + CODAS.index(self.coda))


def pronounce(syllables: Sequence[str]) -> list[str]:
    """Return for each piece of a Korean line a Hangul letter that is read as it is written.

    A piece that is not Hangul stays as it is; with a blank or mark after it, a piece ends a word.
    """
    spoken: list[str] = []
    word: list[Letter] = []
    for piece in syllables:
        letter = _find_letter(piece)
        if letter is None:
            spoken += [*_pronounce_word(word), piece]
            word = []
            continue
        word.append(letter)
        if len(piece) > 1:
            spoken += _pronounce_word(word)
            word = []
    return [*spoken, *_pronounce_word(word)]


def _find_letter(piece: str) -> Letter | None:
    """Return the piece's Hangul letter; a lone part, as in ㅋㅋ or ㅠㅠ, becomes one that can be read."""
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


def _pronounce_word(letters: Sequence[Letter]) -> list[str]:
    letters = [_pronounce_vowel(letter, at, len(letters)) for at, letter in enumerate(letters)]
    for at in range(len(letters) - 1):
        letters[at], letters[at + 1] = _join(letters[at], letters[at + 1])
    if letters:
        letters[-1] = replace(letters[-1], coda=PLAIN.get(letters[-1].coda, letters[-1].coda))
    return [str(letter) for letter in letters]


def _pronounce_vowel(letter: Letter, at: int, length: int) -> Letter:
    """Simplify the vowel: ㅢ to ㅣ after a consonant and ㅔ as a particle, ㅖ to ㅔ, ㅕ to ㅓ after ㅈ, ㅉ, ㅊ."""
    if letter.vowel == "ㅢ" and letter.onset != SILENT:
        return replace(letter, vowel="ㅣ")
    if letter.vowel == "ㅢ" and at and letter.coda == " ":
        return replace(letter, vowel="ㅔ" if at == length - 1 else "ㅣ")
    if letter.vowel == "ㅖ" and letter.onset not in (SILENT, "ㄹ"):
        return replace(letter, vowel="ㅔ")
    if letter.vowel == "ㅕ" and letter.onset in "ㅈㅉㅊ":
        return replace(letter, vowel="ㅓ")
    return letter


def _join(left: Letter, right: Letter) -> tuple[Letter, Letter]:
    """Return two neighbours as they are spoken together."""
    coda, onset = left.coda, right.onset
    if coda == " " or (coda == "ㅇ" and onset == SILENT):
        return left, right
    if onset == SILENT:
        coda, onset = _link(coda, right.vowel)
    elif coda in BREATHED and onset in "ㄱㄷㅈㅅ":
        coda, onset = BREATHED[coda], ASPIRATED.get(onset, "ㅆ")
    elif onset == "ㅎ" and PLAIN.get(_divide(coda)[1], _divide(coda)[1]) in ASPIRATED:
        coda, onset = _aspirate(coda, right.vowel)
    else:
        coda, onset = _assimilate(coda, onset)
    return replace(left, coda=coda), replace(right, onset=onset)


def _divide(coda: str) -> tuple[str, str]:
    """Return what stays of a coda, and what goes over to the next syllable."""
    return MOVES.get(coda, (" ", coda))


def _link(coda: str, vowel: str) -> tuple[str, str]:
    palatal = BEFORE_I.get(coda) if vowel == "ㅣ" else None
    stays, goes = palatal or _divide(coda)
    return stays, SILENT if goes == " " else goes


def _aspirate(coda: str, vowel: str) -> tuple[str, str]:
    """Make one sound of a stop and ㅎ."""
    stays, goes = _divide(coda)
    if goes == "ㅈ" or (coda == "ㄷ" and vowel == "ㅣ"):
        return stays, "ㅊ"
    if goes == "ㅆ" and coda != "ㅆ":
        stays, goes = " ", PLAIN[coda]
    goes = PLAIN.get(goes, goes)
    return (stays, ASPIRATED[goes]) if goes in ASPIRATED else (goes, "ㅎ")


def _assimilate(coda: str, onset: str) -> tuple[str, str]:
    """Say a coda before a consonant plainly, then make both alike."""
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


@dataclass(frozen=True)
class Word:
    """What is read together, in one language, and the pieces it covers, from `first` to before `last`."""

    text: str
    language: str
    first: int
    last: int


@dataclass(frozen=True)
class Sung:
    """One spoken syllable, by espeak-ng's names of phonemes without stress.

    It is sung over the pieces from `first` to before `last`. Where several syllables fall on one piece, it is
    number `part` of `parts` there.
    """

    onset: tuple[str, ...]
    vowel: str
    coda: tuple[str, ...]
    language: str
    first: int
    last: int
    part: int = 0
    parts: int = 1

    @property
    def spelled(self) -> str:
        """Its phonemes as espeak-ng takes them, every syllable stressed alike."""
        return "|".join((*self.onset, f"'{self.vowel}", *self.coda))


def read_words(pieces: Sequence[str], language: str) -> list[Word]:
    """Return the words of a line, in order. Marks are silent and belong to no word.

    Hangul is Korean and Latin letters are English in any line, a number is in the line's `language`, but Korean
    before a Korean counter, and what is in a script that has no reading here gets a syllable without meaning.
    """
    words: list[Word] = []
    numerals = find_numerals(pieces)
    for at, (piece, letter) in enumerate(zip(pieces, pronounce(pieces), strict=True)):
        numeral = numerals.get(at)
        text, spoken_in = (numeral, KOREAN) if numeral else _read_piece(piece, letter, language)
        before = words[-1] if words else None
        if before and before.last == at and _is_continuation(pieces[at - 1], before, spoken_in):
            words[-1] = Word(before.text + text, ENGLISH, before.first, at + 1)
        elif text:
            words.append(Word(text, spoken_in, at, at + 1))
    return words


def read_phrases(phrases: Sequence[Phrase], language: str) -> list[list[Word]]:
    """Return the words of each phrase."""
    return [read_words([syllable.text for syllable in phrase], language) for phrase in phrases]


def _read_piece(piece: str, letter: str, language: str) -> tuple[str, str]:
    """Return a piece's text for espeak-ng, and its language; no text where it is silent."""
    if HANGUL.fullmatch(letter):
        return letter, KOREAN
    number = NUMBER.search(piece)
    if number:
        return (spell_number(number[0]) if language == KOREAN else number[0]), language
    latin = LATIN.search(piece)
    if latin:
        return latin[0].replace("’", "'"), ENGLISH
    return (WITHOUT_MEANING[language] if any(map(str.isalnum, piece)) else ""), language


def _is_continuation(previous: str, word: Word, language: str) -> bool:
    """Return whether a piece continues the Latin word before it."""
    end = LATIN.search(previous)
    return language == word.language == ENGLISH and end is not None and end.end() == len(previous)


def deal_out_word(word: Word, phonemes: Sequence[str]) -> list[Sung]:
    """Deal a spelled word's syllables out over its pieces."""
    names = [name.lstrip(STRESS) for name in phonemes if name[0] not in "_("]
    return deal_out(word, list(_group_phonemes([name for name in names if name.strip("?;:|")])))


def deal_out(word: Word, groups: Sequence[Group]) -> list[Sung]:
    """Deal the groups of phonemes, each a syllable, out over the word's pieces."""
    count, room = len(groups), word.last - word.first
    sung = []
    for number, (onset, vowel, coda) in enumerate(groups):
        if count <= room:
            first, last = (word.first + n * room // count for n in (number, number + 1))
            sung.append(Sung(onset, vowel, coda, word.language, first, last))
        else:
            piece = number * room // count
            mates = [n for n in range(count) if n * room // count == piece]
            place = word.first + piece
            part = number - mates[0]
            sung.append(Sung(onset, vowel, coda, word.language, place, place + 1, part, len(mates)))
    return sung


def _group_phonemes(names: Sequence[str]) -> Iterator[Group]:
    """Group phonemes by syllable: as many consonants go to the second vowel as can begin a syllable."""
    vowels = [at for at, name in enumerate(names) if VOWEL.match(name)]
    if not names:
        return
    if not vowels:
        yield tuple(names), NEUTRAL_VOWEL, ()
        return
    cuts = [0, *(_find_cut(names, left + 1, right) for left, right in pairwise(vowels)), len(names)]
    for at, (first, last) in zip(vowels, pairwise(cuts), strict=True):
        yield tuple(names[first:at]), names[at], tuple(names[at + 1 : last])


def _find_cut(names: Sequence[str], first: int, last: int) -> int:
    """Return where the second syllable begins, in the consonants between two vowels."""
    if (
        first == last
        or names[last - 1] in ("N", "L")
        or (last - first > 1 and names[last - 1] == "*")
    ):
        return last
    cut = last - 1
    while cut > first and TOGETHER.fullmatch(names[cut - 1] + names[cut]):
        cut -= 1
    return cut


@dataclass(frozen=True)
class Tone:
    """One pitch for some time, in seconds of the song."""

    start: float
    end: float
    pitch: int


@dataclass(frozen=True)
class Held:
    """A syllable and the tones it is sung on, one after the other."""

    sung: Sung
    tones: tuple[Tone, ...]

    @property
    def start(self) -> float:
        """When its first tone begins."""
        return self.tones[0].start

    @property
    def end(self) -> float:
        """When its last tone ends."""
        return self.tones[-1].end


def hold_syllables(phrase: Phrase, sung: Sequence[Sung]) -> list[Held]:
    """Put the syllables on the notes of their pieces; several on one piece share its time."""
    held = []
    for syllable in sung:
        notes = phrase[syllable.first : syllable.last]
        if syllable.parts > 1:
            length = notes[0].seconds / syllable.parts
            start = notes[0].start + syllable.part * length
            tones = [Tone(start, start + length, notes[0].pitch)]
        else:
            tones = [Tone(note.start, note.start + note.seconds, note.pitch) for note in notes]
        if all(tone.end > tone.start for tone in tones):
            held.append(Held(syllable, tuple(tones)))
    return held
