"""The form of a song and when each syllable of a lyric is sung. Pure.

The bars of a song fill its time exactly. A line starts on a beat of a sung bar; its syllables fall on sixteenths
as long as there are enough of them, and swing as the band does.
"""

import random
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from heapq import heapify, heapreplace
from itertools import accumulate, cycle, pairwise
from typing import Any

from studio.genres import Cells, Form, Genre
from studio.words import (
    EVEN,
    STRESSED,
    WEAK,
    Stanza,
    count_each,
    find_stresses,
    read_spoken_line,
    read_stanzas,
    split_syllables,
)

BEATS_PER_BAR = 4
STEPS_PER_BEAT = 4
FEWEST_BARS = 4
SUNG = ("verse", "chorus", "bridge")
LINE_SECONDS = 3.1
"""How long a line of about twelve syllables is sung without haste, with the breath after it."""
EASY_LYRIC_PACE = 4.0
LONGEST_LINE_BARS = 2
SHORTEST_LINE_WEIGHT = 8
Plan = Iterator[tuple[str, int, int]]
"""Sections as kind, bars and lines."""
Place = tuple[str, str, float, float]
"""Where a line is sung: the kind of its section, its text, its first sixteenth step and how many it has."""
BREATH_STEPS = 2
CELL_STEPS = 8
BREATH_SHARE = 8
FREE_CELLS: Cells = {
    2: ((0, 2), (0, 4), (0, 6)),
    3: ((0, 2, 4), (0, 2, 6), (0, 4, 6), (0, 1, 4), (0, 3, 4)),
    4: ((0, 2, 4, 6), (0, 1, 4, 6), (0, 2, 3, 6), (0, 3, 4, 6), (0, 2, 4, 5), (0, 1, 4, 5)),
    5: ((0, 1, 2, 4, 6), (0, 2, 3, 4, 6), (0, 2, 4, 5, 6), (0, 1, 3, 4, 6), (0, 2, 4, 6, 7)),
    6: ((0, 1, 2, 4, 5, 6), (0, 1, 2, 4, 6, 7), (0, 2, 3, 4, 6, 7), (0, 2, 3, 4, 5, 6)),
}
"""Where the syllables of a half bar may fall besides where a genre likes them, for the sake of their stress."""
ON_BEAT = 1.0
LIKED = 0.75
LONGEST_WEAK = 3
LONGEST_LINE_STEPS = 32
STEPS_PER_BAR = BEATS_PER_BAR * STEPS_PER_BEAT
EASY_LINE_PACE = 4.8
LINE_OVERHEAD = 3
"""What a line needs besides its syllables, for its last note and its breath, counted in syllables."""


@dataclass(frozen=True)
class Section:
    """Some bars in a row with one purpose: intro, verse, chorus, bridge, break or outro."""

    kind: str
    first_bar: int
    bars: int
    lines: int = 0
    """How many lines are sung in it."""


@dataclass(frozen=True)
class Grid:
    """A whole number of bars that lasts exactly `seconds`; the tempo gives way, most in the shortest songs."""

    seconds: float
    bars: int
    sections: tuple[Section, ...]
    swing: float = 1.0
    swung: int = 2
    """As `Genre` has them."""

    def to_seconds(self, step: float) -> float:
        """Return the moment of a sixteenth step, counted from the song's start or from any beat, in seconds."""
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


def plan_grid(genre: Genre, seconds: float, stanzas: Sequence[Stanza] = ()) -> Grid:
    """Plan the bars of a song that lasts `seconds`, with a section for every stanza, in order.

    Without stanzas it is the form in which the studio's lyricist writes, with a line for about every
    `LINE_SECONDS` of a sung section. A lyric of one stanza, or of more than there are bars to sing in, is
    dealt out over that form, and where it is short there are verses and choruses without a line.
    """
    bars = max(FEWEST_BARS, int(seconds * genre.tempo / 60 / BEATS_PER_BAR + 0.5))
    if not stanzas:
        plan = _fill_with_lines(_plan_usual(genre.form, bars), seconds / bars)
    elif 1 < len(stanzas) <= bars - 2:
        plan = _plan_stanzas(genre.form, stanzas, bars, seconds / bars)
    else:
        plan = _spread_lines(
            sum(len(stanza.lines) for stanza in stanzas), _plan_usual(genre.form, bars)
        )
    return Grid(seconds, bars, tuple(_number_sections(plan)), genre.swing, genre.swung)


