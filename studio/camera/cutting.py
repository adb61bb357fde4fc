"""When shots change: on the beat where one is known, else where lines begin. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# A film that is longer is made of more scenes.
LONG_SECONDS = 40.0
BEATS_PER_BAR = 4
# Beats outside these seconds are too slow or too quick to cut to.
QUICKEST_BEAT, SLOWEST_BEAT = 0.2, 2.0
# What the planner pays: for a cut off the bar, for a section that begins without one, for a shot twice as long as
# wished, and for one half as long.
OFF_BAR, OFF_SECTION, DRAGS, HURRIES = 0.35, 8.0, 4.0, 0.6
LOUD = ("chorus",)
SHOT_SECONDS = 4.4
SHORTEST_SHOT = 2.6
SHORTEST_ON_BEAT, LONGEST_ON_BEAT = 1.7, 9.0
HASTE = 0.85
# What a shot more is worth, beside the costs above, while pictures are missing even at the quickest pace.
WORTH = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0)
NEAR = 1.2


@dataclass(frozen=True)
class Section:
    """A part of the song, in seconds of the film: intro, verse, chorus, bridge, break or outro."""

    kind: str
    start: float
    end: float


@dataclass(frozen=True)
class Rhythm:
    """Where the beats lie: every `beat` seconds, the first of a bar at `first`; and the song's sections."""

    beat: float
    first: float = 0.0
    sections: tuple[Section, ...] = ()

    @property
    def clear(self) -> bool:
        """Whether one can cut to it."""
        return QUICKEST_BEAT <= self.beat <= SLOWEST_BEAT

    def kind_at(self, moment: float) -> str:
        """The kind of the section at a moment, or nothing."""
        for section in self.sections:
            if section.start - self.beat / 2 <= moment < section.end - self.beat / 2:
                return section.kind
        return ""


@dataclass(frozen=True)
class Pace:
    """How many bars a shot lasts, in loud sections and in the others."""

    loud: float
    quiet: float


@dataclass(frozen=True)
class _Wish:
    """How shots are wished for: their pace, a share of it, what one more is worth, the fewest seconds of each."""

    pace: Pace
    haste: float
    worth: float
    least: float


PACES = {
    "pop": Pace(1, 2),
    "ballad": Pace(1, 1.5),
    "edm": Pace(1, 1.5),
    "rock": Pace(1, 1.5),
    "ambient": Pace(1.5, 2),
    "trot": Pace(1, 2),
    "jazz": Pace(1.5, 2),
    "hiphop": Pace(1, 1.5),
    "bossa": Pace(1, 1.5),
    "acoustic": Pace(1, 2),
}


def cuts_on_beats(
    seconds: float, rhythm: Rhythm, pace: Pace, pictures: int, shortest: float = 0.0
) -> list[float]:
    """Where shots start and the last one ends: on beats, those that begin sections and bars first.

    Shots get shorter, and care less for sections and bars, until every picture has its turn, or no shot can be
    shorter than `shortest` and `SHORTEST_ON_BEAT`.
    """
    least = max(shortest, SHORTEST_ON_BEAT)
    cuts: list[float] = []
    for haste, worth in _urgencies(pace.quiet * BEATS_PER_BAR * rhythm.beat, least):
        cuts = _cheapest(seconds, rhythm, _Wish(pace, haste, worth, least))
        if len(cuts) > pictures:
            break
    return cuts


def cuts_on_lines(
    seconds: float, moments: Sequence[float], pictures: int, shortest: float = 0.0
) -> list[float]:
    """Where shots start and the last one ends: soon enough for every picture, and on a moment that is near.

    No shot is shorter than `shortest` and `SHORTEST_SHOT`, but in a film that is.
    """
    least = max(shortest, SHORTEST_SHOT)
    cuts = [0.0]
    while True:
        rest, coming = seconds - cuts[-1], max(1, pictures - len(cuts))
        turn = max(least, min(SHOT_SECONDS, rest / (coming + 1)))
        if rest < turn + least:
            return [*cuts, seconds]
        wished = cuts[-1] + turn
        earliest, latest = cuts[-1] + least, seconds - coming * least
        near = [
            moment
            for moment in moments
            if earliest <= moment <= latest and abs(moment - wished) <= NEAR
        ]
        cuts.append(min(near, key=lambda moment: abs(moment - wished), default=wished))


def _urgencies(longest: float, least: float) -> Iterator[tuple[float, float]]:
    """Haste and the worth of a shot, from the music's own pace to as many shots as there can be."""
    haste = 1.0
    yield haste, 0.0
    while haste * longest >= least:
        haste *= HASTE
        yield haste, 0.0
    yield from ((haste, worth) for worth in WORTH)


def _cheapest(seconds: float, rhythm: Rhythm, wish: _Wish) -> list[float]:
    """The cuts of the smallest cost, found from the end of the film backwards."""
    moments = [0.0, *_beats(seconds, rhythm), seconds]
    last = len(moments) - 1
    costs = [0.0] * (last + 1)
    following = [last] * (last + 1)
    skipped = _skipped(moments, rhythm)
    for here in range(last - 1, -1, -1):
        wished = _wished(moments[here], rhythm, wish)
        choices = []
        for there in range(here + 1, last + 1):
            length = moments[there] - moments[here]
            if there < last and length > LONGEST_ON_BEAT:
                break
            if length < wish.least:
                continue
            cost = _strangeness(length, wished) + skipped[there] - skipped[here + 1] - wish.worth
            if there < last:
                cost += costs[there] + OFF_BAR * (not _on_bar(moments[there], rhythm))
            choices.append((cost, there))
        costs[here], following[here] = min(choices, default=(1e9, last))
    return _path(moments, following)


def _path(moments: Sequence[float], following: Sequence[int]) -> list[float]:
    here, cuts = 0, [moments[0]]
    while here < len(moments) - 1:
        here = following[here]
        cuts.append(moments[here])
    return cuts


def _beats(seconds: float, rhythm: Rhythm) -> Iterator[float]:
    number = -int(rhythm.first // rhythm.beat)
    while (moment := rhythm.first + number * rhythm.beat) < seconds - 1e-6:
        if moment > 1e-6:
            yield moment
        number += 1


def _on_bar(moment: float, rhythm: Rhythm) -> bool:
    bars = (moment - rhythm.first) / (rhythm.beat * BEATS_PER_BAR)
    return abs(bars - round(bars)) < 0.01


def _skipped(moments: Sequence[float], rhythm: Rhythm) -> list[float]:
    """For each moment, what the sections that begin before it would cost if none had a cut."""
    starts = [section.start for section in rhythm.sections]
    sums = [0.0]
    for moment in moments[:-1]:
        begins = any(abs(moment - start) < rhythm.beat / 2 for start in starts)
        sums.append(sums[-1] + OFF_SECTION * begins)
    return sums


def _wished(moment: float, rhythm: Rhythm, wish: _Wish) -> float:
    loud = rhythm.kind_at(moment) in LOUD
    bars = (wish.pace.loud if loud else wish.pace.quiet) * wish.haste
    return max(wish.least, bars * BEATS_PER_BAR * rhythm.beat)


def _strangeness(length: float, wished: float) -> float:
    if length > wished:
        return DRAGS * (length / wished - 1) ** 2
    return HURRIES * (wished / length - 1) ** 2
