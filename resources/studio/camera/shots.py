"""Which picture is seen when, and how the camera moves over it. Pure."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from resources.studio.camera.pictures import MARGIN, Box

FPS = 30
SHOT_SECONDS = 4.4
SHORTEST_SHOT = 2.6
NEAR = 1.2
CROSS_FADE = 0.5
TIGHT = 1.02


@dataclass(frozen=True)
class Shot:
    """A picture's turn from `start` to `end`, the middles of its cross-fades.

    The camera goes from one view to the other: a view is how much of the picture it sees (1 is the frame's
    own size, `MARGIN` all of it) and where in the free room it stands, across and down, each in [0, 1].
    """

    start: float
    end: float
    picture: int
    before: tuple[float, float, float]
    after: tuple[float, float, float]


def plan_shots(
    seconds: float, moments: Sequence[float], pictures: int, seed: str
) -> tuple[Shot, ...]:
    """Shots that fill the time, cut at `moments` (rising) where those lie well; pictures take turns."""
    chance = random.Random(f"shots {seed}")  # noqa: S311
    cuts = _cuts(seconds, moments, pictures)
    shots = []
    for number, (start, end) in enumerate(pairwise(cuts)):
        near, far = (TIGHT, chance.random(), chance.random()), (MARGIN, 0.5, 0.5)
        before, after = (far, near) if number % 2 == 0 else (near, far)
        shots.append(Shot(start, end, number % pictures, before, after))
    return tuple(shots)


def left_out(shots: Sequence[Shot], pictures: int, seconds: float) -> list[str]:
    """A sentence for the customer where not every picture has its turn, else nothing."""
    if pictures <= len(shots):
        return []
    return [f"only the first {len(shots)} of {pictures} pictures fit into {seconds:g} seconds"]


def _cuts(seconds: float, moments: Sequence[float], pictures: int) -> list[float]:
    """Where shots change: soon enough that every picture has its turn, and on a moment that is near."""
    cuts = [0.0]
    while True:
        rest, coming = seconds - cuts[-1], max(1, pictures - len(cuts))
        turn = min(SHOT_SECONDS, max(SHORTEST_SHOT, rest / (coming + 1)))
        if rest < turn + SHORTEST_SHOT:
            return [*cuts, seconds]
        wished = cuts[-1] + turn
        earliest, latest = cuts[-1] + SHORTEST_SHOT, seconds - coming * SHORTEST_SHOT
        near = [
            moment
            for moment in moments
            if earliest <= moment <= latest and abs(moment - wished) <= NEAR
        ]
        cuts.append(_nearest(near, wished))


def _nearest(moments: Sequence[float], wished: float) -> float:
    return min(moments, key=lambda moment: abs(moment - wished), default=wished)


def seen_at(shots: Sequence[Shot], moment: float) -> list[tuple[Shot, float]]:
    """The shots seen at a moment, one or two, with the share of each; the shares add up to 1."""
    for number, shot in enumerate(shots):
        fading = moment - (shot.end - CROSS_FADE / 2)
        if number == len(shots) - 1 or fading < 0:
            return [(shot, 1.0)]
        if fading < CROSS_FADE:
            return [(shot, 1 - fading / CROSS_FADE), (shots[number + 1], fading / CROSS_FADE)]
    return []


def box_at(shot: Shot, moment: float, canvas: tuple[int, int], frame: tuple[int, int]) -> Box:
    """The part of the picture that the camera sees, in picture pixels."""
    first, last = shot.start - CROSS_FADE / 2, shot.end + CROSS_FADE / 2
    share = min(1.0, max(0.0, (moment - first) / (last - first)))
    scale, across, down = (
        a + (b - a) * share for a, b in zip(shot.before, shot.after, strict=True)
    )
    width, height = min(frame[0] * scale, canvas[0]), min(frame[1] * scale, canvas[1])
    left, top = (canvas[0] - width) * across, (canvas[1] - height) * down
    return left, top, min(left + width, canvas[0]), min(top + height, canvas[1])
