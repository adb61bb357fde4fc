"""The melody of a song's lines. Pure."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from studio.band.harmony import Chart
from studio.band.notes import Note
from studio.timeline import Line

Range = tuple[int, int]
"""The lowest and the highest pitch of a voice."""

LETTERS = "ABAC"
SHAPES = ((0, 2, 4, 2), (2, 4, 2, 0), (0, 1, 3, 4), (1, 0, 3, 1), (4, 2, 0, 1), (0, 3, 1, 3))
BASES = {"verse": 0.15, "bridge": 0.36}
HIGH_BASE = 0.56
FARTHEST = 3
RECITED_STEPS = 5
TURNED_NOTES = 6
STRONG, WEAK = 0.9, 0.75


@dataclass(frozen=True)
class _Spot:
    """Where a note stands: its chord's pitch classes, the root first, if it has to be one of them."""

    triad: tuple[int, ...]
    bound: bool
    ends: bool = False


def melody(chart: Chart, lines: Sequence[Line], reach: Range, seed: str) -> tuple[Note, ...]:
    """One note for every chunk, starting with it, as long as it is and inside `reach`.

    Verses are low, choruses high and bridges apart; the lines of a section share motifs. Notes on strong
    beats and ends of lines belong to the chord, and a section ends on its root where that is near. A line
    that comes again in the same kind of section has the same notes. What is recited stays within a few notes;
    a style may turn around the last note of its lines.
    """
    ladder = chart.key.ladder(*reach)
    known: dict[tuple[str, str], list[int]] = {}
    notes: list[Note] = []
    for number, line, closes in _numbered(chart, lines):
        kind = chart.bar_at(line.start).section.kind
        name = (kind, line.text)
        if name not in known:
            letter = LETTERS[number % len(LETTERS)]
            chance = random.Random(f"melody {seed} {kind} {letter}")  # noqa: S311
            spots = _spots(chart, line, closes)
            recited = chart.style.recited and kind != "chorus"
            walk = _recitation if recited else _walk
            pitches = walk(spots, ladder, kind, chance)
            known[name] = _turned(pitches, spots, ladder) if chart.style.turning else pitches
        notes += _noted(chart, line, known[name])
    return tuple(notes)


def _numbered(chart: Chart, lines: Sequence[Line]) -> Iterator[tuple[int, Line, bool]]:
    """Every line with its number in its section, and whether it is the last one there."""
    sections = [chart.bar_at(line.start).section for line in lines]
    number = 0
    for place, line in enumerate(lines):
        number = number + 1 if place and sections[place - 1] is sections[place] else 0
        yield number, line, sections[place + 1 : place + 2] != [sections[place]]


def _spots(chart: Chart, line: Line, closes: bool) -> list[_Spot]:
    *before, last = [
        _Spot(chart.triad(moment), chart.strong(moment) or chunk.seconds >= chart.grid.beat)
        for moment, chunk in zip(line.starts(), line.chunks, strict=True)
    ]
    return [*before, _Spot(last.triad, bound=True, ends=closes)]


def _walk(
    spots: Sequence[_Spot], ladder: Sequence[int], kind: str, chance: random.Random
) -> list[int]:
    """Pitches that follow a shape by small steps."""
    shape = chance.choice(SHAPES)
    base = round(BASES.get(kind, HIGH_BASE) * (len(ladder) - 1))
    top, steps = len(ladder) - 1, [base + shape[0]] * 2
    for number, spot in enumerate(spots):
        aim = base + _along(shape, number / max(1, len(spots) - 1))
        here, stuck = steps[-1], steps[-1] == steps[-2] and number > 1
        size = chance.choice((1, 1, 2) if stuck else (0, 1, 1, 1, 2))
        up = aim > here if abs(aim - here) >= 1 else chance.random() < 0.5
        aimed = max(0, min(top, here + (size if up else -size)))
        steps.append(_bound(aimed, spot, ladder, here if stuck else None) if spot.bound else aimed)
    return [ladder[min(top, step)] for step in steps[2:]]


def _recitation(
    spots: Sequence[_Spot], ladder: Sequence[int], kind: str, chance: random.Random
) -> list[int]:
    """Pitches as one speaks: often the same one again, and all within a few steps."""
    first = round(BASES.get(kind, HIGH_BASE) * (len(ladder) - 1))
    few = ladder[first : first + RECITED_STEPS]
    here, pitches = len(few) // 2, []
    for spot in spots:
        aimed = max(0, min(len(few) - 1, here + chance.choice((-1, 0, 0, 0, 1))))
        here = _bound(aimed, spot, few, None) if spot.bound else aimed
        pitches.append(few[here])
    return pitches


def _turned(pitches: list[int], spots: Sequence[_Spot], ladder: Sequence[int]) -> list[int]:
    """The pitches with a turn at their end, where they are free: the last one, one over it, the last one."""
    if len(pitches) < TURNED_NOTES:
        return pitches
    end = ladder.index(pitches[-1])
    turn = (ladder[end], ladder[min(len(ladder) - 1, end + 1)])
    before = [
        pitch if spot.bound else turning
        for pitch, spot, turning in zip(pitches[-3:-1], spots[-3:-1], turn, strict=True)
    ]
    return [*pitches[:-3], *before, pitches[-1]]


def _bound(here: int, spot: _Spot, ladder: Sequence[int], avoided: int | None) -> int:
    """The nearest step of the ladder in the chord; at an end the root, unless it is far."""
    steps = [step for step, pitch in enumerate(ladder) if pitch % 12 in spot.triad]
    roots = [step for step in steps if ladder[step] % 12 == spot.triad[0]]
    near = [step for step in roots if spot.ends and abs(step - here) <= FARTHEST]
    fresh = [step for step in steps if step != avoided]
    return min(near or fresh or [here], key=lambda step: abs(step - here))


def _along(shape: Sequence[int], share: float) -> float:
    """The height of a shape at that share of its length."""
    place = share * (len(shape) - 1)
    left = min(int(place), len(shape) - 2)
    return shape[left] + (shape[left + 1] - shape[left]) * (place - left)


def _noted(chart: Chart, line: Line, pitches: Sequence[int]) -> Iterator[Note]:
    for moment, chunk, pitch in zip(line.starts(), line.chunks, pitches, strict=True):
        yield Note(moment, chunk.seconds, pitch, STRONG if chart.strong(moment) else WEAK)
