"""The beat grid of a song: how many bars fill its time exactly, and what each bar is for. Pure."""

from dataclasses import dataclass

from resources.studio.genres import Genre

BEATS_PER_BAR = 4
STEPS_PER_BEAT = 4
FEWEST_BARS = 5


@dataclass(frozen=True)
class Section:
    """Some bars in a row with one purpose: intro, verse, chorus, break or outro."""

    kind: str
    first_bar: int
    bars: int

    @property
    def sung(self) -> bool:
        """Whether lyric lines lie in it."""
        return self.kind in ("verse", "chorus")


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
    def sung_beats(self) -> tuple[int, ...]:
        """The numbers of the beats in sung bars, rising."""
        return tuple(
            beat
            for section in self.sections
            if section.sung
            for beat in range(
                section.first_bar * BEATS_PER_BAR,
                (section.first_bar + section.bars) * BEATS_PER_BAR,
            )
        )


def grid_for(genre: Genre, seconds: float) -> Grid:
    """The grid of a song of this genre that lasts `seconds`."""
    bars = max(FEWEST_BARS, round(seconds * genre.tempo / 60 / BEATS_PER_BAR))
    return Grid(seconds=seconds, bars=bars, sections=sections_of(bars))


def sections_of(bars: int) -> tuple[Section, ...]:
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
    return _placed(plan)


def _shares(total: int, parts: int) -> list[int]:
    """`total` in `parts` nearly equal whole numbers, the larger ones last."""
    return [(total * (part + 1)) // parts - (total * part) // parts for part in range(parts)]


def _placed(plan: list[tuple[str, int]]) -> tuple[Section, ...]:
    sections: list[Section] = []
    first = 0
    for kind, length in plan:
        if length:
            sections.append(Section(kind, first, length))
        first += length
    return tuple(sections)
