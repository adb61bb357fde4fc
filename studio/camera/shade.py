"""The ground behind text made dark enough, no more: evenly or towards an edge, coming and going softly. Pure."""

from collections.abc import Sequence

import numpy as np

from studio.camera.areas import TextArea

# The ground is dark before its text comes, and stays so until a text that follows soon has come.
COMES, GOES = 0.5, 0.7
# How far the dark reaches over an area, as shares of the frame's shorter side: fully, and fading out.
AROUND, FADING = 0.012, 0.32
Patch = tuple[TextArea, float]


def presence(area: TextArea, moment: float) -> float:
    """How much of its darkness an area has at a moment: all of it as long as its text is there."""
    coming = (moment - area.start) / COMES + 1
    going = (area.end - moment) / GOES + 1
    return float(_smooth(np.clip(min(coming, going), 0, 1)))


def kept_light(patches: Sequence[Patch], frame: tuple[int, int]) -> np.ndarray:
    """The share of light, [0, 1], that every row keeps where these shares are taken at the areas' heights.

    The greatest counts where they overlap. Dark on to an edge looks like dusk; were it to end before, like a band.
    """
    even = max((share for area, share in patches if area.edge is None), default=0.0)
    taken = np.full(frame[1], even)
    for area, share in patches:
        # What is taken everywhere counts, and only the rest has a slope: a greatest of both would have a crease.
        np.maximum(taken, even + max(0.0, share - even) * _spread(area, frame), out=taken)
    return 1 - taken


def _spread(area: TextArea, frame: tuple[int, int]) -> np.ndarray:
    """1 at the area's heights and from there to its edge, smoothly down to 0 on the other side."""
    around, fading = AROUND * min(frame), FADING * min(frame)
    middles = np.arange(frame[1]) + 0.5
    away = middles - area.bottom if area.edge == "top" else area.top - middles
    return _smooth(1 - np.clip((away - around) / fading, 0, 1))


def _smooth(share: np.ndarray) -> np.ndarray:
    return np.asarray(share * share * (3 - 2 * share))
