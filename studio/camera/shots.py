"""Which picture is seen when, how the camera moves over it, and how one shot gives way to the next. Pure.

Shots change on the beat where one is known, else where lines begin.
"""

import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from studio.camera.moving import Square, Subject
from studio.camera.pictures import MARGIN
from studio.content import STRICT, ContentError, cache_content, find_files, read_typed

FPS = 30
RUSH_DEPTH = 0.1
FLASH_LIGHT = 0.55
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
NEARBY = 1.2
# How near and how far the camera goes, as multiples of the frame's own size.
NEAR, FAR = 1.02, 1.17
# The most that a large subject makes the camera see of a picture: it keeps moving.
WIDEST = 0.94
ATTACK, DECAY = 0.09, 0.16
# How much is seen, in frame sizes, and where in the free room, across and down, each in [0, 1].
View = tuple[float, float, float]


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

    def get_kind(self, moment: float) -> str:
        """Return the kind of the section at a moment, or nothing."""
        for section in self.sections:
            if section.start - self.beat / 2 <= moment < section.end - self.beat / 2:
                return section.kind
        return ""

    def begins_section(self, moment: float) -> bool:
        """Return whether a section begins at a moment."""
        return any(abs(section.start - moment) < self.beat / 2 for section in self.sections)


@dataclass(frozen=True)
class Transition:
    """How a shot comes in: `kind` is cut, dissolve, dip (through black), flash or rush (the camera darts ahead).

    It takes `seconds`, half of them before the cut; a flash starts with the cut.
    """

    kind: str
    seconds: float = 0.0


CUT, FLASH, RUSH = Transition("cut"), Transition("flash", 0.30), Transition("rush", 0.36)
PLAIN = {each.kind: each for each in (CUT, FLASH, RUSH)}
TIMED = re.compile(r"(dissolve|dip) (\d(?:\.\d+)?)")
# A picture alone is not cut against itself, which looks like a fault: long moves melt into each other.
ALONE_SECONDS, ALONE = 4.5, Transition("dissolve", 1.0)


def _read_transition(written: object) -> Transition:
    timed = TIMED.fullmatch(str(written))
    if timed:
        return Transition(timed[1], float(timed[2]))
    if str(written) not in PLAIN:
        raise ValueError('"cut", "flash", "rush", "dissolve SECONDS" or "dip SECONDS"')
    return PLAIN[str(written)]


Written = Annotated[Transition, BeforeValidator(_read_transition)]
Transitions = Annotated[tuple[Written, ...], Field(min_length=1)]
Move = Literal["push", "pull", "pan", "tilt", "drift"]


@dataclass(frozen=True)
class Manner:
    """How one kind of music is filmed, as `data/filming.toml` says: moves, liked scenes, pace and transitions.

    `pulse` is how much nearer the camera jumps every `pulse_beats`, `sway` how far it drifts about, both in shares
    of what it sees; `waves` are that drift's two frequencies in Hz. A shot lasts so many bars, in loud sections
    and in the others. It comes in by a transition into a loud section, into another section, or within one.
    """

    __pydantic_config__ = STRICT

    # None of the last two moves comes again.
    moves: Annotated[tuple[Move, ...], Field(min_length=3)]
    scenes: Annotated[tuple[str, ...], Field(min_length=1)]
    loud_bars: Annotated[float, Field(gt=0)]
    quiet_bars: Annotated[float, Field(gt=0)]
    loud: Transitions
    section: Transitions
    within: Transitions
    pulse: float = 0.0
    pulse_beats: Annotated[int, Field(gt=0)] = 4
    sway: float = 0.0
    waves: tuple[float, float] = (0.16, 0.27)


@cache_content
def load_manners() -> Mapping[str, Manner]:
    """Return how every genre is filmed."""
    return read_typed(find_files("", ".toml")["filming"], dict[str, Manner])


def get_manner(genre: str) -> Manner:
    """Return how a genre is filmed; raise a ContentError where no file says so."""
    manner = load_manners().get(genre)
    if manner is None:
        raise ContentError(find_files("", ".toml")["filming"], 1, f"the genre {genre}", "none")
    return manner


