"""Which notes the band plays, and the score as a MIDI file. Pure.

Source of the file: MIDI 1.0 specification, "Standard MIDI Files 1.0" (RP-001), and the General MIDI drum map.
"""

import math
import random
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TypeVar

from studio.band.melody import Bar, Chart, Hit, Note, Range, compose_lead, compose_melody
from studio.genres import Style
from studio.timeline import BEATS_PER_BAR, STEPS_PER_BEAT, Grid, Line

LATE_SECONDS = 0.004
SOFTER = 0.15
Played = TypeVar("Played", Note, Hit)
STEPS_PER_BAR = BEATS_PER_BAR * STEPS_PER_BEAT
LOWEST_BASS = 33
RING = 0.92
LAST_CHORD_BEATS = 3
REST = "." * STEPS_PER_BAR
ROLL = "x...x...x...x...", "x.x.x.x.xxxxXXXX"
DRUM_STRENGTHS = {"X": 1.0, "x": 0.72, "-": 0.4}
FORCES = (0.75, 0.75, 0.88, 1.0)
"""How hard bass and drums are played at each level of fullness."""
STRUM_SECONDS = 0.013
"""From one string of a strum to the next."""
STRINGS = {"d": (5, 1), "u": (4, -1)}
"""How many notes a strum has, and which way it goes."""
BASS_STEPS = {"t": 2, "f": 4, "s": 5}
TICKS_PER_BEAT = 480
DRUM_CHANNEL = 9
HIT_SECONDS = 0.1
STRONGEST = 127
TEMPO, TRACK_NAME, LYRIC, METER, END = 0x51, 0x03, 0x05, 0x58, 0x2F
DRUM_NOTES = {
    "kick": 36, "boom": 35, "snare": 38, "clap": 39, "rim": 37, "hat": 42, "open": 46, "crash": 49,
    "shaker": 82, "tambourine": 54, "tom": 47, "low_tom": 43,
}  # fmt: skip
"""The drums that General MIDI has; the others are left out."""
Event = tuple[float, int, bytes]
"""What happens at a moment in seconds; of what happens at once the lower rank comes first."""
RELEASED, SAID, STRUCK = 0, 1, 2


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
    """Compose the whole score, its melody within `reach`; the same arguments give the same notes.

    Chords, bass and drums are played by hand: a little late and a little softer, each time otherwise.
    """
    chart = Chart(style, grid, random.Random(f"score {seed}"))  # noqa: S311
    sung = compose_melody(chart, lines, reach, seed)
    touch = random.Random(f"touch {seed}")  # noqa: S311
    return Score(
        melody=sung,
        lead=_release(compose_lead(chart, lines, sung, reach, seed)),
        chords=_release(_humanize(arrange_pads(chart, style), touch)),
        comping=_release(_humanize(arrange_comping(chart, style), touch)),
        bass=_release(_humanize(arrange_bass(chart, style), touch)),
        drums=_humanize(arrange_drums(chart, style), touch),
    )


def _humanize(played: Iterable[Played], touch: random.Random) -> tuple[Played, ...]:
    human = [
        replace(
            one,
            start=one.start + LATE_SECONDS * touch.random(),
            strength=one.strength * (1 - SOFTER * touch.random()),
        )
        for one in played
    ]
    return tuple(sorted(human, key=lambda one: one.start))


def _release(notes: Sequence[Note]) -> tuple[Note, ...]:
    """Return the notes, each ending at the latest when the same pitch is struck again."""
    struck: dict[int, float] = {}
    kept = []
    for note in reversed(notes):
        length = min(note.seconds, struck.get(note.pitch, math.inf) - note.start)
        struck[note.pitch] = note.start
        kept.append(replace(note, seconds=length))
    return tuple(reversed(kept))


def arrange_pads(chart: Chart, style: Style) -> Iterator[Note]:
    """Hold the chord of every bar as long as the bar, where the style has a pad."""
    for bar in chart.bars:
        strength = style.pads[bar.level]
        for pitch in _build_chord(chart, bar, style) if strength else ():
            yield Note(bar.start, chart.grid.bar, pitch + style.pad_octave, strength)


