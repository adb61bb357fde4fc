"""From the pieces of a line to what is sung on each: first the words, then their syllables by sound. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from studio.singer.numerals import in_hangul
from studio.singer.pronunciation import pronounced

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


def words_of(pieces: Sequence[str], language: str) -> list[Word]:
    """The words of a line, in order. Marks are silent and belong to no word.

    Hangul is Korean and Latin letters are English in any line, a number is in the line's `language`, and what is
    in a script that has no reading here gets a syllable without meaning.
    """
    words: list[Word] = []
    for at, (piece, letter) in enumerate(zip(pieces, pronounced(pieces), strict=True)):
        text, spoken_in = _read(piece, letter, language)
        before = words[-1] if words else None
        if before and before.last == at and _continues(pieces[at - 1], before, spoken_in):
            words[-1] = Word(before.text + text, ENGLISH, before.first, at + 1)
        elif text:
            words.append(Word(text, spoken_in, at, at + 1))
    return words


def _read(piece: str, letter: str, language: str) -> tuple[str, str]:
    """A piece's text for espeak-ng, and the language it is read in; no text where it is silent."""
    if HANGUL.fullmatch(letter):
        return letter, KOREAN
    number = NUMBER.search(piece)
    if number:
        return (in_hangul(number[0]) if language == KOREAN else number[0]), language
    latin = LATIN.search(piece)
    if latin:
        return latin[0].replace("’", "'"), ENGLISH
    return (WITHOUT_MEANING[language] if any(map(str.isalnum, piece)) else ""), language


def _continues(previous: str, word: Word, language: str) -> bool:
    """Whether a piece continues the Latin word before it."""
    end = LATIN.search(previous)
    return language == word.language == ENGLISH and end is not None and end.end() == len(previous)


def sung_syllables(word: Word, phonemes: Sequence[str]) -> list[Sung]:
    """A spelled word's syllables, dealt out over its pieces."""
    names = [name.lstrip(STRESS) for name in phonemes if name[0] not in "_("]
    groups = list(_grouped([name for name in names if name.strip("?;:|")]))
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


Group = tuple[tuple[str, ...], str, tuple[str, ...]]


def _grouped(names: Sequence[str]) -> Iterator[Group]:
    """The phonemes by syllable: between two vowels, as many consonants as can begin the second one."""
    vowels = [at for at, name in enumerate(names) if VOWEL.match(name)]
    if not names:
        return
    if not vowels:
        yield tuple(names), NEUTRAL_VOWEL, ()
        return
    cuts = [0, *(_cut(names, left + 1, right) for left, right in pairwise(vowels)), len(names)]
    for at, (first, last) in zip(vowels, pairwise(cuts), strict=True):
        yield tuple(names[first:at]), names[at], tuple(names[at + 1 : last])


def _cut(names: Sequence[str], first: int, last: int) -> int:
    """Where the second syllable begins, in the consonants between two vowels."""
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
