"""The form of a song: how many bars fill its time exactly, and what each of them is for. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, pairwise

from resources.studio.genres import Genre
from resources.studio.words import Stanza

BEATS_PER_BAR = 4
STEPS_PER_BEAT = 4
FEWEST_BARS = 5
SUNG = ("verse", "chorus", "bridge")


@dataclass(frozen=True)
class Section:
    """Some bars in a row with one purpose: intro, verse, chorus, bridge, break or outro."""

    kind: str
    first_bar: int
    bars: int
    lines: int = 0
    """How many lines are sung in it."""

    @property
    def sung(self) -> bool:
        """Whether its purpose is to be sung."""
        return self.kind in SUNG


@dataclass(frozen=True)
class Grid:
    """A whole number of bars that lasts exactly `seconds`; the tempo gives way, by a few per cent."""

    seconds: float
    bars: int
    sections: tuple[Section, ...]

    @property
    def beat(self) -> float:
        """Seconds per beat."""
        return self.seconds / (self.bars * BEATS_PER_BAR)

    @property
    def bar(self) -> float:
        """Seconds per bar."""
        return self.beat * BEATS_PER_BAR


def grid_for(genre: Genre, seconds: float, stanzas: Sequence[Stanza] = ()) -> Grid:
    """The grid of a song of this genre that lasts `seconds`, with a section for every stanza, in order.

    Without stanzas it is the form in which the studio's lyricist writes, a line for every sung bar. A lyric
    of one stanza, or of more than there are bars, is dealt out over that form.
    """
    bars = max(FEWEST_BARS, round(seconds * genre.tempo / 60 / BEATS_PER_BAR))
    usual = _usual_plan(bars)
    room = sum(length for kind, length in usual if kind in SUNG)
    if not stanzas:
        lines = [length if kind in SUNG else 0 for kind, length in usual]
    elif 1 < len(stanzas) <= room:
        usual = list(_plan_for(stanzas, usual, room))
        counts = iter([len(stanza.lines) for stanza in stanzas])
        lines = [next(counts) if kind in SUNG else 0 for kind, _ in usual]
    else:
        total = sum(len(stanza.lines) for stanza in stanzas)
        shares = iter(_dealt(total, [length for kind, length in usual if kind in SUNG]))
        lines = [next(shares) if kind in SUNG else 0 for kind, _ in usual]
    return Grid(seconds, bars, tuple(_placed(usual, lines)))


Plan = list[tuple[str, int]]


def _usual_plan(bars: int) -> Plan:
    """Intro, then verses and choruses in turn, a break before the last chorus of a long song, outro."""
    intro = 1 if bars < 14 else 2 if bars < 36 else 4
    outro = 1 if bars < 20 else 2
    middle = bars - intro - outro
    pause = 2 if middle >= 24 else 0
    pairs = 1 if middle < 12 else max(2, round(middle / 16))
    plan = [("intro", intro)]
    for number, length in enumerate(_shares(middle - pause, 2 * pairs)):
        if pause and number == 2 * pairs - 1:
            plan.append(("break", pause))
        plan.append(("chorus" if number % 2 else "verse", length))
    plan.append(("outro", outro))
    return plan


def _plan_for(stanzas: Sequence[Stanza], usual: Plan, room: int) -> Iterator[tuple[str, int]]:
    """The usual intro, break and outro around the stanzas, which share the sung bars by their lines."""
    alternating = cycle(("verse", "chorus"))
    kinds = [stanza.kind or next(alternating) for stanza in stanzas]
    counts = [len(stanza.lines) for stanza in stanzas]
    lengths = _dealt(room, counts)
    if 0 in lengths:
        lengths = [1 + more for more in _dealt(room - len(stanzas), counts)]
    pause = next((length for kind, length in usual if kind == "break"), 0)
    yield usual[0]
    for number, (kind, length) in enumerate(zip(kinds, lengths, strict=True)):
        if pause and number == len(stanzas) - 1:
            yield "break", pause
        yield kind, length
    yield usual[-1]


def _dealt(total: int, weights: Sequence[int]) -> list[int]:
    """`total` in whole numbers that are to each other as the weights, about."""
    whole = sum(weights)
    ends = [round(total * sum(weights[:end]) / whole) for end in range(len(weights) + 1)]
    return [after - before for before, after in pairwise(ends)]


def _shares(total: int, parts: int) -> list[int]:
    """`total` in `parts` nearly equal whole numbers, the larger ones last."""
    return [(total * (part + 1)) // parts - (total * part) // parts for part in range(parts)]


def _placed(plan: Plan, lines: Sequence[int]) -> Iterator[Section]:
    first = 0
    for (kind, length), count in zip(plan, lines, strict=True):
        if length:
            yield Section(kind, first, length, count)
        first += length
