"""A song's key and the chord of every bar. Pure."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from studio.band.style import Style
from studio.form import Grid, Section

MAJOR = (0, 2, 4, 5, 7, 9, 11)
MINOR = (0, 2, 3, 5, 7, 8, 10)
ALL = range(7)
THIRD = 2
TONICS = range(55, 63)
QUIET_BARS = 2
"""How many of an intro's bars are the thinnest."""
ROUNDING = 1e-3
LEVELS = {"intro": 0, "verse": 1, "bridge": 1, "chorus": 3, "outro": 2}


class Key:
    """A scale on a tonic: turns degrees into pitches.

    Chords on the degrees of `dominants` have a major third; `sung` are the degrees that melodies have.
    """

    def __init__(
        self,
        tonic: int,
        minor: bool,
        *,
        dominants: Sequence[int] = (),
        sung: Sequence[int] = ALL,
    ) -> None:
        self.tonic = tonic
        self.scale = MINOR if minor else MAJOR
        self._dominants = dominants
        self._sung = sung

    def pitch(self, degree: int) -> int:
        """The MIDI number of a scale degree, 0 being the tonic."""
        octave, step = divmod(degree, len(self.scale))
        return self.tonic + 12 * octave + self.scale[step]

    def chord(self, degree: int, colour: Sequence[int] = (0, 2, 4)) -> tuple[int, ...]:
        """The chord on a degree of these steps over it, folded into the octave from five below the tonic."""
        floor = self.tonic - 5
        return tuple(sorted(floor + (self.over(degree, third) - floor) % 12 for third in colour))

    def over(self, degree: int, step: int) -> int:
        """The pitch so many steps over a degree, in the chord that stands on it."""
        raised = degree % 7 in self._dominants and step % 7 == THIRD
        return self.pitch(degree + step) + raised

    def ladder(self, low: int, high: int) -> tuple[int, ...]:
        """The scale's pitches from `low` to `high`."""
        steps = {(self.tonic + self.scale[degree]) % 12 for degree in self._sung}
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
        self.key = Key(tonic, style.minor, dominants=style.dominants, sung=style.sung)
        self.grid = grid
        self.bars = _bars(style, grid, chance)

    def bar_at(self, moment: float) -> Bar:
        """The bar that a moment lies in; one that was rounded down a little belongs to the bar it means."""
        number = int(moment / self.grid.bar + ROUNDING)
        return self.bars[min(len(self.bars) - 1, number)]

    def strong(self, moment: float) -> bool:
        """Whether it is the first or the third beat of a bar."""
        halves = 2 * moment / self.grid.bar
        return abs(halves - round(halves)) < ROUNDING

    def triad(self, moment: float) -> tuple[int, ...]:
        """The pitch classes of the chord at a moment, the root first."""
        degree = self.bar_at(moment).degree
        return tuple(self.key.over(degree, third) % 12 for third in (0, 2, 4))


def _bars(style: Style, grid: Grid, chance: random.Random) -> list[Bar]:
    """All bars of the song: each kind of section has a progression of its own, and the end is the tonic's."""
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
