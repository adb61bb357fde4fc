from functools import cache

import numpy as np
import pytest

from studio.camera.film import paint
from studio.camera.moving import Moving, lay_moving
from studio.camera.palettes import choose_palette
from studio.camera.pictures import Planes
from studio.camera.scenes.compositions import list_scenes
from studio.trades import get_trades

SIZE = (90, 160)
FRAME = (108, 192)
ALL = (0.0, 0.0, 1.0)
MOMENTS = [0.31 * number for number in range(12)]


def grey(level: int = 90) -> Planes:
    planes = Planes.blank(FRAME)
    planes.data[:] = 128
    planes.luma[:] = level
    return planes


@cache
def pieces(scene: str, take: int) -> tuple[Moving, ...]:
    return paint(scene, take, choose_palette("pop", "a"), SIZE, "a").moving


def moved(scene: str, moment: float, free: np.ndarray | None = None, take: int = 0) -> Planes:
    planes = grey()
    every_row = np.ones(FRAME[1])
    lay_moving(
        planes, pieces(scene, take), ALL, moment, every_row if free is None else free, every_row
    )
    return planes


@pytest.mark.parametrize("trade", sorted(get_trades()))
def test_something_moves_in_every_scene_of_a_trade(trade):
    """Each of them has a part that moves, or dust in its light."""
    for number in (1, 2, 3):
        assert paint(f"{trade}-{number}", 0, choose_palette("pop", "a"), (54, 96), "a").moving


@pytest.mark.parametrize("scene", ["cafe-1", "gym-1", "plumbing-1", "flower-1", "karaoke-3"])
def test_what_moves_looks_different_later_and_the_same_at_the_same_moment(scene):
    seen = [moved(scene, moment).data for moment in MOMENTS]
    assert any(not np.array_equal(seen[0], later) for later in seen[1:])
    assert np.array_equal(seen[3], moved(scene, MOMENTS[3]).data)


@pytest.mark.parametrize("scene", sorted(list_scenes())[::7])
def test_what_moves_stays_within_the_levels_of_video_and_is_a_part_of_the_frame(scene):
    for moment in MOMENTS[::4]:
        planes = moved(scene, moment)
        assert planes.luma.min() >= 16
        assert planes.luma.max() <= 235
        assert np.mean(planes.luma != 90) < 0.75


def without_text() -> np.ndarray:
    free = np.ones(FRAME[1])
    free[60:140] = 0
    return free


@pytest.mark.parametrize("scene", ["cafe-1", "flower-1", "karaoke-3"])
def test_no_light_moves_where_text_is_read(scene):
    assert (moved(scene, 1.0, without_text()).luma[60:140] == 90).all()


@pytest.mark.parametrize("scene", ["gym-1", "kindergarten-1", "kindergarten-2"])
def test_things_that_swing_are_dark_behind_text(scene):
    assert moved(scene, 1.0, without_text()).luma[60:140].max() <= 90


def test_a_mirrored_take_moves_on_the_other_side():
    def heart(take: int) -> float:
        changed = np.abs(moved("hair-2", 0.4, take=take).luma.astype(int) - 90).sum(axis=0)
        return float((changed * np.arange(FRAME[0])).sum() / changed.sum())

    assert (heart(0) - FRAME[0] / 2) * (heart(1) - FRAME[0] / 2) < 0