def arrange_comping(chart: Chart, style: Style) -> Iterator[Note]:
    """Strike, strum and break chords by the style's figures; the last bar is one chord, rolled."""
    step = chart.grid.beat / STEPS_PER_BEAT
    for bar in chart.bars:
        chord = [pitch + style.comping_octave for pitch in _build_chord(chart, bar, style)]
        tones = (*chord, chord[0] + 12, *(pitch + 12 for pitch in chord[1:]))
        if bar.final:
            for number, pitch in enumerate(tones[: len(chord) + 1]):
                length = LAST_CHORD_BEATS * chart.grid.beat
                yield Note(bar.start + 0.03 * number, length, pitch, 0.8)
            continue
        for onset, mark in _list_marks(style.comping[bar.level], bar):
            accent = 0.8 if onset % STEPS_PER_BEAT == 0 else 0.66
            start = bar.start + chart.grid.to_seconds(onset)
            length = style.comping_lengths[bar.level] * step
            for pitch, late in _spread_mark(mark, chord, tones):
                yield Note(start + late, length - late, pitch, accent)


def _spread_mark(
    mark: str, chord: list[int], tones: tuple[int, ...]
) -> Iterator[tuple[int, float]]:
    """Yield the pitches of one mark, each with the seconds that it comes late."""
    if mark in STRINGS:
        count, way = STRINGS[mark]
        strings = tones[:count] if way > 0 else tones[1 : count + 1]
        yield from ((pitch, STRUM_SECONDS * n) for n, pitch in enumerate(strings[::way]))
    else:
        yield from ((pitch, 0.0) for pitch in (chord if mark == "*" else [tones[int(mark)]]))


def arrange_bass(chart: Chart, style: Style) -> Iterator[Note]:
    """Play single notes by the style's figures, each until the next; they may lead to the next root."""
    for bar, following in zip_longest(chart.bars, chart.bars[1:]):
        root = _find_root(chart, bar)
        if bar.final:
            yield Note(bar.start, LAST_CHORD_BEATS * chart.grid.beat, root, 1.0)
            continue
        ahead = _find_root(chart, following) if following else root
        marks = list(_list_marks(style.bass[bar.level], bar))
        ends = [onset for onset, _ in (*marks, (STEPS_PER_BAR, ""))][1:]
        for (onset, mark), end in zip(marks, ends, strict=True):
            start, until = chart.grid.to_seconds(onset), chart.grid.to_seconds(end)
            pitch = _find_bass_pitch(mark, chart, bar, (root, ahead))
            strength = FORCES[bar.level] * (1.0 if onset % STEPS_PER_BEAT == 0 else 0.86)
            yield Note(bar.start + start, (until - start) * RING, pitch, strength)


def _find_root(chart: Chart, bar: Bar) -> int:
    return LOWEST_BASS + (chart.key.get_pitch(bar.degree) - LOWEST_BASS) % 12


def _find_bass_pitch(mark: str, chart: Chart, bar: Bar, roots: tuple[int, int]) -> int:
    """Return the pitch of a mark over the bar's root; `roots` are this bar's and the next one's."""
    root, ahead = roots
    if mark == "a":
        return ahead + (1 if ahead < root or ahead == LOWEST_BASS else -1)
    if mark in BASS_STEPS:
        return root + (chart.key.get_over(bar.degree, BASS_STEPS[mark]) - root) % 12
    return root + (12 if mark == "o" else 0)


def arrange_drums(chart: Chart, style: Style) -> Iterator[Hit]:
    """Play the style's beat, a crash where something begins, and a fill or a roll before a chorus."""
    for place, bar in enumerate(chart.bars):
        if bar.final:
            yield from (Hit(bar.start, drum, 0.9) for drum in ("kick", "crash"))
            continue
        if bar.number == 0 and bar.section.kind in ("chorus", "outro", "bridge"):
            yield Hit(bar.start, "crash", 1.0 if bar.section.kind == "chorus" else 0.6)
        if bar.number == 0 and bar.section.kind == "chorus" and style.build == "roll":
            yield Hit(bar.start, "boom", 1.0)
        ahead = [later.leads_to for later in chart.bars[place : place + 2]]
        for drum, figure in _choose_groove(bar, ahead, style).items():
            for onset, mark in _list_marks(figure, bar):
                strength = FORCES[bar.level] * DRUM_STRENGTHS[mark]
                start = bar.start + chart.grid.to_seconds(onset) + style.late.get(drum, 0.0)
                yield Hit(start, drum, strength)
        if bar.leads_to == "chorus" and style.build == "roll":
            yield Hit(bar.start, "riser", 1.0)


