"""What a singer is given: syllables with their time and pitch. Pure."""

from dataclasses import dataclass


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
