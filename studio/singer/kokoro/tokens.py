"""A line as Kokoro reads it: its signs one by one, each with its syllable and the part of that. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import pairwise

from studio.singer.kokoro.symbols import Signs
from studio.singer.placing import TIED, Held

REST, SPACE, END = ",", " ", "."
MOST_TOKENS = 500
"""The model takes 510, and two of them are the edges."""


class Part(Enum):
    """What a sign is of its syllable."""

    ONSET = auto()
    NUCLEUS = auto()
    CODA = auto()
    SPACE = auto()
    REST = auto()


@dataclass(frozen=True)
class Note:
    """A syllable to be sung: its signs, its tones, and whether a word ends with it."""

    signs: Signs
    held: Held
    ends_word: bool

    @property
    def start(self) -> float:
        """When its vowel begins, in seconds of the song."""
        return self.held.start

    @property
    def end(self) -> float:
        """When its last tone ends."""
        return self.held.end


@dataclass(frozen=True)
class Token:
    """A sign, the number of its syllable in the line and what it is there."""

    sign: str
    note: int
    part: Part


def tokens_of(notes: Sequence[Note]) -> list[Token]:
    """The line's tokens in order; the last one is the rest after it."""
    tokens: list[Token] = []
    for number, note in enumerate(_linked(notes)):
        for part, signs in zip((Part.ONSET, Part.NUCLEUS, Part.CODA), note.signs, strict=True):
            tokens += [Token(sign, number, part) for sign in signs]
        if number + 1 < len(notes):
            rests = notes[number + 1].start - note.end > TIED
            tokens += [Token(REST, number, Part.REST)] * rests
            tokens += [Token(SPACE, number, Part.SPACE)] * (rests or note.ends_word)
    return [*tokens, Token(END, len(notes) - 1, Part.REST)]


def parts_of(notes: Sequence[Note]) -> Iterator[Sequence[Note]]:
    """The notes in parts that the model takes, cut at words' ends; a syllable that is too long is left out."""
    if len(tokens_of(notes)) <= MOST_TOKENS:
        yield notes
    elif len(notes) > 1:
        middle = len(notes) // 2
        ends = [number for number in range(1, len(notes)) if notes[number - 1].ends_word]
        cut = min(ends, key=lambda number: abs(number - middle), default=middle)
        yield from parts_of(notes[:cut])
        yield from parts_of(notes[cut:])


def _linked(notes: Sequence[Note]) -> list[Note]:
    """The notes; an r that two syllables share is sung once."""
    linked = list(notes)
    for number, (note, following) in enumerate(pairwise(notes)):
        onset, nucleus, coda = note.signs
        if (
            following.signs[0].startswith("ɹ")
            and nucleus.endswith("ɹ")
            and len(nucleus) > 1
            and not coda
        ):
            linked[number] = replace(note, signs=(onset, nucleus[:-1], coda))
    return linked
