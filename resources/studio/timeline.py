"""When each line of a lyric is sung, and each syllable in it. Pure.

A line starts on a beat of a sung bar; its syllables fall on sixteenths as long as there are enough of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from resources.studio.form import BEATS_PER_BAR, STEPS_PER_BEAT, Grid, Section, grid_for
from resources.studio.genres import Genre
from resources.studio.syllables import syllables_of, weight
from resources.studio.words import stanzas_of

LONGEST_LINE_BEATS = 8


@dataclass(frozen=True)
class Chunk:
    """What is sung on one note: a syllable with the blanks and marks after it.

    Where somebody else timed the song, it may be a word or more.
    """

    text: str
    seconds: float


@dataclass(frozen=True)
class Line:
    """One sung line. Its chunks' texts joined are `text`; their seconds add up to `end - start`."""

    text: str
    start: float
    end: float
    chunks: tuple[Chunk, ...]

    def as_json(self) -> dict[str, Any]:
        """The form in which orders and results carry it."""
        chunks = [[chunk.text, chunk.seconds] for chunk in self.chunks]
        return {"text": self.text, "start": self.start, "end": self.end, "chunks": chunks}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "Line":
        """The opposite of `as_json`."""
        chunks = tuple(Chunk(str(text), float(seconds)) for text, seconds in data["chunks"])
        return Line(str(data["text"]), float(data["start"]), float(data["end"]), chunks)


def arranged(lyric: str, genre: Genre, seconds: float) -> tuple[Grid, tuple[Line, ...]]:
    """The form of a lyric's song, and its lines in it: in order, without overlap."""
    stanzas = stanzas_of(lyric)
    grid = grid_for(genre, seconds, stanzas)
    words = iter([line for stanza in stanzas for line in stanza.lines])
    lines = [
        line
        for section in grid.sections
        for line in _in_section([next(words) for _ in range(section.lines)], section, grid.beat)
    ]
    return grid, tuple(lines)


def _in_section(words: Sequence[str], section: Section, beat: float) -> Iterator[Line]:
    """The lines spread evenly over the section's beats, or parts of beats where they are many."""
    parts = 1
    while parts * section.bars * BEATS_PER_BAR < len(words):
        parts *= 2
    count = parts * section.bars * BEATS_PER_BAR
    moments = [section.first_bar * BEATS_PER_BAR + part / parts for part in range(count)]
    for number, text in enumerate(words):
        first = number * count // len(words)
        last = (number + 1) * count // len(words) - 1
        end = min(moments[last] + 1 / parts, moments[first] + LONGEST_LINE_BEATS)
        yield _line(text, moments[first], end, beat)


def _line(text: str, first_beat: float, end_beat: float, beat: float) -> Line:
    """The line sung between two beats, with a breath at the end where there is room for one."""
    pieces = syllables_of(text)
    steps = (end_beat - first_beat) * STEPS_PER_BEAT
    onsets = _onsets([weight(piece) for piece in pieces], steps)
    moments = [round((first_beat + onset / STEPS_PER_BEAT) * beat, 4) for onset in onsets]
    chunks = tuple(
        Chunk(piece, round(end - start, 4))
        for piece, (start, end) in zip(pieces, pairwise(moments), strict=True)
    )
    return Line(text, moments[0], moments[-1], chunks)


def _onsets(weights: Sequence[int], steps: float) -> list[float]:
    """Where each piece starts, and where the last one ends, in sixteenth steps from the line's start."""
    total = sum(weights)
    sums = [0, *accumulate(weights)]
    room = steps - 2 if steps >= total + 3 else steps
    if 2 * total <= room:
        return [*(2.0 * before for before in sums[:-1]), min(room, 2.0 * total + 4)]
    held = total + 1  # the last one rings a little longer
    if held <= room:
        return [*(float(before * room // held) for before in sums[:-1]), room]
    return [*(before * room / held for before in sums[:-1]), room]