def _choose_groove(bar: Bar, ahead: list[str], style: Style) -> Mapping[str, str]:
    """Return the bar's beat, or a fill before another section, or two bars of roll before a chorus."""
    groove = {drum: _cut_bar(figure, bar) for drum, figure in style.grooves[bar.level].items()}
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
        drum: "".join(
            above if above != "." else below
            for above, below in zip(style.fill.get(drum, REST), kept.get(drum, REST), strict=True)
        )
        for drum in sorted({*kept, *style.fill})
    }


def _list_marks(figure: str, bar: Bar) -> Iterator[tuple[int, str]]:
    return ((onset, mark) for onset, mark in enumerate(_cut_bar(figure, bar)) if mark != ".")


def _cut_bar(figure: str, bar: Bar) -> str:
    """Return the sixteen steps of a figure that are this bar's turn."""
    turn = bar.number % (len(figure) // STEPS_PER_BAR)
    return figure[turn * STEPS_PER_BAR :][:STEPS_PER_BAR]


def _build_chord(chart: Chart, bar: Bar, style: Style) -> tuple[int, ...]:
    return chart.key.build_chord(bar.degree, style.colours.get(bar.degree, style.colour))


def build_midi(
    score: Score, grid: Grid, programs: Mapping[str, int], lines: Sequence[Line] = ()
) -> bytes:
    """Return a file of type 1: a tempo track, then a named track for every part, drums on channel 10.

    `programs` are the General MIDI programs of melody, lead, pad, comping and bass. With the lines, the melody has
    a lyric event for every chunk. Times are right within half a tick.
    """
    opening = [
        _encode_meta(0.0, TRACK_NAME, b"tempo"),
        _encode_meta(0.0, METER, bytes([BEATS_PER_BAR, 2, 24, 8])),
        _encode_meta(0.0, TEMPO, round(grid.beat * 1_000_000).to_bytes(3, "big")),
    ]
    tracks = [_build_track(opening, grid)]
    parts = (score.melody, score.lead, score.chords, score.comping, score.bass)
    names = ("melody", "lead", "pad", "comping", "bass")
    for channel, (name, notes) in enumerate(zip(names, parts, strict=True)):
        events = [_encode_meta(0.0, TRACK_NAME, name.encode())]
        events.append((0.0, SAID, bytes([0xC0 | channel, programs[name]])))
        for line in lines if name == "melody" else ():
            for moment, chunk in zip(line.starts(), line.chunks, strict=True):
                events.append(_encode_meta(moment, LYRIC, chunk.text.encode(errors="replace")))
        tracks.append(_build_track([*events, *_list_events(notes, channel)], grid))
    strokes = (
        Note(hit.start, HIT_SECONDS, DRUM_NOTES[hit.drum], hit.strength)
        for hit in score.drums
        if hit.drum in DRUM_NOTES
    )
    drums = [_encode_meta(0.0, TRACK_NAME, b"drums"), *_list_events(strokes, DRUM_CHANNEL)]
    tracks.append(_build_track(drums, grid))
    header = struct.pack(">4sIHHH", b"MThd", 6, 1, len(tracks), TICKS_PER_BEAT)
    return header + b"".join(tracks)


def _list_events(notes: Iterable[Note], channel: int) -> Iterator[Event]:
    for note in notes:
        strength = max(1, min(STRONGEST, round(note.strength * STRONGEST)))
        yield note.start, STRUCK, bytes([0x90 | channel, note.pitch, strength])
        yield note.start + note.seconds, RELEASED, bytes([0x80 | channel, note.pitch, 0])


def _encode_meta(moment: float, kind: int, data: bytes) -> Event:
    return moment, SAID, bytes([0xFF, kind]) + _encode_length(len(data)) + data


def _build_track(events: Iterable[Event], grid: Grid) -> bytes:
    """Encode the events in order, each after the ticks since the one before."""
    timed = [(round(at / grid.beat * TICKS_PER_BEAT), rank, data) for at, rank, data in events]
    body, now = bytearray(), 0
    for tick, _, data in sorted(timed, key=lambda event: event[:2]):
        body += _encode_length(tick - now) + data
        now = tick
    body += _encode_length(0) + bytes([0xFF, END, 0])
    return struct.pack(">4sI", b"MTrk", len(body)) + bytes(body)


def _encode_length(number: int) -> bytes:
    """Encode a number in groups of seven bits, the highest first; all but the last are marked."""
    groups = [number & 0x7F]
    while number := number >> 7:
        groups.append(0x80 | number & 0x7F)
    return bytes(reversed(groups))
