"""What the lead instrument plays where the voice rests. Pure."""

import random
from collections.abc import Iterator, Sequence
from itertools import pairwise

from studio.band.harmony import Chart
from studio.band.melody import Range, melody
from studio.band.notes import Note
from studio.form import BEATS_PER_BAR, STEPS_PER_BEAT, Section
from studio.timeline import Chunk, Line

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
RUNS = (
    (0, 2, 4, 6, 8, 10, 12),
    (2, 4, 6, 8, 10, 14),
    (0, 4, 6, 8, 12, 14),
    (4, 6, 8, 10, 12, 14),
)
SOFT, PLAIN = 0.6, 0.75


def lead(
    chart: Chart, lines: Sequence[Line], sung: Sequence[Note], reach: Range, seed: str
) -> tuple[Note, ...]:
    """Never while a line is sung: the hook in sections without lines, or a solo, and answers between lines.

    `sung` is the melody of the lines. Without lines the lead has melodies of its own all through.
    """
    chance = random.Random(f"lead {seed}")  # noqa: S311
    own = [] if lines else list(_own_lines(chart, chance))
    tune = sung or melody(chart, own, reach, seed)
    notes = [note for gap in _gaps(chart, lines) for note in _answer(chart, gap, reach, chance)]
    notes += () if lines else tune
    hook = _hook(chart, [*lines, *own], tune)
    for section in chart.grid.sections:
        if section.kind == "break" and chart.style.soloing:
            notes += _solo(chart, section, reach, chance)
        elif not section.sung or (lines and not section.lines):
            notes += _quoted(chart, section, hook)
    return tuple(sorted(notes, key=lambda note: note.start))


def _own_lines(chart: Chart, chance: random.Random) -> Iterator[Line]:
    """A wordless line for every two bars of a section that could be sung."""
    riffs = {kind: chance.sample(RIFFS, 2) for kind in ("verse", "chorus", "bridge")}
    at = chart.grid.at
    for section in chart.grid.sections:
        for number in range(0, section.bars, PHRASE_BARS) if section.sung else ():
            riff = riffs[section.kind][number // PHRASE_BARS % 2]
            bars = min(PHRASE_BARS, section.bars - number)
            end = min(LONGEST_RIFF, bars * BEATS_PER_BAR * STEPS_PER_BEAT)
            steps = [*(onset for onset in riff if onset < end), end]
            start = (section.first_bar + number) * chart.grid.bar
            chunks = tuple(Chunk("", at(after) - at(before)) for before, after in pairwise(steps))
            name = f"{number % (2 * PHRASE_BARS)} {len(chunks)}"
            yield Line(name, start, start + at(end), chunks)


def _hook(chart: Chart, lines: Sequence[Line], tune: Sequence[Note]) -> list[Note]:
    """The notes of the first line of the first chorus, or of the song, as if they began at 0."""
    chorus = [line for line in lines if chart.bar_at(line.start).section.kind == "chorus"]
    line = next(iter([*chorus, *lines]))
    notes = [note for note in tune if line.start <= note.start < line.end]
    return [Note(note.start - line.start, note.seconds, note.pitch, PLAIN) for note in notes]


def _quoted(chart: Chart, section: Section, hook: Sequence[Note]) -> Iterator[Note]:
    """The hook every two bars, its notes drawn to the chords that are there; never into the last chord."""
    bars = section.bars - (section.kind == "outro")
    for number in range(0, bars, PHRASE_BARS):
        first = (section.first_bar + number) * chart.grid.bar
        room = min(PHRASE_BARS, bars - number) * chart.grid.bar
        for note in hook:
            if note.start < room - chart.grid.beat / 2:
                start = first + note.start
                bound = chart.strong(start)
                pitch = _nearest(note.pitch, chart.triad(start)) if bound else note.pitch
                yield Note(start, min(note.seconds, room - note.start), pitch, note.strength)


def _gaps(chart: Chart, lines: Sequence[Line]) -> Iterator[tuple[float, float]]:
    """From a line's end to the next one of its section, or to the section's end, where that is long enough."""
    for number, line in enumerate(lines):
        section = chart.bar_at(line.start).section
        end = (section.first_bar + section.bars) * chart.grid.bar
        end = min([end, *(following.start for following in lines[number + 1 : number + 2])])
        if end - line.end >= SHORTEST_GAP_BEATS * chart.grid.beat:
            yield line.end, end


def _answer(
    chart: Chart, gap: tuple[float, float], reach: Range, chance: random.Random
) -> Iterator[Note]:
    """A few notes of the chord from the first whole beat in the gap, an octave over the voice's middle."""
    half = chart.grid.beat / 2
    first = -(-gap[0] // chart.grid.beat) * chart.grid.beat
    middle = sum(reach) // 2 + OCTAVE
    pitch = middle + chance.choice((-4, 0, 4))
    for place in chance.choice(ANSWERS):
        start = first + chart.grid.at(place * STEPS_PER_BEAT // 2)
        if start + half < gap[1]:
            up = pitch < middle if abs(pitch - middle) > OCTAVE // 2 else chance.random() < 0.5
            pitch = _nearest(pitch + (3 if up else -3), chart.triad(start))
            yield Note(start, half, pitch, SOFT)


def _solo(chart: Chart, section: Section, reach: Range, chance: random.Random) -> Iterator[Note]:
    """Runs of eighths from chord to chord with half steps into its notes, and a breath after each run."""
    low, high = reach[0] + OCTAVE // 2, reach[1] + OCTAVE
    ladder = chart.key.ladder(low, high)
    place, up = len(ladder) // 2, True
    for bar in range(section.first_bar, section.first_bar + section.bars):
        for onset in chance.choice(RUNS):
            start = bar * chart.grid.bar + chart.grid.at(onset)
            up = chance.random() < (0.75 if up else 0.25)
            up = True if place < 2 else False if place > len(ladder) - 3 else up
            place += (1 if up else -1) * chance.choice((1, 1, 1, 2))
            pitch = ladder[max(0, min(len(ladder) - 1, place))]
            bound = onset % STEPS_PER_BEAT == 0
            pitch = (
                _nearest(pitch, chart.triad(start)) if bound else pitch - (chance.random() < 0.2)
            )
            length = chart.grid.at(onset + 2) - chart.grid.at(onset)
            yield Note(start, 0.95 * length, pitch, PLAIN if bound else SOFT)


def _nearest(pitch: int, triad: Sequence[int]) -> int:
    """The pitch of one of these classes that is closest."""
    return min(
        (near for near in range(pitch - 6, pitch + 7) if near % 12 in triad),
        key=lambda near: abs(near - pitch),
    )
