"""Scaling against a sampling that is written pixel by pixel."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.filters import arrays
from studio.filters.arrays import SizeError

SIDE = st.integers(1, 17)


def cubic(distance: float) -> float:
    a, t = -0.75, abs(distance)
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a if t < 2 else 0.0


def sampled(line: Any, new: int, method: str) -> list[float]:
    """A line of pixels in another length."""
    old = len(line)
    made = []
    for number in range(new):
        at = (number + 0.5) * old / new - 0.5
        low = math.floor(at)
        if method == "area":
            made.append(line[number * old // new : math.ceil((number + 1) * old / new)].mean())
        elif method == "bilinear":
            at = min(max(at, 0), old - 1)
            made.append(np.interp(at, np.arange(old), line))
        else:
            taps = range(low - 1, low + 3)
            made.append(sum(cubic(at - tap) * line[min(max(tap, 0), old - 1)] for tap in taps))
    return made


@given(
    old=st.tuples(SIDE, SIDE),
    new=st.tuples(SIDE, SIDE),
    method=st.sampled_from(["bilinear", "bicubic", "area"]),
)
def test_scaled_picture_is_sampled_line_by_line(old, new, method):
    image = np.random.default_rng(1).random((2, *old, 3), np.float32)
    seen = arrays.scale(image, new[1], new[0], method)
    tall = np.apply_along_axis(sampled, 1, image, new[0], method)
    assert np.allclose(seen, np.apply_along_axis(sampled, 2, tall, new[1], method), atol=1e-4)


@given(old=SIDE, factor=st.integers(1, 5))
def test_nearest_pixel_of_a_whole_multiple_is_the_pixel_itself(old, factor):
    image = np.random.default_rng(1).random((1, old, 1, 3), np.float32)
    grown = arrays.scale(image, 1, old * factor, "nearest-exact")
    assert np.array_equal(grown, image.repeat(factor, 1))


@pytest.mark.parametrize(("old", "new", "pixel", "expected"), [(2, 41, 20, 0), (4, 47, 23, 1)])
def test_pixel_half_way_is_the_one_that_pytorch_takes(old, new, pixel, expected):
    line = np.arange(old, dtype=np.float32).repeat(3).reshape(1, 1, old, 3)
    assert arrays.scale(line, new, 1, "nearest-exact")[0, 0, pixel, 0] == expected


@given(old=st.tuples(SIDE, SIDE), new=st.tuples(SIDE, SIDE))
def test_center_has_the_proportions_asked_for_or_there_is_none(old, new):
    rows, columns = np.mgrid[: old[0], : old[1]] / 100
    image = np.stack([rows, columns, rows], -1)[None].astype(np.float32)
    try:
        seen = arrays.scale(image, new[1], new[0], "area", "center")
    except SizeError:
        return
    assert seen.shape == (1, *new, 3)
    for channel, size in ((0, old[0]), (1, old[1])):
        assert abs(seen[..., channel].mean() - (size - 1) / 200) < 0.0051


@pytest.mark.parametrize(
    ("made", "shape"),
    [
        (arrays.scale_by(np.zeros((1, 30, 20, 3)), "area", 0.5), (15, 10)),
        (arrays.scale_to_pixels(np.zeros((1, 30, 120, 3)), "area", 0.01), (51, 205)),
        (arrays.scale_to_longer_side(np.zeros((1, 30, 20, 3)), "area", 15), (15, 10)),
        (arrays.scale_to_sides(np.zeros((1, 30, 20, 3)), "area", 0, 15, "disabled"), (15, 10)),
        (arrays.scale_to_sides(np.zeros((1, 30, 20, 3)), "area", 0, 0, "disabled"), (30, 20)),
        (arrays.fit(np.zeros((1, 30, 20, 3)), 50, 50, "white", "area"), (50, 50)),
    ],
)
def test_size_follows_from_what_is_given(made, shape):
    assert made.shape[1:3] == shape


def test_picture_of_no_pixels_is_refused():
    image = np.zeros((1, 2, 200, 3), np.float32)
    with pytest.raises(SizeError, match="expected at least 1 a side"):
        arrays.scale_by(image, "area", 0.01)
    with pytest.raises(SizeError):
        arrays.scale_to_longer_side(image, "area", 0)
    with pytest.raises(SizeError):
        arrays.fit(image, 50, 50, "white", "bilinear")
