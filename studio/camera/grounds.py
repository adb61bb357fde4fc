"""The shapes of the grounds behind text: where each lies, and how much of it there is at every pixel. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from studio.camera.areas import Box, Ground, TextArea

# Rows whose sides differ by less than so many radii of their corners get plates of one width.
NEARLY = 2.0
# Spans begin and end at multiples of so many pixels, for colour is kept in larger ones than light.
BLOCK = 8
Span = tuple[int, int, int, int]


@dataclass(frozen=True)
class Form:
    """The shape of a ground: lengths are shares of the frame's shorter side.

    It reaches `across` and `down` beyond the text, and has corners of `radius`. At least `least` of the light is
    taken. It comes in `comes` seconds before its text, and goes in `goes` seconds, until `stays` after its text.
    """

    across: float = 0.0
    down: float = 0.0
    radius: float = 0.0
    least: float = 0.0
    comes: float = 0.1
    goes: float = 0.02
    stays: float = 0.0


FORMS: dict[Ground, Form] = {
    "panel": Form(
        across=0.042, down=0.03, radius=0.042, least=0.56, comes=0.25, goes=0.2, stays=0.2
    ),
    "plate": Form(across=0.014, down=0.003, radius=0.02, least=0.62),
    "none": Form(),
}


def span_of(area: TextArea, frame: tuple[int, int]) -> Span:
    """The pixels of the frame that the ground of an area may reach: left, top, right and bottom."""
    form, unit = FORMS[area.ground], min(frame)
    across, down = (unit * reach for reach in (form.across, form.down))
    sides = [np.array(side) for side in zip(*area.boxes, strict=True)]
    left, top = sides[0].min() - across, sides[1].min() - down
    right, bottom = sides[2].max() + across, sides[3].max() + down
    return (
        max(0, int(left // BLOCK) * BLOCK),
        max(0, int(top // BLOCK) * BLOCK),
        min(frame[0], -int(-right // BLOCK) * BLOCK),
        min(frame[1], -int(-bottom // BLOCK) * BLOCK),
    )


def shape_of(area: TextArea, frame: tuple[int, int]) -> np.ndarray:
    """How much of the ground there is at every pixel of its span: (height, width) uint8, all of it behind text."""
    form, unit = FORMS[area.ground], min(frame)
    left, top, right, bottom = span_of(area, frame)
    x, y = (np.arange(*ends, dtype=np.float32) + 0.5 for ends in ((left, right), (top, bottom)))
    radius = form.radius * unit
    away = np.full((bottom - top, right - left), np.inf, np.float32)
    for core in _cores(area.boxes, (form.across * unit, form.down * unit), radius):
        np.minimum(away, _distance(x, y, core), out=away)
    return (255 * np.clip(radius + 0.5 - away, 0, 1) + 0.5).astype(np.uint8)


def _cores(boxes: Sequence[Box], reach: tuple[float, float], radius: float) -> Iterator[Box]:
    """What lies at least a radius inside of the boxes of rows and what they reach beyond them.

    Rows join: a narrower one is extended into its neighbour, so that only outer corners are round.
    """
    wide = _evened(boxes, NEARLY * radius)
    for number, (left, top, right, bottom) in enumerate(wide):
        sides = [top - reach[1] + radius, bottom + reach[1] - radius]
        for side, other in ((0, number - 1), (1, number + 1)):
            if 0 <= other < len(wide) and wide[other][2] - wide[other][0] >= right - left:
                sides[side] = (wide[other][1] + wide[other][3]) / 2
        yield left - reach[0] + radius, sides[0], right + reach[0] - radius, sides[1]


def _evened(boxes: Sequence[Box], nearly: float) -> list[Box]:
    """The boxes of rows, each as wide as a neighbour that is only a little wider."""
    even = list(boxes)
    for _ in boxes:
        for number, (one, other) in enumerate(pairwise(even)):
            if abs(one[0] - other[0]) < nearly:
                left, right = min(one[0], other[0]), max(one[2], other[2])
                even[number : number + 2] = [(left, box[1], right, box[3]) for box in (one, other)]
    return even


def _distance(x: np.ndarray, y: np.ndarray, box: Box) -> np.ndarray:
    """How far pixels lie from a box, 0 inside."""
    left, top, right, bottom = box
    across = np.maximum(0, np.maximum(left - x, x - right))
    down = np.maximum(0, np.maximum(top - y, y - bottom))
    return np.asarray(np.hypot(across[None, :], down[:, None]), np.float32)
