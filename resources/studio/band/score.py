"""Which notes the band plays: chords, bass, accompaniment and a lead that carries the lyric's rhythm. Pure."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from resources.studio.form import BEATS_PER_BAR, STEPS_PER_BEAT, Grid, Section
from resources.studio.genres import Genre
from resources.studio.syllables import weight
from resources.studio.timeline import Line

MAJOR = (0, 2, 4, 5, 7, 9, 11)
MINOR = (0, 2, 3, 5, 7, 8, 10)
TONICS = range(55, 63)
STEPS_PER_BAR = BEATS_PER_BAR * STEPS_PER_BEAT
PHRASES = (0, 1, 0, 2)
RIFF = (0, 3, 6, 8, 12)


@dataclass(frozen=True)
class Note:
    """One note: `pitch` is a MIDI number, `strength` in (0, 1], times in seconds."""

    start: float
    seconds: float
    pitch: int
    strength: float


@dataclass(frozen=True)
class Hit:
    """One stroke on a drum."""

    start: float
    drum: str
    strength: float


@dataclass(frozen=True)
class Score:
    """Everything that is played, by part."""

    lead: tuple[Note, ...]
    chords: tuple[Note, ...]
    comping: tuple[Note, ...]
    bass: tuple[Note, ...]
    drums: tuple[Hit, ...]


@dataclass(frozen=True)
class Bar:
    """One bar's place in the song and its chord, as a scale degree."""

    start: float
    section: Section
    number: int
    degree: int

    @property
    def last(self) -> bool:
        """Whether the section ends with it."""
        return self.number == self.section.bars - 1


class Key:
    """A scale on a tonic: turns degrees into pitches."""

    def __init__(self, tonic: int, minor: bool) -> None:
        self.tonic = tonic
        self.scale = MINOR if minor else MAJOR

    def pitch(self, degree: int) -> int:
        """The MIDI number of a scale degree, 0 being the tonic."""
        octave, step = divmod(degree, len(self.scale))
        return self.tonic + 12 * octave + self.scale[step]

    def chord(self, degree: int) -> tuple[int, ...]:
        """The triad on a degree, its notes folded into the octave from five below the tonic."""
        floor = self.tonic - 5
        return tuple(
            sorted(floor + (self.pitch(degree + third) - floor) % 12 for third in (0, 2, 4))
        )


def compose(genre: Genre, grid: Grid, lines: Sequence[Line], seed: str) -> Score:
    """The whole score; the same arguments give the same notes."""
    chance = random.Random(f"score {seed}")  # noqa: S311
    key = Key(chance.choice(TONICS), genre.minor)
    bars = _bars(genre, grid, chance)
    step = grid.beat / STEPS_PER_BEAT
    contours = {kind: _contours(chance, high) for kind, high in (("verse", 2), ("chorus", 5))}
    lead = [*_sung(lines, bars, key, contours, grid), *_riffs(bars, key, contours["chorus"], step)]
    return Score(
        lead=tuple(sorted(lead, key=lambda note: note.start)),
        chords=tuple(note for bar in bars for note in _pad(bar, key, grid)),
        comping=tuple(note for bar in bars for note in _comping(bar, key, genre, step)),
        bass=tuple(note for bar in bars for note in _bass(bar, key, genre, step)),
        drums=tuple(hit for bar in bars for hit in _drums(bar, genre, step)),
    )


def _bars(genre: Genre, grid: Grid, chance: random.Random) -> list[Bar]:
    verse, chorus = chance.choice(genre.verses), chance.choice(genre.choruses)
    length = grid.beat * BEATS_PER_BAR
    bars = []
    for section in grid.sections:
        chords = chorus if section.kind in ("chorus", "intro") else verse
        for number in range(section.bars):
            final = section.kind == "outro" and number == section.bars - 1
            degree = 0 if final else chords[number % len(chords)]
            bars.append(Bar((section.first_bar + number) * length, section, number, degree))
    return bars


def _contours(chance: random.Random, high: int) -> list[list[int]]:
    """Three short melodies as scale degrees, wandering by small steps around `high`."""
    contours = []
    for _ in range(3):
        degree, contour = high, []
        for _ in range(8):
            contour.append(degree)
            degree += chance.choice((-2, -1, -1, 0, 1, 1, 2))
            degree = max(high - 4, min(high + 4, degree))
        contours.append(contour)
    return contours