@dataclass(frozen=True)
class Shot:
    """A picture's turn from `start` to `end`.

    The camera goes from one view to the other: a view is how much of the picture it sees (1 is the frame's
    own size, `MARGIN` all of it) and where in the free room it stands, across and down, each in [0, 1].
    `comes` and `goes` are the transitions at its ends. It pulses with `rhythm`, where there is one.
    """

    start: float
    end: float
    picture: int
    before: View
    after: View
    manner: Manner
    comes: Transition = CUT
    goes: Transition = CUT
    rhythm: Rhythm | None = None

    @property
    def seen_from(self) -> float:
        """When the first of it is seen."""
        return self.start - (self.comes.seconds / 2 if self.comes.kind == "dissolve" else 0)

    @property
    def seen_to(self) -> float:
        """When the last of it is seen."""
        return self.end + (self.goes.seconds / 2 if self.goes.kind == "dissolve" else 0)


@dataclass(frozen=True)
class Look:
    """What is on the screen at a moment: one shot or two with their shares, which add up to 1, and some light.

    `light` mixes in white, or black where it is negative.
    """

    seen: tuple[tuple[Shot, float], ...]
    light: float = 0.0


def plan_shots(
    seconds: float,
    moments: Sequence[float],
    pictures: int,
    seed: str,
    *,
    genre: str = "pop",
    rhythm: Rhythm | None = None,
    liked_moves: Sequence[str] = (),
    all_shown: bool = True,
) -> tuple[Shot, ...]:
    """Fill the time with shots, cut to the rhythm, or else at `moments` (rising); pictures take turns.

    `liked_moves` are those that suit the place, beside the genre's own. Shots are as short as is needed for all
    pictures to be shown, or not `all_shown`, which leaves the pace to the music. One picture alone gets long shots
    that dissolve into each other.
    """
    manner = get_manner(genre)
    beat = rhythm if rhythm and QUICKEST_BEAT <= rhythm.beat <= SLOWEST_BEAT else None
    wanted, shortest = (pictures if all_shown else 1), (ALONE_SECONDS if pictures == 1 else 0.0)
    if beat:
        cuts = _cut_on_beats(seconds, beat, manner, wanted, shortest)
    else:
        cuts = _cut_on_lines(seconds, moments, wanted, shortest)
    chance = random.Random(f"shots {seed}")  # noqa: S311
    inner = cuts[1:-1]
    between = [ALONE if pictures == 1 else _choose_join(cut, manner, beat, chance) for cut in inner]
    joins = [CUT, *between, CUT]
    chance_of_moves = random.Random(f"moves {seed}")  # noqa: S311
    shots: list[Shot] = []
    moves: list[str] = []
    for number, (start, end) in enumerate(pairwise(cuts)):
        rest = [move for move in (*manner.moves, *liked_moves) if move not in moves[-2:]]
        moves.append(chance_of_moves.choice(rest))
        before, after = _choose_views(moves[-1], chance)
        picture, comes, goes = number % pictures, joins[number], joins[number + 1]
        shots.append(Shot(start, end, picture, before, after, manner, comes, goes, beat))
    return tuple(shots)


def left_out(shots: Sequence[Shot], pictures: int, seconds: float) -> list[str]:
    """Write a sentence for the customer where not every picture has its turn, else nothing."""
    if pictures <= len(shots):
        return []
    return [f"only the first {len(shots)} of {pictures} pictures fit into {seconds:g} seconds"]


def look_at(shots: Sequence[Shot], moment: float) -> Look:
    """Return what is seen in the frame that is nearest to a moment of the film."""
    moment += 0.5 / FPS
    for number, shot in enumerate(shots):
        if number == len(shots) - 1 or moment < shot.seen_to:
            following = shots[number + 1] if number + 1 < len(shots) else shot
            if following is shot or moment < following.seen_from:
                return Look(((shot, 1.0),), _measure_light(shot, moment))
            share = (moment - following.seen_from) / following.comes.seconds
            return Look(((shot, 1 - share), (following, share)), 0.0)
    raise ValueError("a film has at least one shot")


