"""How the camera moves over a picture during a shot. Pure.

A square is where the camera looks, as shares of the picture: its left, its top, and its width, which is its height
too, for the picture has the frame's shape. Whatever moves, it stays inside the picture, with the subject in it.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from studio.camera.pictures import MARGIN, Box

# How near and how far the camera goes, as multiples of the frame's own size.
NEAR, FAR = 1.02, 1.17
# The most that a large subject makes the camera see of a picture: it keeps moving.
WIDEST = 0.94
HANDHELD_WAVES, FLOATING_WAVES = (1.9, 3.1), (0.16, 0.27)
ATTACK, DECAY = 0.09, 0.16
# How much is seen, in frame sizes, and where in the free room, across and down, each in [0, 1].
View = tuple[float, float, float]
Square = tuple[float, float, float]


@dataclass(frozen=True)
class Subject:
    """The part of a picture that has to be seen, in shares of its width and height."""

    left: float = 0.5
    top: float = 0.5
    right: float = 0.5
    bottom: float = 0.5


@dataclass(frozen=True)
class Manner:
    """How one kind of music is filmed.

    `pulse` is how much nearer the camera jumps every `pulse_beats`, `sway` how far it drifts about, both in shares
    of what it sees; `waves` are that drift's two frequencies in Hz.
    """

    moves: tuple[str, ...]
    pulse: float = 0.0
    pulse_beats: int = 4
    sway: float = 0.0
    waves: tuple[float, float] = FLOATING_WAVES


MANNERS = {
    "pop": Manner(("push", "pan", "pull", "drift"), pulse=0.022),
    "ballad": Manner(("push", "drift", "pull", "tilt"), sway=0.006),
    "edm": Manner(("push", "drift", "pull", "pan"), pulse=0.035, pulse_beats=2),
    "rock": Manner(("push", "pan", "drift", "pull", "tilt"), sway=0.0035, waves=HANDHELD_WAVES),
    "ambient": Manner(("pull", "drift", "push", "tilt"), sway=0.008),
    "trot": Manner(("pan", "push", "drift", "pull"), pulse=0.024, pulse_beats=2),
    "jazz": Manner(("drift", "push", "pan", "pull"), sway=0.005),
    "hiphop": Manner(("push", "drift", "tilt", "pull"), pulse=0.03),
    "bossa": Manner(("drift", "pan", "pull", "push"), sway=0.007),
    "acoustic": Manner(("pan", "pull", "drift", "push"), sway=0.003, waves=HANDHELD_WAVES),
}


def moves_for(manner: Manner, liked: Sequence[str], count: int, seed: str) -> list[str]:
    """`count` moves in turn, never one twice in a row: the manner's own, with what a place likes more often."""
    chance = random.Random(f"moves {seed}")  # noqa: S311
    names: list[str] = []
    for _ in range(count):
        rest = [name for name in (*manner.moves, *liked) if name not in names[-2:]]
        names.append(chance.choice(rest))
    return names


def views_of(move: str, chance: random.Random) -> tuple[View, View]:
    """A move's first and last view."""
    side, level = chance.choice((0.0, 1.0)), chance.choice((0.0, 1.0))
    near = (NEAR, chance.uniform(0.25, 0.75), chance.uniform(0.25, 0.75))
    far = (FAR, 0.5, 0.5)
    middle = (NEAR + FAR) / 2
    along = (middle, side, 0.5), (middle - 0.03, 1 - side, 0.5)
    up = (middle, 0.5, level), (middle - 0.03, 0.5, 1 - level)
    across = (NEAR + 0.05, side, level), (FAR - 0.04, 1 - side, 1 - level)
    return {"push": (far, near), "pull": (near, far), "pan": along, "tilt": up, "drift": across}[
        move
    ]


def eased(share: float) -> float:
    """A share of a move's way for a share of its time: it sets off and arrives gently."""
    return 0.35 * share + 0.65 * share * share * (3 - 2 * share)


def placed(view: View, subject: Subject) -> Square:
    """The view as a square that keeps the subject inside; it is wider where the subject needs that."""
    scale, across, down = view
    needed = max(subject.right - subject.left, subject.bottom - subject.top)
    width = max(scale / MARGIN, min(needed, WIDEST))
    return kept(((1 - width) * across, (1 - width) * down, width), subject)


def kept(square: Square, subject: Subject) -> Square:
    """The nearest square of that width that has the subject inside, and lies in the picture."""
    left, top, width = square
    width = min(1.0, width)
    return (
        _held(left, width, subject.left, subject.right),
        _held(top, width, subject.top, subject.bottom),
        width,
    )


def nearer(square: Square, share: float) -> Square:
    """The square made smaller by a share, its middle staying where it is."""
    left, top, width = square
    return left + width * share / 2, top + width * share / 2, width * (1 - share)


def punch(moment: float, period: float) -> float:
    """How far a pulse has gone, 0 to 1: it rises quickly to every multiple of `period`, and dies away after it."""
    since = moment % period
    rise = max(0.0, 1 - (period - since) / ATTACK)
    return max(rise * rise * (3 - 2 * rise), math.exp(-since / DECAY))


def swayed(moment: float, waves: tuple[float, float], phase: float) -> tuple[float, float]:
    """How far the camera is off its way, across and down, each in [-1, 1]."""
    slow, quick = (2 * math.pi * wave * moment for wave in waves)
    across = 0.7 * math.sin(slow + phase) + 0.3 * math.sin(quick + 2.1 * phase)
    return across, 0.7 * math.sin(0.83 * slow + 1.7 * phase) + 0.3 * math.cos(quick + phase)


def in_pixels(square: Square, canvas: tuple[int, int]) -> Box:
    """The square in pixels of a picture of that size: left, top, right, bottom."""
    left, top, width = square
    right, bottom = min(1.0, left + width), min(1.0, top + width)
    return left * canvas[0], top * canvas[1], right * canvas[0], bottom * canvas[1]


def _held(start: float, width: float, low: float, high: float) -> float:
    """`start`, moved as little as needed for [low, high] to lie in [start, start + width] inside [0, 1].

    Where that is too narrow, it has the middle of it.
    """
    first, last = high - width, low
    inside = min(max(start, first), last) if first <= last else (first + last) / 2
    return min(max(inside, 0.0), 1 - width)
