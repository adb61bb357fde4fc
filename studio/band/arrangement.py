"""What chords, bass and drums play in every bar. Pure."""

from collections.abc import Iterator, Mapping
from itertools import zip_longest

from studio.band.harmony import Bar, Chart
from studio.band.notes import Hit, Note
from studio.band.style import Style
from studio.form import BEATS_PER_BAR, STEPS_PER_BEAT

STEPS_PER_BAR = BEATS_PER_BAR * STEPS_PER_BEAT
LOWEST_BASS = 33
RING = 0.92
LAST_CHORD_BEATS = 3
ROLL = "x...x...x...x...", "x.x.x.x.xxxxXXXX"
DRUM_STRENGTHS = {"X": 1.0, "x": 0.72, "-": 0.4}
FORCES = (0.75, 0.75, 0.88, 1.0)
"""How hard bass and drums are played at each level of fullness."""
STRUM_SECONDS = 0.013
"""From one string of a strum to the next."""
STRINGS = {"d": (5, 1), "u": (4, -1)}
"""How many notes a strum has, and which way it goes."""
BASS_STEPS = {"t": 2, "f": 4, "s": 5}


def pads(chart: Chart, style: Style) -> Iterator[Note]:
    """The chord of every bar as long as the bar, where the style has a pad."""
    for bar in chart.bars:
        strength = style.pads[bar.level]
        for pitch in _chord(chart, bar, style) if strength else ():
            yield Note(bar.start, chart.grid.bar, pitch + style.pad_octave, strength)


def comping(chart: Chart, style: Style) -> Iterator[Note]:
    """Struck, strummed and broken chords by the style's figures; the last bar is one chord, rolled."""
    step = chart.grid.beat / STEPS_PER_BEAT
    for bar in chart.bars:
        chord = [pitch + style.comping_octave for pitch in _chord(chart, bar, style)]
        tones = (*chord, chord[0] + 12, *(pitch + 12 for pitch in chord[1:]))
        if bar.final:
            for number, pitch in enumerate(tones[: len(chord) + 1]):
                length = LAST_CHORD_BEATS * chart.grid.beat
                yield Note(bar.start + 0.03 * number, length, pitch, 0.8)
            continue
        for onset, mark in _marks(style.comping[bar.level], bar):
            accent = 0.8 if onset % STEPS_PER_BEAT == 0 else 0.66
            start = bar.start + chart.grid.at(onset)
            length = style.comping_lengths[bar.level] * step
            for pitch, late in _struck(mark, chord, tones):
                yield Note(start + late, length - late, pitch, accent)


def _struck(mark: str, chord: list[int], tones: tuple[int, ...]) -> Iterator[tuple[int, float]]:
    """The pitches of one mark, each with the seconds that it comes late."""
    if mark in STRINGS:
        count, way = STRINGS[mark]
        strings = tones[:count] if way > 0 else tones[1 : count + 1]
        yield from ((pitch, STRUM_SECONDS * n) for n, pitch in enumerate(strings[::way]))
    else:
        yield from ((pitch, 0.0) for pitch in (chord if mark == "*" else [tones[int(mark)]]))


def bass(chart: Chart, style: Style) -> Iterator[Note]:
    """Single notes by the style's figures, each until the next one; they may lead to the next bar's root."""
    for bar, following in zip_longest(chart.bars, chart.bars[1:]):
        root = _root(chart, bar)
        if bar.final:
            yield Note(bar.start, LAST_CHORD_BEATS * chart.grid.beat, root, 1.0)
            continue
        ahead = _root(chart, following) if following else root
        marks = list(_marks(style.bass[bar.level], bar))
        ends = [onset for onset, _ in (*marks, (STEPS_PER_BAR, ""))][1:]
        for (onset, mark), end in zip(marks, ends, strict=True):
            start, until = chart.grid.at(onset), chart.grid.at(end)
            pitch = _bass_pitch(mark, chart, bar, (root, ahead))
            strength = FORCES[bar.level] * (1.0 if onset % STEPS_PER_BEAT == 0 else 0.86)
            yield Note(bar.start + start, (until - start) * RING, pitch, strength)


