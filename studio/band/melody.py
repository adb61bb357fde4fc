"""A song's key and chords, and the melodies of voice and lead over them. Pure."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from studio.genres import Style
from studio.timeline import BEATS_PER_BAR, STEPS_PER_BEAT, SUNG, Chunk, Grid, Line, Section

MAJOR = (0, 2, 4, 5, 7, 9, 11)
MINOR = (0, 2, 3, 5, 7, 8, 10)
THIRD = 2
TONICS = range(55, 63)
QUIET_BARS = 2
"""How many of an intro's bars are the thinnest."""
ROUNDING = 1e-3
LEVELS = {"intro": 0, "verse": 1, "bridge": 1, "chorus": 3, "outro": 2}
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
OCTAVE = 12
PHRASE_BARS = 2
RIFFS = (
    (0, 3, 6, 8, 12, 16, 20),
    (0, 4, 6, 8, 10, 12, 16),
    (0, 6, 8, 14, 16, 22),
    (0, 2, 4, 8, 11, 14, 18, 20),
)
LONGEST_RIFF = 28
SHORTEST_GAP_BEATS = 2.5
ANSWERS = ((0, 2, 3), (0, 1, 2), (0, 3, 4, 6), (2, 3, 4))
RUNS = ((0, 2, 4, 6, 8, 10, 12), (2, 4, 6, 8, 10, 14), (0, 4, 6, 8, 12, 14), (4, 6, 8, 10, 12, 14))
SOFT, PLAIN = 0.6, 0.75


@dataclass(frozen=True)
class Note:
    """One note: `pitch` is a MIDI number, `strength` in (0, 1], times in seconds."""

    start: float
    seconds: float
    pitch: int
    strength: float


@dataclass(frozen=True)
class Hit:
    """One stroke on a drum; `strength` in (0, 1], `start` in seconds."""

    start: float
    drum: str
    strength: float


@dataclass(frozen=True)
class Key:
    """A scale on a tonic, which turns degrees into pitches.

    Chords on the degrees of `dominants` have a major third; `sung` are the degrees that melodies have.
    """

    tonic: int
    minor: bool
    dominants: Sequence[int] = ()
    sung: Sequence[int] = range(7)

    @property
    def scale(self) -> Sequence[int]:
        """The half steps of the degrees over the tonic."""
        return MINOR if self.minor else MAJOR

    def get_pitch(self, degree: int) -> int:
        """Return the MIDI number of a scale degree, 0 being the tonic."""
        octave, step = divmod(degree, len(self.scale))
        return self.tonic + 12 * octave + self.scale[step]

    def build_chord(self, degree: int, colour: Sequence[int] = (0, 2, 4)) -> tuple[int, ...]:
        """Return the chord of these steps over a degree, folded into the octave from five below the tonic."""
        floor = self.tonic - 5
        return tuple(
            sorted(floor + (self.get_over(degree, third) - floor) % 12 for third in colour)
        )

    def get_over(self, degree: int, step: int) -> int:
        """Return the pitch `step` steps over a degree, in the chord that stands on it."""
        raised = degree % 7 in self.dominants and step % 7 == THIRD
        return self.get_pitch(degree + step) + raised

    def list_pitches(self, low: int, high: int) -> tuple[int, ...]:
        """Return the scale's pitches from `low` to `high`."""
        steps = {(self.tonic + self.scale[degree]) % 12 for degree in self.sung}
        return tuple(pitch for pitch in range(low, high + 1) if pitch % 12 in steps)


@dataclass(frozen=True)
class Bar:
    """One bar's place in the song and its chord, as a scale degree.

    `level` tells how much of the band plays, from 0 (hardly any of it) to 3 (all). `leads_to` is the kind of the
    section that the bar is the last before, or "".
    """

    start: float
    section: Section
    number: int
    degree: int
    level: int
    leads_to: str

    @property
    def final(self) -> bool:
        """Whether the song ends with it."""
        return self.section.kind == "outro" and self.number == self.section.bars - 1


class Chart:
    """A song's chords, as its players read them."""

    def __init__(self, style: Style, grid: Grid, chance: random.Random) -> None:
        self.style = style
        tonic = chance.choice(TONICS)
        self.key = Key(tonic, style.minor, style.dominants, style.sung)
        self.grid = grid
        self.bars = _plan_bars(style, grid, chance)

    def find_bar(self, moment: float) -> Bar:
        """Return the bar of a moment; one that was rounded down a little belongs to the bar it means."""
        number = int(moment / self.grid.bar + ROUNDING)
        return self.bars[min(len(self.bars) - 1, number)]

    def is_strong(self, moment: float) -> bool:
        """Return whether a moment is the first or the third beat of a bar."""
        halves = 2 * moment / self.grid.bar
        return abs(halves - round(halves)) < ROUNDING

    def get_triad(self, moment: float) -> tuple[int, ...]:
        """Return the pitch classes of the chord at a moment, the root first."""
        degree = self.find_bar(moment).degree
        return tuple(self.key.get_over(degree, third) % 12 for third in (0, 2, 4))