def aim(shot: Shot, moment: float, subject: Subject) -> Square:
    """Return where the camera looks, in shares of the picture: inside it, with the subject in view."""
    length = shot.seen_to - shot.seen_from
    gone = min(1.0, max(0.0, (moment - shot.seen_from) / length))
    # It sets off and arrives gently.
    share = 0.35 * gone + 0.65 * gone * gone * (3 - 2 * gone)
    first, last = _place_view(shot.before, subject), _place_view(shot.after, subject)
    left, top, width = (a + (b - a) * share for a, b in zip(first, last, strict=True))
    square = _bring_nearer((left, top, width), _measure_rush(shot, moment))
    manner = shot.manner
    if shot.rhythm and manner.pulse:
        period = shot.rhythm.beat * manner.pulse_beats
        square = _bring_nearer(square, manner.pulse * _pulse(moment - shot.rhythm.first, period))
    across, down = _sway(moment, manner.waves, shot.start)
    swing = manner.sway * width
    return _keep_inside((square[0] + swing * across, square[1] + swing * down, square[2]), subject)


def _choose_views(move: str, chance: random.Random) -> tuple[View, View]:
    """Choose a move's first and last view."""
    side, level = chance.choice((0.0, 1.0)), chance.choice((0.0, 1.0))
    near = (NEAR, chance.uniform(0.25, 0.75), chance.uniform(0.25, 0.75))
    far = (FAR, 0.5, 0.5)
    middle = (NEAR + FAR) / 2
    along = (middle, side, 0.5), (middle - 0.03, 1 - side, 0.5)
    up = (middle, 0.5, level), (middle - 0.03, 0.5, 1 - level)
    across = (NEAR + 0.05, side, level), (FAR - 0.04, 1 - side, 1 - level)
    views = {"push": (far, near), "pull": (near, far), "pan": along, "tilt": up, "drift": across}
    return views[move]


def _place_view(view: View, subject: Subject) -> Square:
    """Place the view as a square that keeps the subject inside; it is wider where the subject needs that."""
    scale, across, down = view
    needed = max(subject.right - subject.left, subject.bottom - subject.top)
    width = max(scale / MARGIN, min(needed, WIDEST))
    return _keep_inside(((1 - width) * across, (1 - width) * down, width), subject)


def _keep_inside(square: Square, subject: Subject) -> Square:
    """Return the nearest square of that width that has the subject inside, and lies in the picture."""
    width = min(1.0, square[2])
    left = _hold(square[0], width, subject.left, subject.right)
    return left, _hold(square[1], width, subject.top, subject.bottom), width


def _bring_nearer(square: Square, share: float) -> Square:
    """Make the square smaller by a share; its middle stays where it is."""
    left, top, width = square
    return left + width * share / 2, top + width * share / 2, width * (1 - share)


def _pulse(moment: float, period: float) -> float:
    """Return how far a pulse has gone, 0 to 1: it rises quickly to every multiple of `period`, then dies away."""
    since = moment % period
    rise = max(0.0, 1 - (period - since) / ATTACK)
    return max(rise * rise * (3 - 2 * rise), math.exp(-since / DECAY))


def _sway(moment: float, waves: tuple[float, float], phase: float) -> tuple[float, float]:
    """Return how far the camera is off its way, across and down, each in [-1, 1]."""
    slow, quick = (2 * math.pi * wave * moment for wave in waves)
    across = 0.7 * math.sin(slow + phase) + 0.3 * math.sin(quick + 2.1 * phase)
    return across, 0.7 * math.sin(0.83 * slow + 1.7 * phase) + 0.3 * math.cos(quick + phase)


def _hold(start: float, width: float, low: float, high: float) -> float:
    """Move `start` as little as needed for the width after it to hold [low, high], or its middle, in [0, 1]."""
    first, last = high - width, low
    inside = min(max(start, first), last) if first <= last else (first + last) / 2
    return min(max(inside, 0.0), 1 - width)


def _measure_light(shot: Shot, moment: float) -> float:
    """Return the light: white just after a flash, black about a dip."""
    since, left = moment - shot.start, shot.end - moment
    if shot.comes.kind == "flash" and since < shot.comes.seconds:
        return FLASH_LIGHT * (1 - since / shot.comes.seconds) ** 2
    for side, transition in ((since, shot.comes), (left, shot.goes)):
        if transition.kind == "dip" and side < transition.seconds / 2:
            return max(0.0, side) * 2 / transition.seconds - 1
    return 0.0