def _root(chart: Chart, bar: Bar) -> int:
    return LOWEST_BASS + (chart.key.pitch(bar.degree) - LOWEST_BASS) % 12


def _bass_pitch(mark: str, chart: Chart, bar: Bar, roots: tuple[int, int]) -> int:
    """The pitch of a mark over the bar's root; `roots` are this bar's and the next one's."""
    root, ahead = roots
    if mark == "a":
        return ahead + (1 if ahead < root or ahead == LOWEST_BASS else -1)
    if mark in BASS_STEPS:
        return root + (chart.key.over(bar.degree, BASS_STEPS[mark]) - root) % 12
    return root + (12 if mark == "o" else 0)


def drums(chart: Chart, style: Style) -> Iterator[Hit]:
    """The style's beat, a crash where something begins, and a fill or a rising roll before a chorus."""
    for place, bar in enumerate(chart.bars):
        if bar.final:
            yield from (Hit(bar.start, drum, 0.9) for drum in ("kick", "crash"))
            continue
        if bar.number == 0 and bar.section.kind in ("chorus", "outro", "bridge"):
            yield Hit(bar.start, "crash", 1.0 if bar.section.kind == "chorus" else 0.6)
        if bar.number == 0 and bar.section.kind == "chorus" and style.build == "roll":
            yield Hit(bar.start, "boom", 1.0)
        ahead = [later.leads_to for later in chart.bars[place : place + 2]]
        for drum, figure in _groove(bar, ahead, style).items():
            for onset, mark in _marks(figure, bar):
                strength = FORCES[bar.level] * DRUM_STRENGTHS[mark]
                start = bar.start + chart.grid.at(onset) + style.late.get(drum, 0.0)
                yield Hit(start, drum, strength)
        if bar.leads_to == "chorus" and style.build == "roll":
            yield Hit(bar.start, "riser", 1.0)


def _groove(bar: Bar, ahead: list[str], style: Style) -> Mapping[str, str]:
    """The bar's beat; before another section it gives way to a fill or, for two bars, to a roll."""
    groove = {drum: _of_bar(figure, bar) for drum, figure in style.grooves[bar.level].items()}
    if style.build == "roll" and bar.section.kind != "intro" and "chorus" in ahead:
        rolling = {drum: figure for drum, figure in groove.items() if drum not in ("clap", "rim")}
        if bar.leads_to:
            return {**rolling, "kick": "X...X..." + 8 * ".", "snare": ROLL[1]}
        return {**rolling, "snare": ROLL[0]}
    if not bar.leads_to or bar.leads_to == "outro":
        return groove
    starts = min(figure.find(figure.strip(".")) for figure in style.fill.values())
    kept = {drum: figure[:starts].ljust(STEPS_PER_BAR, ".") for drum, figure in groove.items()}
    return {
        drum: _laid_over(style.fill.get(drum, ""), kept.get(drum, ""))
        for drum in sorted({*kept, *style.fill})
    }


def _laid_over(upper: str, lower: str) -> str:
    return "".join(
        above if above != "." else below
        for above, below in zip(
            upper.ljust(STEPS_PER_BAR, "."), lower.ljust(STEPS_PER_BAR, "."), strict=True
        )
    )


def _marks(figure: str, bar: Bar) -> Iterator[tuple[int, str]]:
    return ((onset, mark) for onset, mark in enumerate(_of_bar(figure, bar)) if mark != ".")


def _of_bar(figure: str, bar: Bar) -> str:
    """The sixteen steps of a figure that are this bar's turn."""
    turn = bar.number % (len(figure) // STEPS_PER_BAR)
    return figure[turn * STEPS_PER_BAR :][:STEPS_PER_BAR]


def _chord(chart: Chart, bar: Bar, style: Style) -> tuple[int, ...]:
    return chart.key.chord(bar.degree, style.colours.get(bar.degree, style.colour))
