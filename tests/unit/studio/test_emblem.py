import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from studio.camera.film import Sticker
from studio.camera.graphics import (
    HIGHEST,
    NARROWEST,
    QUIET,
    WIDEST,
    cut_emblem,
    dark_runs,
    draw_code,
    size_emblem,
    squares,
)
from studio.camera.pictures import Planes

LIGHT, DARK = (250, 250, 250), (20, 20, 30)


def logo(colour: tuple[int, int, int], size: tuple[int, int] = (300, 120)) -> Image.Image:
    """An oval on a see-through ground."""
    picture = Image.new("RGBA", size)
    ImageDraw.Draw(picture).ellipse((20, 20, size[0] - 20, size[1] - 20), fill=colour)
    return picture


def test_a_dark_see_through_logo_gets_a_light_ground():
    picture = cut_emblem(logo(DARK)).draw((200, 100))
    assert min(picture.getpixel((100, 4))[:3]) > 200
    assert max(picture.getpixel((100, 50))[:3]) < 60


def test_a_light_see_through_logo_stands_on_the_card_itself():
    made = cut_emblem(logo(LIGHT))
    picture = made.draw((200, 80))
    assert made.ground is None
    assert picture.getpixel((2, 2))[3] == 0
    assert picture.getpixel((100, 40)) == (*LIGHT, 255)


def test_a_logo_on_a_plain_ground_keeps_that_ground():
    picture = Image.new("RGB", (400, 400), (20, 90, 160))
    ImageDraw.Draw(picture).ellipse((150, 150, 250, 250), fill=LIGHT)
    made = cut_emblem(picture)
    assert made.ground == (20, 90, 160)
    assert made.art.width < 200


def test_a_photo_of_a_logo_has_round_corners():
    noise = np.random.default_rng(1).integers(0, 256, (300, 300, 3), dtype=np.uint8)
    picture = cut_emblem(Image.fromarray(noise)).draw((100, 100))
    assert picture.getpixel((0, 0))[3] == 0
    assert picture.getpixel((50, 50))[3] == 255


@given(st.integers(1, 2000), st.integers(1, 2000), st.booleans())
def test_a_logo_of_any_shape_fits(width, height, see_through):
    mode, colour = ("RGBA", (20, 20, 30, 128)) if see_through else ("RGB", (20, 20, 30))
    made = cut_emblem(Image.new(mode, (width, height), colour))
    assert NARROWEST <= made.shape <= WIDEST
    size = size_emblem(made.shape, 100, 700)
    assert size[0] <= 702
    assert size[1] <= 100 * HIGHEST + 2
    assert size[0] % 2 == size[1] % 2 == 0
    assert made.draw(size).size == size


def test_wide_and_tall_logos_take_about_as_much_room():
    surfaces = [wide * high for wide, high in (size_emblem(each, 100, 700) for each in (0.6, 1, 4))]
    assert max(surfaces) < 1.5 * min(surfaces)


@pytest.mark.parametrize("link", ["https://a.example", "https://example.com/" + "y" * 280])
def test_the_squares_of_a_code_are_in_the_frame_pixel_by_pixel(link):
    frame = Planes.blank((1080, 1920))
    frame.data[:] = 100
    picture = draw_code(link, 5)
    sticker = Sticker.of(picture, (200, 300), (0.0, 5.0), 5.0)
    sticker.stick(frame, 1.0)
    rows = np.pad(np.array(squares(link)), QUIET)
    side = len(rows)
    seen = frame.luma[300 : 300 + 5 * side, 200 : 200 + 5 * side]
    inner = slice(5 * QUIET, -5 * QUIET)
    expected = np.kron(rows, np.ones((5, 5), bool))
    assert ((seen < 60) == expected)[inner, inner].all()
    assert (seen[:, inner][: 5 * QUIET] > 230).all()


@given(st.text(min_size=1, max_size=60))
def test_runs_are_all_dark_squares(text):
    rows = squares(text)
    made = [[False] * len(rows) for _ in rows]
    for row, begin, end in dark_runs(rows):
        made[row][begin:end] = [True] * (end - begin)
    assert tuple(map(tuple, made)) == rows


def test_a_sticker_comes_and_goes_softly_but_stays_at_the_films_ends():
    picture = Image.new("RGBA", (4, 4), (255, 255, 255, 255))
    title = Sticker.of(picture, (0, 0), (0.0, 2.0), 9.0)
    end = Sticker.of(picture, (0, 0), (6.0, 9.0), 9.0)
    assert [title.measure_presence(at) for at in (0.0, 1.0, 1.85, 2.0)] == pytest.approx(
        [1, 1, 0.5, 0]
    )
    assert [end.measure_presence(at) for at in (5.9, 6.0, 6.15, 8.97)] == pytest.approx(
        [0, 0, 0.5, 1]
    )