def _measure_rush(shot: Shot, moment: float) -> float:
    """Return how much nearer the camera is because it darts out of this shot, or into it."""
    since, left = moment - shot.start, shot.end - moment
    depth = 0.0
    for side, transition in ((since, shot.comes), (left, shot.goes)):
        if transition.kind == "rush":
            near = min(1.0, max(0.0, 1 - 2 * side / transition.seconds))
            depth = max(depth, RUSH_DEPTH * near * near)
    return depth


def _choose_join(
    cut: float, manner: Manner, rhythm: Rhythm | None, chance: random.Random
) -> Transition:
    """Choose the transition into the shot that begins at a cut."""
    if rhythm is None or not rhythm.begins_section(cut):
        return chance.choice(manner.within)
    return chance.choice(manner.loud if rhythm.get_kind(cut) in LOUD else manner.section)


def _cut_on_beats(
    seconds: float, rhythm: Rhythm, manner: Manner, pictures: int, shortest: float
) -> list[float]:
    """Return where shots start and the last one ends: on beats, those that begin sections and bars first.

    Shots get shorter, and care less for sections and bars, until every picture has its turn, or no shot can be
    shorter than `shortest` and `SHORTEST_ON_BEAT`.
    """
    least = max(shortest, SHORTEST_ON_BEAT)
    longest, paces = manner.quiet_bars * BEATS_PER_BAR * rhythm.beat, [1.0]
    while paces[-1] * longest >= least:
        paces.append(paces[-1] * HASTE)
    cuts: list[float] = []
    for haste, worth in (*((pace, 0.0) for pace in paces), *((paces[-1], more) for more in WORTH)):
        cuts = _find_cheapest(seconds, rhythm, manner, (haste, worth, least))
        if len(cuts) > pictures:
            break
    return cuts


def _cut_on_lines(
    seconds: float, moments: Sequence[float], pictures: int, shortest: float
) -> list[float]:
    """Return where shots start and the last one ends: soon enough for every picture, and on a moment that is near.

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
        near = [each for each in moments if earliest <= each <= latest]
        nearest = min(near, key=lambda moment: abs(moment - wished), default=wished)
        cuts.append(nearest if abs(nearest - wished) <= NEARBY else wished)


def _find_cheapest(
    seconds: float, rhythm: Rhythm, manner: Manner, wish: tuple[float, float, float]
) -> list[float]:
    """Find the cuts of the smallest cost, from the end of the film backwards.

    Shots are wished for by a share of the manner's pace, what one more is worth, and the fewest seconds of each.
    """
    haste, worth, least = wish
    moments = [0.0, *_list_beats(seconds, rhythm), seconds]
    last = len(moments) - 1
    costs = [0.0] * (last + 1)
    following = [last] * (last + 1)
    # For each moment, what the sections that begin before it would cost if none had a cut.
    skipped = [0.0]
    for moment in moments[:-1]:
        skipped.append(skipped[-1] + OFF_SECTION * rhythm.begins_section(moment))
    for here in range(last - 1, -1, -1):
        is_loud = rhythm.get_kind(moments[here]) in LOUD
        long = (manner.loud_bars if is_loud else manner.quiet_bars) * haste
        wished = max(least, long * BEATS_PER_BAR * rhythm.beat)
        choices = []
        for there in range(here + 1, last + 1):
            length = moments[there] - moments[here]
            if there < last and length > LONGEST_ON_BEAT:
                break
            if length < least:
                continue
            if length > wished:
                strangeness = DRAGS * (length / wished - 1) ** 2
            else:
                strangeness = HURRIES * (wished / length - 1) ** 2
            cost = strangeness + skipped[there] - skipped[here + 1] - worth
            if there < last:
                bars = (moments[there] - rhythm.first) / (rhythm.beat * BEATS_PER_BAR)
                cost += costs[there] + OFF_BAR * (abs(bars - round(bars)) >= 0.01)
            choices.append((cost, there))
        costs[here], following[here] = min(choices, default=(1e9, last))
    place, cuts = 0, [moments[0]]
    while place < last:
        place = following[place]
        cuts.append(moments[place])
    return cuts


def _list_beats(seconds: float, rhythm: Rhythm) -> Iterator[float]:
    number = -int(rhythm.first // rhythm.beat)
    while (moment := rhythm.first + number * rhythm.beat) < seconds - 1e-6:
        if moment > 1e-6:
            yield moment
        number += 1