def _sung(
    lines: Sequence[Line],
    bars: Sequence[Bar],
    key: Key,
    contours: dict[str, list[list[int]]],
    grid: Grid,
) -> Iterator[Note]:
    """One note per syllable; strong beats and line ends are drawn to the chord."""
    length = grid.beat * BEATS_PER_BAR
    for line in lines:
        moment, number = line.start, 0
        section = bars[int(line.start / length + 1e-3)]
        contour = contours[section.section.kind][PHRASES[section.number % len(PHRASES)]]
        for chunk in line.chunks:
            syllables = weight(chunk.text)
            for _ in range(syllables):
                bar = bars[min(len(bars) - 1, int(moment / length + 1e-3))]
                last = chunk is line.chunks[-1]
                strong = last or abs(moment / grid.beat - round(moment / grid.beat)) < 0.01
                pitch = key.pitch(contour[number % len(contour)])
                pitch = _nearest(pitch, key.chord(bar.degree)) if strong else pitch
                yield Note(moment, chunk.seconds / syllables, pitch + 12, 0.9 if strong else 0.75)
                moment += chunk.seconds / syllables
                number += 1


def _nearest(pitch: int, chord: Sequence[int]) -> int:
    """The note of the chord, in any octave, that is closest to `pitch`."""
    return min(
        (tone + 12 * octave for tone in chord for octave in (-1, 0, 1, 2)),
        key=lambda tone: abs(tone - pitch),
    )


def _riffs(bars: Sequence[Bar], key: Key, contours: list[list[int]], step: float) -> Iterator[Note]:
    """The chorus melody as a short call where nobody sings."""
    for bar in bars:
        if bar.section.sung or (bar.section.kind == "outro" and bar.last):
            continue
        contour = contours[PHRASES[bar.number % len(PHRASES)]]
        for number, onset in enumerate(RIFF):
            pitch = key.pitch(contour[number])
            pitch = _nearest(pitch, key.chord(bar.degree)) if onset % STEPS_PER_BEAT == 0 else pitch
            yield Note(bar.start + onset * step, 3 * step, pitch + 12, 0.7)


def _pad(bar: Bar, key: Key, grid: Grid) -> Iterator[Note]:
    strength = {"verse": 0.75, "chorus": 1.0}.get(bar.section.kind, 0.85)
    for pitch in key.chord(bar.degree):
        yield Note(bar.start, grid.beat * BEATS_PER_BAR, pitch, strength)


def _comping(bar: Bar, key: Key, genre: Genre, step: float) -> Iterator[Note]:
    """Broken chords in verses, struck ones in choruses."""
    chord = key.chord(bar.degree)
    if bar.section.kind == "outro" and bar.last:
        for number, pitch in enumerate((*chord, chord[0] + 12)):
            yield Note(bar.start + number * 0.03, 12 * step, pitch, 0.8)
        return
    for number, onset in enumerate(genre.comping):
        late = genre.swing * step if onset % 4 == 2 else 0.0
        if bar.section.kind == "chorus":
            for pitch in chord:
                yield Note(bar.start + onset * step + late, 3 * step, pitch + 12, 0.5)
        else:
            pitch = (*chord, chord[0] + 12)[number % 4]
            yield Note(bar.start + onset * step + late, 4 * step, pitch + 12, 0.6)


def _bass(bar: Bar, key: Key, genre: Genre, step: float) -> Iterator[Note]:
    root = 36 + (key.pitch(bar.degree) - 36) % 12
    if bar.section.kind == "outro" and bar.last:
        yield Note(bar.start, 12 * step, root, 1.0)
    elif bar.section.kind not in ("intro", "break"):
        for onset, following in zip(genre.bass, (*genre.bass[1:], STEPS_PER_BAR), strict=True):
            pitch = root + 12 if onset == 14 and bar.last else root
            yield Note(bar.start + onset * step, (following - onset) * step * 0.92, pitch, 0.9)


def _drums(bar: Bar, genre: Genre, step: float) -> Iterator[Hit]:
    """The genre's beat: light in intro and verse, a crash on a section's start, a fill at its end."""
    kind = bar.section.kind
    if (bar.number == 0 and kind in ("chorus", "outro")) or (kind == "outro" and bar.last):
        yield Hit(bar.start, "crash", 0.9)
    if kind == "outro" and bar.last:
        yield Hit(bar.start, "kick", 1.0)
        return
    silent = {
        "intro": ("kick", "open"),
        "break": ("kick", "hat", "clap", "snare"),
        "verse": ("open",),
    }
    for drum, onsets in genre.drums.items():
        if drum in silent.get(kind, ()):
            continue
        for onset in onsets:
            late = genre.swing * step if onset % 4 == 2 else 0.0
            yield Hit(bar.start + onset * step + late, drum, 1.0 if onset % 4 == 0 else 0.65)
    if bar.last and kind in ("verse", "break", "intro"):
        drum = next(name for name in ("snare", "clap", "rim", "shaker") if name in genre.drums)
        for number, onset in enumerate((12, 13, 14, 15)):
            yield Hit(bar.start + onset * step, drum, 0.4 + 0.15 * number)
