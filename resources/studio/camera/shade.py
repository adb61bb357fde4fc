"""The ground behind text made dark enough, no more: a soft band that comes and goes softly. Pure."""

from collections.abc import Sequence

import numpy as np

from resources.studio.camera.areas import TextArea

# The ground is dark before its text comes, and stays so until a text that follows soon has come.
COMES, GOES = 0.3, 0.6
# How far the dark reaches over an area, as shares of the frame's shorter side: fully, and fading out.
AROUND, FADING = 0.012, 0.3
# Text near the top or the bottom has the dark go on to that edge of the frame, where this much of it is left.
NEAR_TOP, NEAR_BOTTOM, AT_EDGE = 0.3, 0.5, 0.4
Patch = tuple[TextArea, float]


def presence(area: TextArea, moment: float) -> float:
    """How much of its darkness an area has at a moment: all of it as long as its text is there."""
    coming = (moment - area.start) / COMES + 1
    going = (area.end - moment) / GOES + 1
    return float(_smooth(np.clip(min(coming, going), 0, 1)))


def kept_light(patches: Sequence[Patch], frame: tuple[int, int]) -> np.ndarray:
    """The share of light, [0, 1], that every row keeps where these shares are taken at the areas' heights.

    The greatest counts where they overlap. Dark from side to side looks like dusk, and a box like a box.
    """
    taken = np.zeros(frame[1])
    for area, share in patches:
        np.maximum(taken, share * _band(area, frame), out=taken)
    return 1 - taken


def _band(area: TextArea, frame: tuple[int, int]) -> np.ndarray:
    """1 from the area's top to its bottom and a little further, then smoothly down."""
    height, around, fading = frame[1], AROUND * min(frame), FADING * min(frame)
    middles = np.arange(height) + 0.5
    above, below = area.top - around - middles, middles - area.bottom - around
    over = _fade(above / fading, 0.0)
    under = _fade(below / fading, 0.0)
    if area.bottom < NEAR_TOP * height:
        over = _fade(above / max(1.0, area.top), AT_EDGE)
    elif area.top > NEAR_BOTTOM * height:
        under = _fade(below / max(1.0, height - area.bottom), AT_EDGE)
    return np.minimum(over, under)


def _fade(way: np.ndarray, end: float) -> np.ndarray:
    """From 1 at the start of a way smoothly to `end` at its end."""
    return end + (1 - end) * _smooth(1 - np.clip(way, 0, 1))


def _smooth(share: np.ndarray) -> np.ndarray:
    return np.asarray(share * share * (3 - 2 * share))
