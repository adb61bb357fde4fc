from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from studio.camera.film import FRAMES
from studio.camera.fonts import find_font
from studio.camera.frames import (
    Patch,
    Scene,
    Shade,
    draw_frames,
    draw_shape,
    find_span,
    measure_presence,
)
from studio.camera.moving import Subject
from studio.camera.palettes import (
    MOST,
    READABLE,
    WHITE,
    Palette,
    find_brightest_ground,
    load_palettes,
    measure_luminance,
    sample_greys,
)
from studio.camera.photos import Fitted
from studio.camera.pictures import Planes, size_canvas
from studio.camera.shots import Rhythm, Section, load_manners, plan_shots
from studio.camera.staging import find_areas, stage_text
from studio.camera.text import LOOKS, Box, Layout, Text, TextArea
from studio.genres import get_genre
from studio.timeline import arrange

FRAME = (108, 192)
SECONDS = 10.0
INK = (20, 10, 30)
AREAS = (
    TextArea(0.0, 2.0, 20, 60, 90, 90),
    TextArea(2.0, 7.0, 30, 30, 78, 38, ground="plate"),
    TextArea(2.0, 4.0, 15, 118, 93, 132, ground="plate", accented=True),
    TextArea(4.5, 6.5, 15, 110, 93, 140, "plate", ((15, 112, 93, 124), (30, 124, 78, 138)), True),
    TextArea(7.5, 10.0, 20, 60, 90, 90),
)
SONG = Rhythm(0.5, 0.0, (Section("verse", 0, 4), Section("chorus", 4, 10)))
ALL_PALETTES = [palette for some in load_palettes().values() for palette in some]


def contrast(one: float, other: float) -> float:
    """The contrast ratio, 1 to 21, of two relative luminances."""
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def white(size: tuple[int, int]) -> Image.Image:
    return Image.new("RGB", size, "white")


def noisy(size: tuple[int, int]) -> Image.Image:
    chance = np.random.default_rng(3)
    return Image.fromarray(chance.integers(0, 256, (size[1], size[0], 3), dtype=np.uint8))


def chequered(size: tuple[int, int], cell: int = 4) -> Image.Image:
    rows, columns = np.indices((size[1], size[0])) // cell
    return Image.fromarray(((rows + columns) % 2 * 255).astype(np.uint8)).convert("RGB")


