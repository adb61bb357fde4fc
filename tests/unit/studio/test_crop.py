import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw

from studio.camera.moving import convert_to_pixels
from studio.camera.palettes import load_palettes, measure_luminance
from studio.camera.photos import Fitted, find_best_crop, find_subject, map_saliency
from studio.camera.photos import fit_photo as fitted_in
from studio.camera.shots import FPS, Rhythm, aim, load_manners, plan_shots
from tests.unit.studio.noise import noise

UPRIGHT, WIDE = (130, 230), (230, 130)
RED = (235, 30, 40)
ALL_PALETTES = [palette for some in load_palettes().values() for palette in some]


def fitted(picture: Image.Image, canvas: tuple[int, int]) -> Fitted:
    return fitted_in(picture, canvas, ALL_PALETTES[0])


def photo(size: tuple[int, int], spot: tuple[float, float], reach: float = 0.1) -> Image.Image:
    """A noisy grey-green ground with a red disc on it, in shares of the size."""
    grey = noise(size, 24)
    dark = grey.point(lambda v: v // 2)
    picture = Image.merge("RGB", (dark, grey, dark))
    radius = reach * min(size)
    x = radius + spot[0] * (size[0] - 2 * radius)
    y = radius + spot[1] * (size[1] - 2 * radius)
    ImageDraw.Draw(picture).ellipse((x - radius, y - radius, x + radius, y + radius), RED)
    return picture


def red_box(picture: Image.Image) -> tuple[int, int, int, int]:
    """Where the disc is now."""
    red, green, _ = picture.split()
    found = ImageChops.subtract(red, green).point(lambda level: 255 * (level > 110)).getbbox()
    assert found is not None
    return found


@pytest.mark.parametrize("canvas", [UPRIGHT, WIDE])
@pytest.mark.parametrize("size", [(400, 300), (300, 400), (600, 200)])
@pytest.mark.parametrize("spot", [(0, 0.5), (1, 0.5), (0.5, 0), (0.5, 1), (0, 0), (1, 1)])
def test_a_subject_at_the_edge_is_seen_during_every_shot(canvas, size, spot):
    made = fitted(photo(size, spot), canvas)
    left, top, right, bottom = red_box(made.picture)
    for genre in load_manners():
        for shot in plan_shots(10, [], 1, "a", genre=genre, rhythm=Rhythm(0.5)):
            for number in range(round(shot.start * FPS), round(shot.end * FPS), 3):
                seen = convert_to_pixels(aim(shot, number / FPS, made.subject), canvas)
                assert seen[0] <= left + 3
                assert seen[1] <= top + 3
                assert seen[2] >= right - 3
                assert seen[3] >= bottom - 3


def test_a_group_too_wide_for_the_frame_is_shown_whole_over_a_ground():
    picture = photo((600, 300), (0, 0.5))
    ImageDraw.Draw(picture).ellipse((540, 120, 600, 180), RED)
    made = fitted(picture, UPRIGHT)
    left, _, right, _ = red_box(made.picture)
    assert left < 10
    assert right > UPRIGHT[0] - 10


def extended_photo() -> np.ndarray:
    """The levels of a wide photo, of 150 on the average, that fills an upright canvas."""
    picture = noise((600, 200), 40).point(lambda v: v // 2 + 110).convert("RGB")
    draw = ImageDraw.Draw(picture)
    for x in range(10, 600, 70):
        draw.ellipse((x, 60, x + 40, 120), RED)
    return np.asarray(fitted(picture, UPRIGHT).picture.convert("L"), float)


def test_the_extension_of_a_photo_is_a_little_darker_towards_the_edge():
    rows = extended_photo().mean(axis=1)
    shown = rows[105:125].mean()
    assert 0.6 * shown < rows[0] < 0.9 * shown
    assert 0.6 * shown < rows[-1] < 0.9 * shown


def test_a_photo_goes_over_into_its_extension_without_an_edge():
    rows = extended_photo().mean(axis=1)
    inside = np.abs(np.diff(rows[95:135])).max()
    assert np.abs(np.diff(rows)).max() <= inside + 2


def test_a_photo_of_the_frames_shape_is_not_cut():
    made = fitted(photo((260, 460), (0.5, 0.5)), UPRIGHT)
    left, top, right, bottom = red_box(made.picture)
    assert (left + right) / 2 == pytest.approx(65, abs=2)
    assert (top + bottom) / 2 == pytest.approx(115, abs=2)


SKIN = (224, 172, 140)


def portrait(size: tuple[int, int], middle: float, reach: float) -> tuple[Image.Image, list[int]]:
    """Somebody in a saturated coat before a noisy wall, and the box of the face: shares of the size."""
    picture = noise(size, 20).convert("RGB")
    draw = ImageDraw.Draw(picture)
    x, high, wide = middle * size[0], reach * size[1], 0.75 * reach * size[1]
    face = [
        round(side) for side in (x - wide / 2, 0.1 * size[1], x + wide / 2, 0.1 * size[1] + high)
    ]
    draw.rectangle((x - 1.2 * wide, face[3], x + 1.2 * wide, size[1]), (240, 90, 0))
    for row in range(face[3] + 4, size[1], 12):
        draw.line((x - 1.2 * wide, row, x + 1.2 * wide, row), (20, 30, 200), 4)
    draw.ellipse(face, SKIN)
    return picture, face


def skin_box(picture: Image.Image) -> tuple[int, int, int, int]:
    away = np.abs(np.asarray(picture, int) - SKIN).max(axis=2)
    found = Image.fromarray((255 * (away < 26)).astype(np.uint8)).getbbox()
    assert found is not None
    return found


@pytest.mark.parametrize("canvas", [UPRIGHT, WIDE])
@pytest.mark.parametrize("size", [(400, 400), (300, 500), (500, 300)])
@pytest.mark.parametrize(("middle", "reach"), [(0.5, 0.3), (0.25, 0.25), (0.75, 0.3)])
def test_a_face_is_whole_during_every_shot(canvas, size, middle, reach):
    """It is as tall as it is for its width, so nothing of it is cut; and it stays in the camera's view."""
    picture, face = portrait(size, middle, reach)
    made = fitted(picture, canvas)
    left, top, right, bottom = skin_box(made.picture)
    shape = (face[2] - face[0]) / (face[3] - face[1])
    assert (right - left) / (bottom - top) == pytest.approx(shape, rel=0.15)
    for shot in plan_shots(10, [], 2, "a", rhythm=Rhythm(0.5)):
        for number in range(round(shot.start * FPS), round(shot.end * FPS), 5):
            seen = convert_to_pixels(aim(shot, number / FPS, made.subject), canvas)
            assert seen[0] <= left + 3
            assert seen[1] <= top + 3
            assert seen[2] >= right - 3
            assert seen[3] >= bottom - 3


def test_the_upper_part_of_an_even_photo_is_kept():
    stripes = np.ones((96, 48), np.float32)
    assert find_best_crop(stripes, 1.0)[0][1] < 0.05


@pytest.mark.parametrize("canvas", [UPRIGHT, WIDE])
@pytest.mark.parametrize("size", [(500, 500), (800, 200), (200, 500)])
@pytest.mark.parametrize("ground", [(255, 255, 255), (250, 246, 236), (18, 20, 60)])
def test_a_graphic_on_one_colour_is_shown_whole_on_it(canvas, size, ground):
    """A frame of ink near its edges; captions stand below 0.52 (upright) or 0.7 of the height."""
    picture = Image.new("RGB", size, ground)
    box = (0.04 * size[0], 0.04 * size[1], 0.96 * size[0], 0.96 * size[1])
    ImageDraw.Draw(picture).rectangle(box, outline=RED, width=12)
    made = fitted(picture, canvas).picture
    left, top, right, bottom = red_box(made)
    assert (right - left) / (bottom - top) == pytest.approx(size[0] / size[1], rel=0.1)
    assert bottom <= canvas[1] * (0.52 if canvas is UPRIGHT else 0.71)
    assert (left + right) / 2 == pytest.approx(canvas[0] / 2, abs=2)
    for spot in ((0, 0), (canvas[0] - 1, 0), (3, canvas[1] - 1), (left - 9, top)):
        assert made.getpixel(spot) == ground


@pytest.mark.parametrize("canvas", [UPRIGHT, WIDE])
@pytest.mark.parametrize("size", [(600, 300), (300, 420)])
def test_a_photographed_page_is_shown_whole(canvas, size):
    """A page in uneven light with rows of letters up to its edges, and a red dot near two corners."""
    light = np.linspace(240, 150, size[0]) + np.zeros((size[1], 1))
    picture = Image.fromarray(light.astype(np.uint8)).convert("RGB")
    draw = ImageDraw.Draw(picture)
    for row in range(10, size[1], 24):
        for column in range(6, size[0], 20):
            draw.rectangle((column, row, column + 9, row + 5), (40, 40, 40))
    for x, y in ((8, 8), (size[0] - 18, size[1] - 18)):
        draw.ellipse((x, y, x + 12, y + 12), RED)
    made = fitted(picture, canvas)
    left, top, right, bottom = red_box(made.picture)
    shape = (size[0] - 14) / (size[1] - 14)
    assert (right - left) / (bottom - top) == pytest.approx(shape, rel=0.1)
    for shot in plan_shots(10, [], 2, "a", rhythm=Rhythm(0.5)):
        seen = convert_to_pixels(aim(shot, shot.start, made.subject), canvas)
        assert seen[0] <= left
        assert seen[1] <= top
        assert seen[2] >= right
        assert seen[3] >= bottom
    assert min(made.picture.convert("L").getpixel((x, 1)) for x in (1, canvas[0] - 1)) > 90


@pytest.mark.parametrize("canvas", [UPRIGHT, WIDE])
@pytest.mark.parametrize("size", [(300, 300), (900, 100), (100, 900)])
def test_an_emblem_stands_above_the_captions(canvas, size):
    subject = fitted(Image.new("RGBA", size, (*RED, 100)), canvas).subject
    assert subject.bottom <= (0.52 if canvas is UPRIGHT else 0.71)
    assert subject.top >= 0.1


@given(
    st.integers(1, 60),
    st.integers(1, 60),
    st.sampled_from(["RGB", "RGBA"]),
    st.sampled_from([UPRIGHT, WIDE]),
)
@example(34, 28, "RGB", UPRIGHT)
@settings(max_examples=40)
def test_a_picture_of_any_shape_fills_the_canvas(width, height, mode, canvas):
    made = fitted(noise((width, height), 80).convert(mode), canvas)
    assert (made.picture.size, made.picture.mode) == (canvas, "RGB")
    subject = made.subject
    assert 0 <= subject.left <= subject.right <= 1
    assert 0 <= subject.top <= subject.bottom <= 1


@pytest.mark.parametrize("size", [(30, 10), (10, 30), (5000, 40), (40, 40), (1, 1), (20, 400)])
def test_a_picture_of_one_colour_stays_that(size):
    made = fitted(Image.new("RGB", size, (200, 10, 10)), UPRIGHT)
    assert made.picture.getextrema() == ((200, 200), (10, 10), (10, 10))


@pytest.mark.parametrize("palette", ALL_PALETTES)
@pytest.mark.parametrize("ink", [(20, 20, 20), (250, 250, 250)])
def test_an_emblem_gets_a_ground_of_the_palette_that_it_stands_out_from(palette, ink):
    emblem = Image.new("RGBA", (300, 200), (0, 0, 0, 0))
    ImageDraw.Draw(emblem).ellipse((50, 20, 250, 180), (*ink, 255))
    made = fitted_in(emblem, UPRIGHT, palette)
    middle = made.picture.getpixel((UPRIGHT[0] // 2, round(0.36 * UPRIGHT[1])))
    corners = (made.picture.getpixel((2, row)) for row in (2, UPRIGHT[1] - 3))
    assert max(abs(a - b) for a, b in zip(middle, ink, strict=True)) < 12
    for corner in corners:
        lights = sorted(
            float(measure_luminance(np.array(colour))) + 0.05 for colour in (corner, ink)
        )
        assert lights[1] / lights[0] > 7


def test_an_empty_see_through_picture_is_a_plain_ground():
    made = fitted(Image.new("RGBA", (64, 64), (255, 255, 255, 0)), UPRIGHT)
    assert made.picture.mode == "RGB"


def test_nothing_stands_out_in_a_plain_picture():
    assert map_saliency(Image.new("RGB", (300, 200), (90, 120, 60))).max() == 0


def test_a_crop_tells_how_much_it_keeps():
    matters = map_saliency(photo((400, 200), (0, 0.5)))
    window, keeps = find_best_crop(matters, 1.0)
    assert keeps > 0.95
    assert window[0] < 0.05
    assert window[2] - window[0] == pytest.approx(0.5, abs=0.02)


def test_a_subjects_box_holds_it():
    subject = find_subject(map_saliency(photo((400, 400), (0.25, 0.75))), (0.0, 0.0, 1.0, 1.0))
    assert subject.left == pytest.approx(0.2, abs=0.06)
    assert subject.right == pytest.approx(0.4, abs=0.06)
    assert subject.top == pytest.approx(0.6, abs=0.06)
    assert subject.bottom == pytest.approx(0.8, abs=0.06)
