"""What chords, bass and drums play in every bar. Pure."""

from collections.abc import Iterator, Mapping

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


def pads(chart: Chart, style: Style) -> Iterator[Note]:
    """The chord of every bar as long as the bar, where the style has a pad."""
    for bar in chart.bars:
        strength = style.pads[bar.level]
        for pitch in _chord(chart, bar, style) if strength else ():
            yield Note(bar.start, chart.grid.bar, pitch + style.pad_octave, strength)


def comping(chart: Chart, style: Style) -> Iterator[Note]:
    """Struck and broken chords by the style's figures; the last bar is one chord, rolled."""
    step = chart.grid.beat / STEPS_PER_BEAT
    for bar in chart.bars:
        chord = [pitch + style.comping_octave for pitch in _chord(chart, bar, style)]
        tones = (*chord, chord[0] + 12, *(pitch + 12 for pitch in chord[1:]))
        if bar.final:
            for number, pitch in enumerate(tones[: len(chord) + 1]):
                length = LAST_CHORD_BEATS * chart.grid.beat
                yield Note(bar.start + 0.03 * number, length, pitch, 0.8)
            continue
        for onset, mark in _marks(style.comping[bar.level]):
            struck = chord if mark == "*" else [tones[int(mark)]]
            for pitch in struck:
                accent = 0.8 if onset % STEPS_PER_BEAT == 0 else 0.66
                start = bar.start + onset * step
                yield Note(start, style.comping_lengths[bar.level] * step, pitch, accent)


def bass(chart: Chart, style: Style) -> Iterator[Note]:
    """Roots, octaves and fifths by the style's figures, each until the next one."""
    step = chart.grid.beat / STEPS_PER_BEAT
    for bar in chart.bars:
        root = LOWEST_BASS + (chart.key.pitch(bar.degree) - LOWEST_BASS) % 12
        if bar.final:
            yield Note(bar.start, LAST_CHORD_BEATS * chart.grid.beat, root, 1.0)
            continue
        marks = list(_marks(style.bass[bar.level]))
        ends = [onset for onset, _ in (*marks, (STEPS_PER_BAR, ""))][1:]
        for (onset, mark), end in zip(marks, ends, strict=True):
            pitch = root + {"r": 0, "o": 12, "f": 7}[mark]
            strength = FORCES[bar.level] * (1.0 if onset % STEPS_PER_BEAT == 0 else 0.86)
            yield Note(bar.start + onset * step, (end - onset) * step * RING, pitch, strength)


def drums(chart: Chart, style: Style) -> Iterator[Hit]:
    """The style's beat, a crash where something begins, and a fill or a rising roll before a chorus."""
    step = chart.grid.beat / STEPS_PER_BEAT
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
            for onset, mark in _marks(figure):
                strength = FORCES[bar.level] * DRUM_STRENGTHS[mark]
                yield Hit(bar.start + onset * step, drum, strength)
        if bar.leads_to == "chorus" and style.build == "roll":
            yield Hit(bar.start, "riser", 1.0)


def _groove(bar: Bar, ahead: list[str], style: Style) -> Mapping[str, str]:
    """The bar's beat; before another section it gives way to a fill or, for two bars, to a roll."""
    groove = style.grooves[bar.level]
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


def _marks(figure: str) -> Iterator[tuple[int, str]]:
    return ((onset, mark) for onset, mark in enumerate(figure) if mark != ".")


def _chord(chart: Chart, bar: Bar, style: Style) -> tuple[int, ...]:
    return chart.key.chord(bar.degree, style.colour)
