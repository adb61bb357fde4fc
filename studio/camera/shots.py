"""Which picture is seen when, how the camera moves over it, and how one shot gives way to the next. Pure."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from studio.camera.cutting import PACES, Rhythm, cuts_on_beats, cuts_on_lines
from studio.camera.motion import (
    MANNERS,
    Manner,
    Square,
    Subject,
    View,
    eased,
    kept,
    moves_for,
    nearer,
    placed,
    punch,
    swayed,
    views_of,
)
from studio.camera.transitions import CUT, FLASH_LIGHT, Transition, join

FPS = 30
RUSH_DEPTH = 0.1
# A picture alone is not cut against itself, which looks like a fault: long moves melt into each other.
ALONE_SECONDS, ALONE = 4.5, Transition("dissolve", 1.0)


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
    comes: Transition = CUT
    goes: Transition = CUT
    manner: Manner = MANNERS["pop"]
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
    """Shots that fill the time, cut to the rhythm, or else at `moments` (rising); pictures take turns.

    `liked_moves` are those that suit the place, beside the genre's own. Shots are as short as is needed for all
    pictures to be shown, or not `all_shown`, which leaves the pace to the music. One picture alone gets long shots
    that dissolve into each other.
    """
    beat = rhythm if rhythm and rhythm.clear else None
    wanted, shortest = (pictures if all_shown else 1), (ALONE_SECONDS if pictures == 1 else 0.0)
    cuts = (
        cuts_on_beats(seconds, beat, PACES[genre], wanted, shortest)
        if beat
        else cuts_on_lines(seconds, moments, wanted, shortest)
    )
    chance = random.Random(f"shots {seed}")  # noqa: S311
    moves = moves_for(MANNERS[genre], liked_moves, len(cuts) - 1, seed)
    joins = [ALONE if pictures == 1 else _join(cut, genre, beat, chance) for cut in cuts[1:-1]]
    joins = [CUT, *joins, CUT]
    shots = []
    for number, (start, end) in enumerate(pairwise(cuts)):
        before, after = views_of(moves[number], chance)
        picture, comes, goes = number % pictures, joins[number], joins[number + 1]
        shots.append(Shot(start, end, picture, before, after, comes, goes, MANNERS[genre], beat))
    return tuple(shots)


def left_out(shots: Sequence[Shot], pictures: int, seconds: float) -> list[str]:
    """A sentence for the customer where not every picture has its turn, else nothing."""
    if pictures <= len(shots):
        return []
    return [f"only the first {len(shots)} of {pictures} pictures fit into {seconds:g} seconds"]


def look_at(shots: Sequence[Shot], moment: float) -> Look:
    """What is seen in the frame that is nearest to a moment of the film."""
    moment += 0.5 / FPS
    for number, shot in enumerate(shots):
        if number == len(shots) - 1 or moment < shot.seen_to:
            following = shots[number + 1] if number + 1 < len(shots) else shot
            if following is shot or moment < following.seen_from:
                return Look(((shot, 1.0),), _light(shot, moment))
            share = (moment - following.seen_from) / following.comes.seconds
            return Look(((shot, 1 - share), (following, share)), 0.0)
    raise ValueError("a film has at least one shot")


def square_at(shot: Shot, moment: float, subject: Subject) -> Square:
    """Where the camera looks, in shares of the picture: inside it, with the subject in view."""
    length = shot.seen_to - shot.seen_from
    share = eased(min(1.0, max(0.0, (moment - shot.seen_from) / length)))
    first, last = placed(shot.before, subject), placed(shot.after, subject)
    left, top, width = (a + (b - a) * share for a, b in zip(first, last, strict=True))
    square = nearer((left, top, width), _rush(shot, moment))
    if shot.rhythm and shot.manner.pulse:
        period = shot.rhythm.beat * shot.manner.pulse_beats
        square = nearer(square, shot.manner.pulse * punch(moment - shot.rhythm.first, period))
    across, down = swayed(moment, shot.manner.waves, shot.start)
    sway = shot.manner.sway * width
    return kept((square[0] + sway * across, square[1] + sway * down, square[2]), subject)


def _join(cut: float, genre: str, rhythm: Rhythm | None, chance: random.Random) -> Transition:
    if rhythm is None:
        return join(genre, "", False, chance)
    begins = any(abs(section.start - cut) < rhythm.beat / 2 for section in rhythm.sections)
    return join(genre, rhythm.kind_at(cut), begins, chance)


def _light(shot: Shot, moment: float) -> float:
    """White just after a flash, black about a dip."""
    since, left = moment - shot.start, shot.end - moment
    if shot.comes.kind == "flash" and since < shot.comes.seconds:
        return FLASH_LIGHT * (1 - since / shot.comes.seconds) ** 2
    for side, transition in ((since, shot.comes), (left, shot.goes)):
        if transition.kind == "dip" and side < transition.seconds / 2:
            return max(0.0, side) * 2 / transition.seconds - 1
    return 0.0


def _rush(shot: Shot, moment: float) -> float:
    """How much nearer the camera is because it darts out of this shot, or into it."""
    since, left = moment - shot.start, shot.end - moment
    depth = 0.0
    for side, transition in ((since, shot.comes), (left, shot.goes)):
        if transition.kind == "rush":
            near = min(1.0, max(0.0, 1 - 2 * side / transition.seconds))
            depth = max(depth, RUSH_DEPTH * near * near)
    return depth