def _plan_bars(style: Style, grid: Grid, chance: random.Random) -> list[Bar]:
    """Return all bars of the song: each kind of section has its own progression, and the end is the tonic's."""
    verse, chorus = chance.choice(style.verses), chance.choice(style.choruses)
    other = [chords for chords in (*style.bridges, *style.verses) if chords not in (verse, chorus)]
    progressions = {"verse": verse, "bridge": other[0], "break": verse}
    following = [*(section.kind for section in grid.sections[1:]), ""]
    levels = {**LEVELS, "break": 0 if style.build == "roll" else 1, **style.fullness}
    bars, verses = [], 0
    for section, leads_to in zip(grid.sections, following, strict=True):
        verses += section.kind == "verse"
        level = 2 if section.kind == "verse" and verses > 1 else levels[section.kind]
        chords = progressions.get(section.kind, chorus)
        for number in range(section.bars):
            last = number == section.bars - 1
            bars.append(
                Bar(
                    start=(section.first_bar + number) * grid.bar,
                    section=section,
                    number=number,
                    degree=0 if last and not leads_to else chords[number % len(chords)],
                    level=max(1, level)
                    if section.kind == "intro" and number >= QUIET_BARS
                    else level,
                    leads_to=leads_to if last else "",
                )
            )
    return bars


@dataclass(frozen=True)
class _Spot:
    """Where a note stands: its chord's pitch classes, the root first, if it has to be one of them."""

    triad: tuple[int, ...]
    bound: bool
    ends: bool = False


def compose_melody(
    chart: Chart, lines: Sequence[Line], reach: Range, seed: str
) -> tuple[Note, ...]:
    """Compose one note for every chunk, starting with it, as long as it is and inside `reach`.

    Verses are low, choruses high and bridges apart; the lines of a section share motifs. Notes on strong
    beats and ends of lines belong to the chord, and a section ends on its root where that is near. A line
    that comes again in the same kind of section has the same notes. What is recited stays within a few notes;
    a style may turn around the last note of its lines.
    """
    ladder = chart.key.list_pitches(*reach)
    known: dict[tuple[str, str], list[int]] = {}
    notes: list[Note] = []
    for number, line, closes in _number_lines(chart, lines):
        kind = chart.find_bar(line.start).section.kind
        name = (kind, line.text)
        if name not in known:
            letter = LETTERS[number % len(LETTERS)]
            chance = random.Random(f"melody {seed} {kind} {letter}")  # noqa: S311
            spots = _find_spots(chart, line, closes)
            recited = chart.style.recited and kind != "chorus"
            walk = _recite if recited else _walk
            pitches = walk(spots, ladder, kind, chance)
            known[name] = _add_turn(pitches, spots, ladder) if chart.style.turning else pitches
        for moment, chunk, pitch in zip(line.starts(), line.chunks, known[name], strict=True):
            strength = STRONG if chart.is_strong(moment) else WEAK
            notes.append(Note(moment, chunk.seconds, pitch, strength))
    return tuple(notes)


def _number_lines(chart: Chart, lines: Sequence[Line]) -> Iterator[tuple[int, Line, bool]]:
    """Yield every line with its number in its section, and whether it is the last one there."""
    sections = [chart.find_bar(line.start).section for line in lines]
    number = 0
    for place, line in enumerate(lines):
        number = number + 1 if place and sections[place - 1] is sections[place] else 0
        yield number, line, sections[place + 1 : place + 2] != [sections[place]]


def _find_spots(chart: Chart, line: Line, closes: bool) -> list[_Spot]:
    *before, last = [
        _Spot(chart.get_triad(moment), chart.is_strong(moment) or chunk.seconds >= chart.grid.beat)
        for moment, chunk in zip(line.starts(), line.chunks, strict=True)
    ]
    return [*before, _Spot(last.triad, bound=True, ends=closes)]


