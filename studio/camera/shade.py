"""Grounds of one colour laid over frames behind text; what lies outside them stays as it is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from studio.camera.areas import TextArea
from studio.camera.grounds import BLOCK, FORMS, Span, shape_of, span_of
from studio.camera.palettes import Colour
from studio.camera.pictures import VIDEO, Planes

# How soft frosted glass is, in blocks of a frame whose shorter side is 1080.
FROST = 2.2
KEPT_SHAPES = 4
Masks = tuple[Image.Image, Image.Image]


@dataclass(frozen=True)
class Patch:
    """An area's ground at a moment: how far it has come, and how much light it takes, both in [0, 1]."""

    area: TextArea
    presence: float
    taken: float


def presence(area: TextArea, moment: float) -> float:
    """How much of its ground an area has at a moment: all of it in every frame that has its text."""
    form = FORMS[area.ground]
    coming = (moment - area.start) / form.comes + 1
    going = (area.end + form.stays - moment) / form.goes
    share = min(1.0, max(0.0, min(coming, going)))
    return share * share * (3 - 2 * share)


class Shade:
    """Lays grounds of a colour over frames of a size."""

    def __init__(self, frame: tuple[int, int], ink: Colour) -> None:
        self._frame = frame
        self._ink = _in_video(ink)
        self._shape = lru_cache(KEPT_SHAPES)(self._drawn)
        self._masks = lru_cache(KEPT_SHAPES)(self._lit)

    def lay(self, planes: Planes, patches: Sequence[Patch]) -> None:
        """The frame has these grounds. Where they meet, the greater counts: they do not add up."""
        for patch in patches:
            if patch.area.ground == "panel":
                self._frost(planes, patch)
        for group in _groups([(patch, span_of(patch.area, self._frame)) for patch in patches]):
            self._tint(planes, group)

    def _frost(self, planes: Planes, patch: Patch) -> None:
        """Blur what lies under a panel."""
        masks = self._masks(patch.area, round(255 * patch.presence))
        softness = FROST * min(self._frame) / 1080
        for plane, box, divided in _parts(planes, span_of(patch.area, self._frame)):
            clear = Image.fromarray(plane[box])
            few = clear.reduce(BLOCK // divided).filter(ImageFilter.GaussianBlur(softness))
            clear.paste(few.resize(clear.size, Image.Resampling.BILINEAR), mask=masks[divided - 1])
            plane[box] = np.asarray(clear)

    def _tint(self, planes: Planes, group: Sequence[tuple[Patch, Span]]) -> None:
        """Mix the ink into what lies under these patches."""
        span = _around([span for _, span in group])
        masks = self._together(group, span)
        for (plane, box, divided), tone in zip(_parts(planes, span), self._ink, strict=True):
            part = Image.fromarray(plane[box])
            part.paste(tone, mask=masks[divided - 1], box=(0, 0))
            plane[box] = np.asarray(part)

    def _together(self, group: Sequence[tuple[Patch, Span]], within: Span) -> Masks:
        """The masks, in the span, of all patches of a group."""
        lit = [self._masks(patch.area, round(255 * patch.taken)) for patch, _ in group]
        if len(group) == 1:
            return lit[0]
        placed = [_placed(masks, span, within) for masks, (_, span) in zip(lit, group, strict=True)]
        whole, half = (reduce(ImageChops.lighter, sized) for sized in zip(*placed, strict=True))
        return whole, half

    def _drawn(self, area: TextArea) -> Masks:
        whole = Image.fromarray(shape_of(area, self._frame))
        return whole, whole.reduce(2)

    def _lit(self, area: TextArea, level: int) -> Masks:
        levels = [(level * part + 127) // 255 for part in range(256)]
        whole, half = self._shape(area)
        return whole.point(levels), half.point(levels)


def _groups(patches: Sequence[tuple[Patch, Span]]) -> list[list[tuple[Patch, Span]]]:
    """The patches in groups, of which none meets another."""
    groups: list[list[tuple[Patch, Span]]] = []
    for patch, span in patches:
        met = [group for group in groups if any(_meet(span, other) for _, other in group)]
        groups = [group for group in groups if group not in met]
        groups.append([(patch, span), *(other for group in met for other in group)])
    return groups


def _meet(one: Span, other: Span) -> bool:
    return all(one[side] < other[side + 2] and other[side] < one[side + 2] for side in (0, 1))


def _around(spans: Sequence[Span]) -> Span:
    lefts, tops, rights, bottoms = zip(*spans, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _placed(masks: Masks, span: Span, within: Span) -> Masks:
    """Masks of a span as masks of a larger one."""
    placed = []
    for mask, divided in zip(masks, (1, 2), strict=True):
        size = (within[2] - within[0]) // divided, (within[3] - within[1]) // divided
        larger = Image.new("L", size)
        larger.paste(mask, ((span[0] - within[0]) // divided, (span[1] - within[1]) // divided))
        placed.append(larger)
    return placed[0], placed[1]


def _parts(planes: Planes, span: Span) -> Iterator[tuple[np.ndarray, tuple[slice, slice], int]]:
    """Luma, blue and red differences, with where the span lies in them, and how many pixels make one of theirs."""
    left, top, right, bottom = span
    blue, red = np.split(planes.chroma, 2)
    yield planes.luma, (slice(top, bottom), slice(left, right)), 1
    for plane in (blue, red):
        yield plane, (slice(top // 2, bottom // 2), slice(left // 2, right // 2)), 2


def _in_video(colour: Colour) -> tuple[int, ...]:
    rows = (VIDEO[0:4], VIDEO[4:8], VIDEO[8:12])
    return tuple(
        round(sum(part * share for part, share in zip((*colour, 1), row, strict=True)))
        for row in rows
    )
