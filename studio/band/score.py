"""Which notes the band plays. Pure."""

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from studio.band.arrangement import bass, comping, drums, pads
from studio.band.harmony import Chart
from studio.band.lead import lead
from studio.band.melody import Range, melody
from studio.band.notes import Hit, Note
from studio.band.style import Style
from studio.form import Grid
from studio.timeline import Line

LATE_SECONDS = 0.004
SOFTER = 0.15

Played = TypeVar("Played", Note, Hit)


@dataclass(frozen=True)
class Score:
    """Everything that is played, by part, each in the order of time.

    `melody` is what is sung: one note for every chunk of the lines. `lead` plays in its rests, and `chords`
    are long while `comping` is struck.
    """

    melody: tuple[Note, ...]
    lead: tuple[Note, ...]
    chords: tuple[Note, ...]
    comping: tuple[Note, ...]
    bass: tuple[Note, ...]
    drums: tuple[Hit, ...]


def compose(style: Style, grid: Grid, lines: Sequence[Line], seed: str, reach: Range) -> Score:
    """The whole score, its melody within `reach`; the same arguments give the same notes.

    Chords, bass and drums are played by hand: a little late and a little softer, each time otherwise.
    """
    chart = Chart(style, grid, random.Random(f"score {seed}"))  # noqa: S311
    sung = melody(chart, lines, reach, seed)
    touch = random.Random(f"touch {seed}")  # noqa: S311
    return Score(
        melody=sung,
        lead=_released(lead(chart, lines, sung, reach, seed)),
        chords=_released(_by_hand(pads(chart, style), touch)),
        comping=_released(_by_hand(comping(chart, style), touch)),
        bass=_released(_by_hand(bass(chart, style), touch)),
        drums=_by_hand(drums(chart, style), touch),
    )


def _by_hand(played: Iterable[Played], touch: random.Random) -> tuple[Played, ...]:
    human = [
        replace(
            one,
            start=one.start + LATE_SECONDS * touch.random(),
            strength=one.strength * (1 - SOFTER * touch.random()),
        )
        for one in played
    ]
    return tuple(sorted(human, key=lambda one: one.start))


def _released(notes: Sequence[Note]) -> tuple[Note, ...]:
    """The notes, each ending at the latest when the same pitch is struck anew."""
    struck: dict[int, float] = {}
    kept = []
    for note in reversed(notes):
        length = min(note.seconds, struck.get(note.pitch, math.inf) - note.start)
        struck[note.pitch] = note.start
        kept.append(replace(note, seconds=length))
    return tuple(reversed(kept))