def half_dark(size: tuple[int, int]) -> Image.Image:
    picture = Image.new("RGB", size, (8, 8, 20))
    picture.paste((255, 250, 120), (size[0] // 2, 0, *size))
    return picture


def filmed(
    kinds: list, palette: Palette, genre: str, areas: Sequence[TextArea] = AREAS
) -> list[Planes]:
    """A short film of these pictures in turn, with every kind of transition of the genre."""
    canvas = size_canvas(FRAME)
    shots = plan_shots(SECONDS, [], len(kinds), "a", genre=genre, rhythm=SONG)
    scene = Scene(
        shots=shots,
        seconds=SECONDS,
        frame=FRAME,
        painter=lambda number: Fitted(kinds[number](canvas), Subject()),
        areas=areas,
        brightest=find_brightest_ground(palette.accent),
        ink=INK,
    )
    return list(draw_frames(scene))


def ground(frame: Planes, box: Box) -> float:
    """The relative luminance that `MOST` percent of the pixels in a box do not exceed, from video levels."""
    left, top, right, bottom = map(int, box)
    behind = slice(top, bottom), slice(left, right)
    blue, red = np.split(frame.chroma, 2)
    light, blue, red = (
        plane[behind].astype(float)
        for plane in (frame.luma, *(np.kron(part, np.ones((2, 2))) for part in (blue, red)))
    )
    light, blue, red = (light - 16) / 219, (blue - 128) / 224, (red - 128) / 224
    colours = np.stack(
        [light + 1.5748 * red, light - 0.1873 * blue - 0.4681 * red, light + 1.8556 * blue], -1
    )
    return float(np.percentile(measure_luminance((colours.clip(0, 1) * 255).round()), MOST))


@pytest.mark.parametrize("genre", sorted(load_manners()))
def test_text_can_be_read_over_any_picture_in_every_frame(genre):
    palette = load_palettes()[genre][0]
    frames = filmed([white, noisy, chequered, half_dark], palette, genre)
    for area in AREAS:
        colours = (WHITE, palette.accent) if area.accented else (WHITE,)
        words = [float(measure_luminance(np.array(colour))) for colour in colours]
        for number in range(round(area.start * 30), round(area.end * 30)):
            behind = max(ground(frames[number], box) for box in area.boxes)
            assert min(contrast(word, behind) for word in words) >= READABLE


@pytest.mark.parametrize("palette", ALL_PALETTES)
def test_the_ground_that_is_allowed_gives_the_contrast(palette):
    level = find_brightest_ground(palette.accent)
    behind = float(measure_luminance(np.array([level] * 3)))
    for colour in ((255, 255, 255), palette.accent):
        assert contrast(float(measure_luminance(np.array(colour))), behind) >= READABLE


@pytest.mark.parametrize("palette", ALL_PALETTES)
def test_sung_words_differ_from_white_and_need_no_black_ground(palette):
    assert float(measure_luminance(np.array(palette.accent))) < 0.8
    assert find_brightest_ground(palette.accent) > 70


def test_a_bright_picture_is_darkened_no_more_than_is_needed():
    palette = load_palettes()["pop"][0]
    frames = filmed([white], palette, "rock")
    word = float(measure_luminance(np.array(palette.accent)))
    assert contrast(word, ground(frames[100], AREAS[2].boxes[0])) < 5.5


def test_white_text_takes_less_light_than_half_and_a_bit_from_a_white_picture():
    lit, whole = filmed([white], load_palettes()["pop"][0], "rock")[30].luma.min(), 235 - 16
    assert (int(lit) - 16) / whole > 0.4


@pytest.mark.parametrize("moment", [1.0, 3.0, 5.5, 8.5])
def test_a_photo_keeps_all_its_light_but_behind_text(moment):
    shown, plain = (
        filmed([noisy], load_palettes()["pop"][0], "rock", areas)[round(moment * 30)].luma
        for areas in (AREAS, ())
    )
    outside = np.ones(shown.shape, bool)
    for area in AREAS:
        if area.start <= moment <= area.end:
            left, top, right, bottom = find_span(area, FRAME)
            outside[top:bottom, left:right] = False
    assert outside.mean() > 0.5
    assert (shown[outside] == plain[outside]).all()


@pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
@pytest.mark.parametrize("style", sorted(LOOKS))
def test_a_photo_is_nearly_as_bright_with_captions_as_without(orientation, style):
    """Of a white photo, the worst case, the plates of long captions and of a name take a tenth at most."""
    frame = FRAMES[orientation]
    layout = Layout.of(*frame, LOOKS[style].scale)
    lyric = "오늘도 우리 동네 작은 빵집에서 기다릴게요 다 함께"
    text = Text(
        "봄날 베이커리", "전주", arrange(lyric, get_genre("pop"), 10)[1], caption_style=style
    )
    planes, shade = Planes(np.full((frame[1] * 3 // 2, frame[0]), 235, np.uint8)), Shade(frame, INK)
    found = [
        area
        for area in find_areas(stage_text(text, find_font(), layout, 10.0))
        if area.ground == "plate"
    ]
    shade.lay(planes, [Patch(area, 1.0, 0.8) for area in found])
    assert planes.luma.mean() > 0.9 * 235


def test_a_film_begins_and_ends_in_the_light_that_its_cards_have():
    frames = filmed([white], load_palettes()["pop"][0], "rock")
    assert frames[0].luma.mean() == pytest.approx(frames[20].luma.mean(), abs=1)
    assert frames[-1].luma.mean() == pytest.approx(frames[-20].luma.mean(), abs=1)


@pytest.mark.parametrize("genre", sorted(load_manners()))
def test_no_flash_and_no_dip_under_a_card(genre):
    canvas, card = size_canvas(FRAME), TextArea(0, SECONDS, 20, 60, 90, 90)
    plain = Image.new("RGB", canvas, (40, 40, 40))
    shots = plan_shots(SECONDS, [], 3, "a", genre=genre, rhythm=SONG)
    scene = Scene(shots, SECONDS, FRAME, lambda number: Fitted(plain, Subject()), [card], 80.0, INK)
    assert len({int(frame.luma.max()) for frame in draw_frames(scene)}) == 1


def test_a_ground_comes_and_goes_softly_and_is_whole_while_there_is_text():
    area = TextArea(2.0, 4.0, 0, 10, 50, 20)
    shares = [measure_presence(area, number / 30) for number in range(180)]
    assert all(share == 1 for share in shares[60:121])
    assert shares[50] == shares[130] == 0
    assert max(abs(a - b) for a, b in pairwise(shares)) < 0.3


def test_a_plate_is_whole_in_the_last_frame_of_its_text_and_gone_in_the_next():
    area = TextArea(2.0, 4.0, 0, 10, 50, 20, "plate")
    assert [measure_presence(area, frame / 30) for frame in (119, 120)] == [1, 0]


def test_rows_of_a_caption_stand_on_one_plate():
    rows = ((300, 1000, 700, 1090), (200, 1090, 800, 1180), (210, 1180, 790, 1270))
    area = TextArea(0, 1, 200, 990, 800, 1280, "plate", rows)
    left, top, _, _ = find_span(area, (1080, 1920))
    shape = draw_shape(area, (1080, 1920))
    for row in rows:
        box = slice(row[1] - top, row[3] - top), slice(row[0] - left, row[2] - left)
        assert shape[box].min() == 255
    edges = [int(np.argmax(shape[row - top] > 127)) for row in (1140, 1225)]
    assert edges[0] == edges[1]


def test_grounds_that_meet_do_not_add_up():
    area = TextArea(0, 1, 20, 100, 90, 120, "plate")
    other = TextArea(0, 1, 20, 110, 90, 140, "plate")
    levels = []
    for patches in ([Patch(area, 1, 0.5)], [Patch(area, 1, 0.5), Patch(other, 1, 0.5)]):
        planes = Planes(np.full((FRAME[1] * 3 // 2, FRAME[0]), 200, np.uint8))
        Shade(FRAME, INK).lay(planes, patches)
        levels.append(int(planes.luma.min()))
    assert levels[0] == levels[1]


def test_what_lies_under_a_panel_is_blurred():
    card = [TextArea(0, SECONDS, 20, 60, 90, 90)]
    frame = filmed([lambda size: chequered(size, 2)], load_palettes()["pop"][0], "rock", card)[100]
    assert frame.luma[70:80, 40:70].std() < 3 < 30 < frame.luma[150:160, 40:70].std()


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ((255, 255, 255), (0, 0, 0), 21.0),
        ((119, 119, 119), (255, 255, 255), 4.48),
        ((255, 0, 0), (255, 255, 255), 4.0),
    ],
)
def test_contrast_is_that_of_the_guidelines(one, other, ratio):
    first, second = (float(measure_luminance(np.array(colour))) for colour in (one, other))
    assert contrast(first, second) == pytest.approx(ratio, abs=0.01)
    assert contrast(second, first) == contrast(first, second)


def test_greys_are_as_bright_as_the_colours():
    colours = np.array([[[255, 0, 0], [255, 0, 0]], [[255, 0, 0], [255, 0, 0]]], np.uint8)
    level = int(sample_greys(colours)[0, 0])
    assert float(measure_luminance(np.array([level] * 3))) == pytest.approx(0.2126, abs=0.01)


@pytest.mark.parametrize("cell", [1, 2, 3])
def test_a_fine_pattern_is_not_overlooked(cell):
    stripes = np.zeros((60, 240, 3), np.uint8)
    stripes[:, np.arange(240) // cell % 2 == 0] = 255
    assert 0.3 < (sample_greys(stripes) > 128).mean() < 0.7