def deal(total: int, weights: Sequence[float], least: int = 0) -> list[int]:
    """Split `total` into whole numbers in about the proportions of the weights, none under `least`.

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


def _measure_frame(form: Form, bars: int) -> tuple[int, int, int]:
    """Return how many bars of a song are intro, break and outro."""
    intro, pause, outro = (
        next(length for fewest, length in lengths if bars >= fewest)
        for lengths in (form.intro, form.pause, form.outro)
    )
    return intro, pause, outro


def _find_break(form: Form, sections: int) -> int:
    """Return before which of that many sung sections the break comes."""
    return max(1, sections // 4 * 2) if form.parts else sections - 1


def _plan_usual(form: Form, bars: int) -> list[tuple[str, int]]:
    """Plan an intro, verses and choruses in turn with the form's break between them, and an outro.

    Sections of four bars and more have an even number of them; a bar that is left over makes the end longer.
    """
    intro, pause, outro = _measure_frame(form, bars)
    middle = bars - intro - pause - outro
    pairs = max(2, round((middle + pause) / form.pair)) if middle + pause >= 0.75 * form.pair else 1
    unit = 2 if middle >= 8 * pairs else 1
    plan = [("intro", intro)]
    for number, length in enumerate(
        deal(middle // unit, [form.verse, form.chorus] * pairs, least=1)
    ):
        if pause and number == _find_break(form, 2 * pairs):
            plan.append(("break", pause))
        plan.append(("chorus" if number % 2 else "verse", unit * length))
    plan.append(("outro", outro + middle % unit))
    return plan


def _fill_with_lines(plan: Sequence[tuple[str, int]], bar: float) -> Plan:
    """Add as many lines as are sung well; all lines of a section get the same time, in half bars."""
    for kind, bars in plan:
        fitting = [count for count in range(1, 2 * bars + 1) if 2 * bars % count == 0]
        wanted = bars * bar / LINE_SECONDS
        lines = min(fitting, key=lambda count: abs(count - wanted))
        yield kind, bars, lines if kind in SUNG else 0


def _spread_lines(lines: int, plan: Sequence[tuple[str, int]]) -> Plan:
    """Spread the lines evenly over the plan's sung bars."""
    room = sum(bars for kind, bars in plan if kind in SUNG)
    passed = 0
    for kind, bars in plan:
        before = passed
        passed += bars if kind in SUNG else 0
        yield kind, bars, round(lines * passed / room) - round(lines * before / room)