def _walk(
    spots: Sequence[_Spot], ladder: Sequence[int], kind: str, chance: random.Random
) -> list[int]:
    """Return pitches that follow a shape by small steps."""
    shape = chance.choice(SHAPES)
    base = round(BASES.get(kind, HIGH_BASE) * (len(ladder) - 1))
    top, steps = len(ladder) - 1, [base + shape[0]] * 2
    for number, spot in enumerate(spots):
        aim = base + _interpolate(shape, number / max(1, len(spots) - 1))
        here, stuck = steps[-1], steps[-1] == steps[-2] and number > 1
        size = chance.choice((1, 1, 2) if stuck else (0, 1, 1, 1, 2))
        up = aim > here if abs(aim - here) >= 1 else chance.random() < 0.5
        aimed = max(0, min(top, here + (size if up else -size)))
        steps.append(
            _find_chord_step(aimed, spot, ladder, here if stuck else None) if spot.bound else aimed
        )
    return [ladder[min(top, step)] for step in steps[2:]]


def _recite(
    spots: Sequence[_Spot], ladder: Sequence[int], kind: str, chance: random.Random
) -> list[int]:
    """Return pitches as one speaks: often the same one again, and all within a few steps."""
    first = round(BASES.get(kind, HIGH_BASE) * (len(ladder) - 1))
    few = ladder[first : first + RECITED_STEPS]
    here, pitches = len(few) // 2, []
    for spot in spots:
        aimed = max(0, min(len(few) - 1, here + chance.choice((-1, 0, 0, 0, 1))))
        here = _find_chord_step(aimed, spot, few, None) if spot.bound else aimed
        pitches.append(few[here])
    return pitches


def _add_turn(pitches: list[int], spots: Sequence[_Spot], ladder: Sequence[int]) -> list[int]:
    """Turn around the last pitch where notes are free: the last one, one over it, the last one."""
    if len(pitches) < TURNED_NOTES:
        return pitches
    end = ladder.index(pitches[-1])
    turn = (ladder[end], ladder[min(len(ladder) - 1, end + 1)])
    before = [
        pitch if spot.bound else turning
        for pitch, spot, turning in zip(pitches[-3:-1], spots[-3:-1], turn, strict=True)
    ]
    return [*pitches[:-3], *before, pitches[-1]]


def _find_chord_step(here: int, spot: _Spot, ladder: Sequence[int], avoided: int | None) -> int:
    """Return the nearest step of the ladder in the chord; at an end the root, unless it is far."""
    steps = [step for step, pitch in enumerate(ladder) if pitch % 12 in spot.triad]
    roots = [step for step in steps if ladder[step] % 12 == spot.triad[0]]
    near = [step for step in roots if spot.ends and abs(step - here) <= FARTHEST]
    fresh = [step for step in steps if step != avoided]
    return min(near or fresh or [here], key=lambda step: abs(step - here))


def _interpolate(shape: Sequence[int], share: float) -> float:
    """Return the height of a shape at that share of its length."""
    place = share * (len(shape) - 1)
    left = min(int(place), len(shape) - 2)
    return shape[left] + (shape[left + 1] - shape[left]) * (place - left)


def compose_lead(
    chart: Chart, lines: Sequence[Line], sung: Sequence[Note], reach: Range, seed: str
) -> tuple[Note, ...]:
    """Compose what the lead plays while no line is sung: hook or solo in free sections, answers in gaps.

    `sung` is the melody of the lines. Without lines the lead has melodies of its own all through.
    """
    chance = random.Random(f"lead {seed}")  # noqa: S311
    own = [] if lines else list(_invent_lines(chart, chance))
    tune = sung or compose_melody(chart, own, reach, seed)
    notes = [
        note for gap in _find_gaps(chart, lines) for note in _answer(chart, gap, reach, chance)
    ]
    notes += () if lines else tune
    hook = _find_hook(chart, [*lines, *own], tune)
    for section in chart.grid.sections:
        if section.kind == "break" and chart.style.soloing:
            notes += _improvise(chart, section, reach, chance)
        elif section.kind not in SUNG or (lines and not section.lines):
            notes += _quote_hook(chart, section, hook)
    return tuple(sorted(notes, key=lambda note: note.start))


