"""When each line of a lyric is sung, and each syllable in it. Pure.

A line starts on a beat of a sung bar; its syllables fall on sixteenths as long as there are enough of them.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from resources.studio.grid import STEPS_PER_BEAT, Grid

LONGEST_LINE_BEATS = 8
LONGEST_WORD = 12
SECTION_MARK = re.compile(r"\[[^\[\]]*\]")
SYLLABIC = "\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7a3"
WORD = rf"(?:[^\W{SYLLABIC}]|['’](?=\w)){{1,{LONGEST_WORD}}}"
CHUNK = re.compile(rf"\W*(?:[{SYLLABIC}]|{WORD})[^\w\s]*\s*")
VOWELS = re.compile(r"[aeiouyAEIOUY]+")


@dataclass(frozen=True)
class Chunk:
    """What is sung on one note: a Korean syllable or a word, with the blanks and marks after it."""

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


def sung_lines(lyric: str) -> list[str]:
    """The lines of any lyric that are sung: without blank ones and marks such as "[Verse]"."""
    lines = (line.strip() for line in unicodedata.normalize("NFC", lyric).splitlines())
    return [line for line in lines if line and not SECTION_MARK.fullmatch(line)]


def chunks_of(line: str) -> list[str]:
    """The pieces of a line that are sung on one note each; joined they are the line again."""
    ends = [match.end() for match in CHUNK.finditer(line)] or [0]
    ends[-1] = len(line)
    return [line[start:end] for start, end in pairwise([0, *ends]) if end > start]


def weight(chunk: str) -> int:
    """How many syllables a chunk has, about; at least one."""
    return max(1, len(VOWELS.findall(chunk)))


def place_lines(lines: Sequence[str], grid: Grid) -> tuple[Line, ...]:
    """The lines spread evenly over the sung beats of the grid, in order, without overlap."""
    if not lines:
        return ()
    parts = 1
    while parts * len(grid.sung_beats) < len(lines):
        parts *= 2
    moments = [beat + part / parts for beat in grid.sung_beats for part in range(parts)]
    placed = []
    for number, text in enumerate(lines):
        first = number * len(moments) // len(lines)
        last = (number + 1) * len(moments) // len(lines) - 1
        end = min(moments[last] + 1 / parts, moments[first] + LONGEST_LINE_BEATS)
        placed.append(_line(text, moments[first], end, grid.beat))
    return tuple(placed)


def _line(text: str, first_beat: float, end_beat: float, beat: float) -> Line:
    """The line sung between two beats, with a breath at the end where there is room for one."""
    pieces = chunks_of(text)
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