def _plan_stanzas(form: Form, stanzas: Sequence[Stanza], bars: int, bar: float) -> Plan:
    """Plan a section for every stanza, as long as its words need; the rest is played between them.

    As in the usual plan, long sections have an even number of bars.
    """
    weights = [sum(map(_weigh_line, stanza.lines)) for stanza in stanzas]
    intro, pause, outro = _measure_frame(form, bars)
    room = bars - intro - pause - outro
    if sum(weights) > EASY_LYRIC_PACE * room * bar or len(stanzas) > room:
        intro, pause, outro = 1, 0, 1
        room = bars - 2
    enough = LONGEST_LINE_BARS * sum(len(stanza.lines) for stanza in stanzas)
    sung = max(len(stanzas), min(room, (room + enough) // 2))
    unit = 2 if sung >= 4 * len(stanzas) else 1
    spare = deal(room - sung // unit * unit, [1.0] * (len(stanzas) + 1))
    lengths = [unit * length for length in deal(sung // unit, weights, least=1)]
    alternating = cycle(("verse", "chorus"))
    yield "intro", intro + spare[0], 0
    for number, (stanza, length) in enumerate(zip(stanzas, lengths, strict=True)):
        rest = (pause if number == _find_break(form, len(stanzas)) else 0) + (
            spare[number] if number else 0
        )
        yield "break", rest, 0
        yield stanza.kind or next(alternating), length, len(stanza.lines)
    yield "outro", outro + spare[-1], 0


def _weigh_line(line: str) -> int:
    return max(SHORTEST_LINE_WEIGHT, sum(count_each(split_syllables(line))))


def _number_sections(plan: Plan) -> Iterator[Section]:
    first = 0
    for kind, bars, lines in plan:
        if bars:
            yield Section(kind, first, bars, lines)
        first += bars


class Rhythm:
    """How one song sings its verses, or its choruses: patterns chosen once by its seed."""

    def __init__(self, genre: Genre, seed: str) -> None:
        chance = random.Random(f"rhythm {seed}")  # noqa: S311
        self._genre = genre
        self._cells: Cells = {
            count: tuple(chance.sample(cells, len(cells))) for count, cells in genre.cells.items()
        }

    def find_onsets(
        self, pieces: Sequence[str], room: float, turn: int, name: str = ""
    ) -> list[float]:
        """Return where each piece of a line starts, and where the last one ends, in steps from the line's start.

        `room` is the steps until the next line: a breath is left of it. Half bars begin with a word where one is
        near, and the syllables of the `name` are long. Lines with the same pieces, room and `turn` are sung alike.
        Where there are more syllables than steps, they share the room evenly.
        """
        weights = count_each(pieces)
        first = [0, *accumulate(weights)]
        count = first.pop()
        if count + 2 > room:
            end = room * (1 - 1 / BREATH_SHARE)
            return [*(number * end / count for number in first), end]
        end = int(room) - (BREATH_STEPS if count + 1 + BREATH_STEPS <= room else 1)
        words = {
            after for piece, after in zip(pieces, first[1:], strict=False) if piece[-1:].isspace()
        }
        stresses = [
            stress if number == 0 else EVEN
            for stress, size in zip(find_stresses(pieces, name), weights, strict=True)
            for number in range(size)
        ]
        strong = {number for number, stress in enumerate(stresses) if stress == STRESSED}
        moments = list(self._place_syllables(end, (strong, words), stresses, turn))
        return [*(moments[number] for number in first), min(end, moments[-1] + self._genre.hold)]

    def _place_syllables(
        self, end: int, borders: Sequence[Set[int]], stresses: Sequence[float], turn: int
    ) -> Iterator[float]:
        """Yield the moments of all syllables, half bar by half bar, with room for the last one to ring."""
        count = len(stresses)
        lengths = _split_half_bars(end, -(-(count + 1) // self._genre.pace))
        shares = _align_with_words(deal(count + 1, lengths), lengths, borders)
        shares[-1] -= 1
        first = begun = 0
        for number, (length, share) in enumerate(zip(lengths, shares, strict=True)):
            spoken = stresses[begun : begun + share]
            for step in self._choose_cell(spoken, length, turn + number, opening=not number):
                yield float(first + step)
            first += length
            begun += share

    def _choose_cell(
        self, stresses: Sequence[float], length: int, turn: int, *, opening: bool
    ) -> Sequence[int]:
        """Return a step under `length` for each syllable, stressed ones long; the opening cell has the first."""
        count = len(stresses)
        liked = self._cells.get(count, ())
        speech = len({*stresses} - {EVEN}) > 0
        cells = [
            cell
            for cell in dict.fromkeys((*liked, *(FREE_CELLS.get(count, ()) if speech else ())))
            if cell[-1] < length and not (opening and cell[0])
        ]
        if not cells:
            return [n * length // count for n in range(count)]
        turned = [*cells[turn % len(cells) :], *cells[: turn % len(cells)]]
        if not speech:
            return turned[0]
        return max(
            turned, key=lambda cell: _rate_cell(cell, stresses, length) + LIKED * (cell in liked)
        )


def _rate_cell(cell: Sequence[int], stresses: Sequence[float], length: int) -> float:
    """Rate how well a cell suits the stresses: stressed syllables long and on the beat, weak ones short."""
    score = 0.0
    for step, following, stress in zip(cell, (*cell[1:], length), stresses, strict=True):
        held = following - step
        score += (stress - EVEN) * min(held, 6)
        score += ON_BEAT * (stress - EVEN) * (step % 4 == 0)
        score -= (stress == WEAK) * max(0, held - LONGEST_WEAK)
    return score


def _split_half_bars(steps: int, wanted: int) -> list[int]:
    """Return the wanted number of half bars, or all that there are with what is left over."""
    whole, rest = divmod(steps, CELL_STEPS)
    return [CELL_STEPS] * wanted if wanted <= whole else [CELL_STEPS] * whole + [rest] * bool(rest)


def _align_with_words(
    shares: Sequence[int], lengths: Sequence[int], borders: Sequence[Set[int]]
) -> list[int]:
    """Move one syllable to a neighbour where the next half bar then begins with a stress or a word."""
    moved = list(shares)
    for number in range(len(moved) - 1):
        border = sum(moved[: number + 1])
        shifts = [
            shift
            for shift in (0, 1, -1)
            if 0 < moved[number] + shift < lengths[number] + (shift == 0)
            and 0 < moved[number + 1] - shift < lengths[number + 1] + (shift == 0)
        ]
        wanted = (shift for wished in borders for shift in shifts if border + shift in wished)
        shift = next(wanted, 0)
        moved[number : number + 2] = moved[number] + shift, moved[number + 1] - shift
    return moved


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
        """Return when each chunk starts."""
        seconds = [chunk.seconds for chunk in self.chunks]
        return tuple(accumulate(seconds[:-1], initial=self.start))

    def as_json(self) -> dict[str, Any]:
        """Return the form in which orders and results carry the line."""
        chunks = [[chunk.text, chunk.seconds] for chunk in self.chunks]
        return {"text": self.text, "start": self.start, "end": self.end, "chunks": chunks}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "Line":
        """Read what `as_json` returned."""
        chunks = tuple(Chunk(str(text), float(seconds)) for text, seconds in data["chunks"])
        return Line(str(data["text"]), float(data["start"]), float(data["end"]), chunks)


def arrange(
    lyric: str, genre: Genre, seconds: float, seed: str = ""
) -> tuple[Grid, tuple[Line, ...]]:
    """Return the form of a lyric's song, and its lines in it: in order, without overlap.

    A line that comes again in the same kind of section is sung in the same rhythm.
    """
    stanzas = read_stanzas(lyric)
    grid = plan_grid(genre, seconds, stanzas)
    words = iter([line for stanza in stanzas for line in stanza.lines])
    step = grid.beat / STEPS_PER_BEAT
    places = [
        place
        for section in (grid.sections if stanzas else ())
        for place in _place_lines([next(words) for _ in range(section.lines)], section, step)
    ]
    return grid, tuple(_time_lines(places, genre, seed, grid, read_spoken_line(lyric)))


def _time_lines(
    places: Sequence[Place], genre: Genre, seed: str, grid: Grid, name: str
) -> Iterator[Line]:
    """Yield each line with its syllables' times; the same line of a kind is sung alike."""
    rooms: dict[tuple[str, str], float] = {}
    for kind, text, _, room in places:
        rooms[kind, text] = min(rooms.get((kind, text), LONGEST_LINE_STEPS), room)
    turns = {line: number for number, line in enumerate(rooms)}
    rhythms = {kind: Rhythm(genre, f"{seed} {kind}") for kind in {kind for kind, _ in rooms}}
    for kind, text, first, _ in places:
        line = (kind, text)
        pieces = split_syllables(text)
        onsets = rhythms[kind].find_onsets(pieces, rooms[line], turns[line] // 2, name)
        moments = [round(grid.to_seconds(first + onset), 4) for onset in onsets]
        chunks = tuple(
            Chunk(piece, round(end - start, 4))
            for piece, (start, end) in zip(pieces, pairwise(moments), strict=True)
        )
        yield Line("".join(pieces), moments[0], moments[-1], chunks)


def _place_lines(words: Sequence[str], section: Section, step: float) -> Iterator[Place]:
    """Deal the section's time out to its lines in bars, or in parts of bars where that is less hurried."""
    if not words:
        return
    counts = [sum(count_each(split_syllables(text))) for text in words]
    first = float(section.first_bar * STEPS_PER_BAR)
    for text, room in zip(words, _share_room(counts, section.bars, step), strict=True):
        yield section.kind, text, first, room
        first += room


def _share_room(counts: Sequence[int], bars: int, step: float) -> list[float]:
    """Return steps for lines of so many syllables, in the largest unit in which no line is hurried."""
    weights = [count + LINE_OVERHEAD for count in counts]
    best, least = [0.0], float("inf")
    unit = float(STEPS_PER_BAR)
    while least == float("inf") or (least > EASY_LINE_PACE and unit >= STEPS_PER_BEAT):
        units = int(bars * STEPS_PER_BAR / unit)
        if units >= len(counts):
            rooms = [share * unit for share in deal(units, weights, least=1)]
            haste = max(
                count / (max(room - BREATH_STEPS, unit / 4) * step)
                for count, room in zip(counts, rooms, strict=True)
            )
            if haste < least:
                best, least = rooms, haste
        unit /= 2
    return best