def _invent_lines(chart: Chart, chance: random.Random) -> Iterator[Line]:
    """Yield a wordless line for every two bars of a section that could be sung."""
    riffs = {kind: chance.sample(RIFFS, 2) for kind in ("verse", "chorus", "bridge")}
    at = chart.grid.to_seconds
    for section in chart.grid.sections:
        for number in range(0, section.bars, PHRASE_BARS) if section.kind in SUNG else ():
            riff = riffs[section.kind][number // PHRASE_BARS % 2]
            bars = min(PHRASE_BARS, section.bars - number)
            end = min(LONGEST_RIFF, bars * BEATS_PER_BAR * STEPS_PER_BEAT)
            steps = [*(onset for onset in riff if onset < end), end]
            start = (section.first_bar + number) * chart.grid.bar
            chunks = tuple(Chunk("", at(after) - at(before)) for before, after in pairwise(steps))
            name = f"{number % (2 * PHRASE_BARS)} {len(chunks)}"
            yield Line(name, start, start + at(end), chunks)


def _find_hook(chart: Chart, lines: Sequence[Line], tune: Sequence[Note]) -> list[Note]:
    """Return the notes of the first line of the first chorus, or of the song, as if they began at 0."""
    chorus = [line for line in lines if chart.find_bar(line.start).section.kind == "chorus"]
    line = next(iter([*chorus, *lines]))
    notes = [note for note in tune if line.start <= note.start < line.end]
    return [Note(note.start - line.start, note.seconds, note.pitch, PLAIN) for note in notes]


def _quote_hook(chart: Chart, section: Section, hook: Sequence[Note]) -> Iterator[Note]:
    """Repeat the hook every two bars, drawn to the chords that are there; never into the last chord."""
    bars = section.bars - (section.kind == "outro")
    for number in range(0, bars, PHRASE_BARS):
        first = (section.first_bar + number) * chart.grid.bar
        room = min(PHRASE_BARS, bars - number) * chart.grid.bar
        for note in hook:
            if note.start < room - chart.grid.beat / 2:
                start = first + note.start
                bound = chart.is_strong(start)
                pitch = _find_nearest(note.pitch, chart.get_triad(start)) if bound else note.pitch
                yield Note(start, min(note.seconds, room - note.start), pitch, note.strength)


def _find_gaps(chart: Chart, lines: Sequence[Line]) -> Iterator[tuple[float, float]]:
    """Yield the gaps after lines, to the next one of the section or its end, where they are long enough."""
    for number, line in enumerate(lines):
        section = chart.find_bar(line.start).section
        end = (section.first_bar + section.bars) * chart.grid.bar
        end = min([end, *(following.start for following in lines[number + 1 : number + 2])])
        if end - line.end >= SHORTEST_GAP_BEATS * chart.grid.beat:
            yield line.end, end


def _answer(
    chart: Chart, gap: tuple[float, float], reach: Range, chance: random.Random
) -> Iterator[Note]:
    """Play a few notes of the chord from the first whole beat in the gap, over the voice's middle."""
    half = chart.grid.beat / 2
    first = -(-gap[0] // chart.grid.beat) * chart.grid.beat
    middle = sum(reach) // 2 + OCTAVE
    pitch = middle + chance.choice((-4, 0, 4))
    for place in chance.choice(ANSWERS):
        start = first + chart.grid.to_seconds(place * STEPS_PER_BEAT // 2)
        if start + half < gap[1]:
            up = pitch < middle if abs(pitch - middle) > OCTAVE // 2 else chance.random() < 0.5
            pitch = _find_nearest(pitch + (3 if up else -3), chart.get_triad(start))
            yield Note(start, half, pitch, SOFT)


def _improvise(
    chart: Chart, section: Section, reach: Range, chance: random.Random
) -> Iterator[Note]:
    """Play runs of eighths from chord to chord with half steps into its notes, a breath after each run."""
    low, high = reach[0] + OCTAVE // 2, reach[1] + OCTAVE
    ladder = chart.key.list_pitches(low, high)
    place, up = len(ladder) // 2, True
    for bar in range(section.first_bar, section.first_bar + section.bars):
        for onset in chance.choice(RUNS):
            start = bar * chart.grid.bar + chart.grid.to_seconds(onset)
            up = chance.random() < (0.75 if up else 0.25)
            up = True if place < 2 else False if place > len(ladder) - 3 else up
            place += (1 if up else -1) * chance.choice((1, 1, 1, 2))
            pitch = ladder[max(0, min(len(ladder) - 1, place))]
            bound = onset % STEPS_PER_BEAT == 0
            pitch = (
                _find_nearest(pitch, chart.get_triad(start))
                if bound
                else pitch - (chance.random() < 0.2)
            )
            length = chart.grid.to_seconds(onset + 2) - chart.grid.to_seconds(onset)
            yield Note(start, 0.95 * length, pitch, PLAIN if bound else SOFT)


def _find_nearest(pitch: int, triad: Sequence[int]) -> int:
    """Return the closest pitch of one of these classes."""
    return min(
        (near for near in range(pitch - 6, pitch + 7) if near % 12 in triad),
        key=lambda near: abs(near - pitch),
    )
