from functools import cache

import numpy as np
import pytest
from PIL import Image, ImageChops

from studio.camera.film import PICTURES, paint
from studio.camera.palettes import choose_palette, load_palettes
from studio.camera.scenes.compositions import list_scenes
from studio.trades import get_trades

UPRIGHT, WIDE = (130, 230), (230, 130)
# Compositions share their parts: a part of them shows what holds of all.
SOME = [*sorted(PICTURES), *sorted(list_scenes())[::5]]


@cache
def painted(
    scene: str, take: int = 0, size: tuple[int, int] = UPRIGHT, genre: str = "pop"
) -> Image.Image:
    return paint(scene, take, choose_palette(genre, "a"), size, "a").picture


@pytest.mark.parametrize("scene", sorted([*PICTURES, *list_scenes()]))
def test_every_scene_fills_its_frame_and_is_no_plain_colour(scene):
    picture = painted(scene, size=(54, 96))
    assert (picture.size, picture.mode) == ((54, 96), "RGB")
    assert np.asarray(picture.convert("L")).std() > 5


@pytest.mark.parametrize("size", [WIDE, (36, 20)])
@pytest.mark.parametrize("scene", SOME)
def test_a_scene_fills_any_frame_and_is_no_plain_colour(scene, size):
    picture = painted(scene, size=size)
    assert (picture.size, picture.mode) == (size, "RGB")
    assert np.asarray(picture.convert("L")).std() > 5


@pytest.mark.parametrize("scene", SOME)
def test_a_scene_is_the_same_for_the_same_seed(scene):
    assert painted.__wrapped__(scene).tobytes() == painted(scene).tobytes()


@pytest.mark.parametrize("scene", SOME)
def test_takes_of_a_scene_look_different(scene):
    difference = ImageChops.difference(painted(scene, 0), painted(scene, 1)).convert("L")
    assert np.asarray(difference).mean() > 2


@pytest.mark.parametrize("size", [UPRIGHT, WIDE])
@pytest.mark.parametrize("take", range(4))
@pytest.mark.parametrize(
    "scene", ["flowers", "forest", "hanok", "hills", "night", "sea", "skyline"]
)
def test_what_shines_in_the_sky_leaves_the_middle_to_text(scene, take, size):
    picture = painted(scene, take, size, genre="ballad").convert("L")
    heaven = picture.crop((0, 0, size[0], round(0.57 * size[1]))).reduce(5)
    brightest = int(np.asarray(heaven).max(axis=0).argmax()) / heaven.width
    assert not 0.3 < brightest < 0.7


@pytest.mark.parametrize("genre", sorted(load_palettes()))
def test_genres_give_the_colours(genre):
    others = [name for name in load_palettes() if name != genre]
    own = np.asarray(painted("hills", genre=genre)).mean(axis=(0, 1))
    for other in others:
        assert np.abs(own - np.asarray(painted("hills", genre=other)).mean(axis=(0, 1))).max() > 4


def test_a_wide_gradient_has_no_steps():
    """Among neighbours on a row of the sky there are always two levels: grain, where bands would be."""
    rows = np.asarray(painted("hills", size=(400, 700)).convert("RGB"))[20:60, :, 1]
    assert all(len(np.unique(row)) > 1 for row in rows)


def test_pictures_of_different_trades_differ():
    seen = [
        np.asarray(painted(f"{trade}-1", size=(54, 96)), np.int16) for trade in sorted(get_trades())
    ]
    for number, picture in enumerate(seen):
        assert all(np.abs(picture - other).mean() > 2 for other in seen[:number])


@pytest.mark.parametrize("trade", sorted(get_trades()))
def test_the_three_scenes_of_a_trade_differ(trade):
    first, second, third = (
        np.asarray(painted(f"{trade}-{number}", size=(54, 96)), np.int16) for number in (1, 2, 3)
    )
    assert min(np.abs(first - second).mean(), np.abs(second - third).mean()) > 4
    assert np.abs(first - third).mean() > 4
