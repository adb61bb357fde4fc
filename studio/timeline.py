"""When each line of a lyric is sung, and each syllable in it. Pure.

A line starts on a beat of a sung bar; its syllables fall on sixteenths as long as there are enough of them, and
swing as the band does.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from studio.form import BEATS_PER_BAR, STEPS_PER_BEAT, Grid, Section, dealt, grid_for
from studio.genres import Genre
from studio.rhythm import BREATH_STEPS, Rhythm
from studio.syllables import syllables_of, weight
from studio.words import spoken_line, stanzas_of

LONGEST_LINE_STEPS = 32
STEPS_PER_BAR = BEATS_PER_BAR * STEPS_PER_BEAT
EASY_SYLLABLES_PER_SECOND = 4.8
LINE_OVERHEAD = 3
"""What a line needs besides its syllables, for its last note and its breath, counted in syllables."""


@dataclass(frozen=True)
class Chunk:
    """What is sung on one note: a syllable with the blanks and marks after it.

    Where a vendor timed the song, it may be a word or more.
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

    def starts(self) -> tuple[float, ...]:
        """When each of its chunks starts."""
        seconds = [chunk.seconds for chunk in self.chunks]
        return tuple(accumulate(seconds[:-1], initial=self.start))

    def as_json(self) -> dict[str, Any]:
        """The form in which orders and results carry it."""
        chunks = [[chunk.text, chunk.seconds] for chunk in self.chunks]
        return {"text": self.text, "start": self.start, "end": self.end, "chunks": chunks}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "Line":
        """The opposite of `as_json`."""
        chunks = tuple(Chunk(str(text), float(seconds)) for text, seconds in data["chunks"])
        return Line(str(data["text"]), float(data["start"]), float(data["end"]), chunks)


@dataclass(frozen=True)
class _Place:
    """Where a line is sung: `first` and `room` in sixteenth steps."""

    kind: str
    text: str
    first: float
    room: float


def arranged(
    lyric: str, genre: Genre, seconds: float, seed: str = ""
) -> tuple[Grid, tuple[Line, ...]]:
    """The form of a lyric's song, and its lines in it: in order, without overlap.

    A line that comes again in the same kind of section is sung in the same rhythm.
    """
    stanzas = stanzas_of(lyric)
    grid = grid_for(genre, seconds, stanzas)
    words = iter([line for stanza in stanzas for line in stanza.lines])
    step = grid.beat / STEPS_PER_BEAT
    places = [
        place
        for section in (grid.sections if stanzas else ())
        for place in _placed([next(words) for _ in range(section.lines)], section, step)
    ]
    return grid, tuple(_sung(places, genre, seed, grid, spoken_line(lyric)))


def _sung(
    places: Sequence[_Place], genre: Genre, seed: str, grid: Grid, name: str
) -> Iterator[Line]:
    rooms: dict[tuple[str, str], float] = {}
    for place in places:
        known = rooms.get((place.kind, place.text), LONGEST_LINE_STEPS)
        rooms[place.kind, place.text] = min(known, place.room)
    turns = {line: number for number, line in enumerate(rooms)}
    rhythms = {kind: Rhythm(genre, f"{seed} {kind}") for kind in {kind for kind, _ in rooms}}
    for place in places:
        line = (place.kind, place.text)
        pieces = syllables_of(place.text)
        onsets = rhythms[place.kind].onsets(pieces, rooms[line], turns[line] // 2, name)
        yield _line(pieces, [round(grid.at(place.first + onset), 4) for onset in onsets])


def _line(pieces: Sequence[str], moments: Sequence[float]) -> Line:
    chunks = tuple(
        Chunk(piece, round(end - start, 4))
        for piece, (start, end) in zip(pieces, pairwise(moments), strict=True)
    )
    return Line("".join(pieces), moments[0], moments[-1], chunks)


def _placed(words: Sequence[str], section: Section, step: float) -> Iterator[_Place]:
    """The section's time dealt out to its lines in bars, or in parts of bars where that is less hurried."""
    if not words:
        return
    counts = [sum(map(weight, syllables_of(text))) for text in words]
    first = float(section.first_bar * STEPS_PER_BAR)
    for text, room in zip(words, _rooms(counts, section.bars, step), strict=True):
        yield _Place(section.kind, text, first, room)
        first += room


def _rooms(counts: Sequence[int], bars: int, step: float) -> list[float]:
    """Steps for lines of so many syllables each, in the largest unit in which no line is hurried."""
    weights = [count + LINE_OVERHEAD for count in counts]
    best, least = [0.0], float("inf")
    unit = float(STEPS_PER_BAR)
    while least == float("inf") or (least > EASY_SYLLABLES_PER_SECOND and unit >= STEPS_PER_BEAT):
        units = int(bars * STEPS_PER_BAR / unit)
        if units >= len(counts):
            rooms = [share * unit for share in dealt(units, weights, least=1)]
            haste = max(
                count / (max(room - BREATH_STEPS, unit / 4) * step)
                for count, room in zip(counts, rooms, strict=True)
            )
            if haste < least:
                best, least = rooms, haste
        unit /= 2
    return best
