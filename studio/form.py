"""The form of a song: how many bars fill its time exactly, and what each of them is for. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heapreplace
from itertools import cycle

from studio.genres import Form, Genre
from studio.syllables import syllables_of, weight
from studio.words import Stanza

BEATS_PER_BAR = 4
STEPS_PER_BEAT = 4
FEWEST_BARS = 4
SUNG = ("verse", "chorus", "bridge")
LINE_SECONDS = 3.1
"""How long a line of about twelve syllables is sung without haste, with the breath after it."""
EASY_SYLLABLES_PER_SECOND = 4.0
LONGEST_LINE_BARS = 2
SHORTEST_LINE_WEIGHT = 8


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
    """A whole number of bars that lasts exactly `seconds`; the tempo gives way, most in the shortest songs."""

    seconds: float
    bars: int
    sections: tuple[Section, ...]
    swing: float = 1.0
    swung: int = 2
    """As `Genre` has them."""

    def at(self, step: float) -> float:
        """When a sixteenth step of the song is played, or of a stretch that begins with a beat, in seconds."""
        pairs, rest = divmod(step, 2 * self.swung)
        first = 2 * self.swung * self.swing / (1 + self.swing)
        if rest < self.swung:
            within = rest / self.swung * first
        else:
            within = first + (rest - self.swung) / self.swung * (2 * self.swung - first)
        return (2 * self.swung * pairs + within) * (self.beat / STEPS_PER_BEAT)

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

    Without stanzas it is the form in which the studio's lyricist writes, with a line for about every
    `LINE_SECONDS` of a sung section. A lyric of one stanza, or of more than there are bars to sing in, is
    dealt out over that form, and where it is short there are verses and choruses without a line.
    """
    bars = max(FEWEST_BARS, int(seconds * genre.tempo / 60 / BEATS_PER_BAR + 0.5))
    if not stanzas:
        plan = _written_for(_usual_plan(genre.form, bars), seconds / bars)
    elif 1 < len(stanzas) <= bars - 2:
        plan = _plan_for(genre.form, stanzas, bars, seconds / bars)
    else:
        plan = _dealt_out(
            sum(len(stanza.lines) for stanza in stanzas), _usual_plan(genre.form, bars)
        )
    return Grid(seconds, bars, tuple(_placed(plan)), genre.swing, genre.swung)


def dealt(total: int, weights: Sequence[float], least: int = 0) -> list[int]:
    """`total` in whole numbers that are to each other as the weights, about, and none under `least`.

    Source: the method of Webster and Sainte-Laguë, by which seats are dealt out to parties.
    """
    shares = [least] * len(weights)
    queue = [(-size / (2 * least + 1), -place) for place, size in enumerate(weights)]
    heapify(queue)
    for _ in range(total - least * len(weights)):
        place = -queue[0][1]
        shares[place] += 1
        heapreplace(queue, (-weights[place] / (2 * shares[place] + 1), -place))
    return shares


Plan = Iterator[tuple[str, int, int]]
"""Sections as kind, bars and lines."""


def _frame(form: Form, bars: int) -> tuple[int, int, int]:
    """How many bars of a song are intro, break and outro."""
    intro, pause, outro = (
        next(length for fewest, length in lengths if bars >= fewest)
        for lengths in (form.intro, form.pause, form.outro)
    )
    return intro, pause, outro


def _paused(form: Form, sections: int) -> int:
    """Before which of so many sung sections the break comes."""
    return max(1, sections // 4 * 2) if form.parts else sections - 1


def _usual_plan(form: Form, bars: int) -> list[tuple[str, int]]:
    """Intro, then verses and choruses in turn with the form's break between them, outro.

    Sections of four bars and more have an even number of them; a bar that is left over makes the end longer.
    """
    intro, pause, outro = _frame(form, bars)
    middle = bars - intro - pause - outro
    pairs = max(2, round((middle + pause) / form.pair)) if middle + pause >= 0.75 * form.pair else 1
    unit = 2 if middle >= 8 * pairs else 1
    plan = [("intro", intro)]
    for number, length in enumerate(
        dealt(middle // unit, [form.verse, form.chorus] * pairs, least=1)
    ):
        if pause and number == _paused(form, 2 * pairs):
            plan.append(("break", pause))
        plan.append(("chorus" if number % 2 else "verse", unit * length))
    plan.append(("outro", outro + middle % unit))
    return plan


def _written_for(plan: Sequence[tuple[str, int]], bar: float) -> Plan:
    """The plan with as many lines as are sung well: all of a section's lines get the same time, in half bars."""
    for kind, bars in plan:
        fitting = [count for count in range(1, 2 * bars + 1) if 2 * bars % count == 0]
        wanted = bars * bar / LINE_SECONDS
        lines = min(fitting, key=lambda count: abs(count - wanted))
        yield kind, bars, lines if kind in SUNG else 0


def _dealt_out(lines: int, plan: Sequence[tuple[str, int]]) -> Plan:
    """The plan with the lines spread evenly over its sung bars."""
    room = sum(bars for kind, bars in plan if kind in SUNG)
    passed = 0
    for kind, bars in plan:
        before = passed
        passed += bars if kind in SUNG else 0
        yield kind, bars, round(lines * passed / room) - round(lines * before / room)


def _plan_for(form: Form, stanzas: Sequence[Stanza], bars: int, bar: float) -> Plan:
    """A section for every stanza, as long as its words need; what is left over is played between them.

    As in the usual plan, long sections have an even number of bars.
    """
    weights = [sum(map(_line_weight, stanza.lines)) for stanza in stanzas]
    intro, pause, outro = _frame(form, bars)
    room = bars - intro - pause - outro
    if sum(weights) > EASY_SYLLABLES_PER_SECOND * room * bar or len(stanzas) > room:
        intro, pause, outro = 1, 0, 1
        room = bars - 2
    enough = LONGEST_LINE_BARS * sum(len(stanza.lines) for stanza in stanzas)
    sung = max(len(stanzas), min(room, (room + enough) // 2))
    unit = 2 if sung >= 4 * len(stanzas) else 1
    spare = dealt(room - sung // unit * unit, [1.0] * (len(stanzas) + 1))
    lengths = [unit * length for length in dealt(sung // unit, weights, least=1)]
    alternating = cycle(("verse", "chorus"))
    yield "intro", intro + spare[0], 0
    for number, (stanza, length) in enumerate(zip(stanzas, lengths, strict=True)):
        rest = (pause if number == _paused(form, len(stanzas)) else 0) + (
            spare[number] if number else 0
        )
        yield "break", rest, 0
        yield stanza.kind or next(alternating), length, len(stanza.lines)
    yield "outro", outro + spare[-1], 0


def _line_weight(line: str) -> int:
    return max(SHORTEST_LINE_WEIGHT, sum(map(weight, syllables_of(line))))


def _placed(plan: Plan) -> Iterator[Section]:
    first = 0
    for kind, bars, lines in plan:
        if bars:
            yield Section(kind, first, bars, lines)
        first += bars
