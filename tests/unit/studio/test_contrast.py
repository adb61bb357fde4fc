from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from studio.camera.areas import TextArea
from studio.camera.contrast import MOST, READABLE, WHITE, brightest_ground, greys, luminance
from studio.camera.cutting import Rhythm, Section
from studio.camera.fitting import Fitted
from studio.camera.frames import Scene, draw_frames
from studio.camera.motion import MANNERS, Subject
from studio.camera.palettes import PALETTES, Palette
from studio.camera.pictures import Planes, canvas_size
from studio.camera.shade import kept_light, presence
from studio.camera.shots import plan_shots

FRAME = (108, 192)
SECONDS = 10.0
AREAS = (
    TextArea(0.0, 2.0, 20, 60, 90, 90),
    TextArea(2.0, 7.0, 30, 30, 78, 38, edge="top"),
    TextArea(2.0, 4.0, 15, 118, 93, 132, edge="bottom", accented=True),
    TextArea(4.5, 6.5, 15, 110, 93, 140, edge="bottom", accented=True),
    TextArea(7.5, 10.0, 20, 60, 90, 90),
)
SONG = Rhythm(0.5, 0.0, (Section("verse", 0, 4), Section("chorus", 4, 10)))
ALL_PALETTES = [palette for some in PALETTES.values() for palette in some]


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


def filmed(kinds: list, palette: Palette, genre: str) -> list[Planes]:
    """A short film of these pictures in turn, with every kind of transition of the genre."""
    canvas = canvas_size(FRAME)
    shots = plan_shots(SECONDS, [], len(kinds), "a", genre=genre, rhythm=SONG)
    scene = Scene(
        shots=shots,
        seconds=SECONDS,
        frame=FRAME,
        painter=lambda number: Fitted(kinds[number](canvas), Subject()),
        areas=AREAS,
        brightest=brightest_ground(palette.accent),
    )
    return list(draw_frames(scene))


def ground(frame: Planes, area: TextArea) -> float:
    """The relative luminance that `MOST` percent of the pixels behind a text do not exceed, from video levels."""
    box = slice(int(area.top), int(area.bottom)), slice(int(area.left), int(area.right))
    blue, red = np.split(frame.chroma, 2)
    light, blue, red = (
        plane[box].astype(float)
        for plane in (frame.luma, *(np.kron(part, np.ones((2, 2))) for part in (blue, red)))
    )
    light, blue, red = (light - 16) / 219, (blue - 128) / 224, (red - 128) / 224
    colours = np.stack(
        [light + 1.5748 * red, light - 0.1873 * blue - 0.4681 * red, light + 1.8556 * blue], -1
    )
    return float(np.percentile(luminance((colours.clip(0, 1) * 255).round()), MOST))


@pytest.mark.parametrize("genre", sorted(MANNERS))
def test_text_can_be_read_over_any_picture_in_every_frame(genre: str) -> None:
    palette = PALETTES[genre][0]
    frames = filmed([white, noisy, chequered, half_dark], palette, genre)
    for area in AREAS:
        colours = (WHITE, palette.accent) if area.accented else (WHITE,)
        words = [float(luminance(np.array(colour))) for colour in colours]
        for number in range(round(area.start * 30), round(area.end * 30)):
            behind = ground(frames[number], area)
            assert min(contrast(word, behind) for word in words) >= READABLE


@pytest.mark.parametrize("palette", ALL_PALETTES)
def test_the_ground_that_is_allowed_gives_the_contrast(palette: Palette) -> None:
    level = brightest_ground(palette.accent)
    behind = float(luminance(np.array([level] * 3)))
    for colour in ((255, 255, 255), palette.accent):
        assert contrast(float(luminance(np.array(colour))), behind) >= READABLE


@pytest.mark.parametrize("palette", ALL_PALETTES)
def test_sung_words_differ_from_white_and_need_no_black_ground(palette: Palette) -> None:
    assert float(luminance(np.array(palette.accent))) < 0.8
    assert brightest_ground(palette.accent) > 70


def test_a_dark_picture_is_not_darkened() -> None:
    plain = Image.new("RGB", canvas_size(FRAME), (40, 40, 40))
    frames = filmed([lambda size: plain], PALETTES["pop"][0], "rock")
    assert len({int(plane) for plane in np.unique(frames[100].luma)}) == 1


def test_a_bright_picture_is_darkened_no_more_than_is_needed() -> None:
    palette = PALETTES["pop"][0]
    frames = filmed([white], palette, "rock")
    word = float(luminance(np.array(palette.accent)))
    assert contrast(word, ground(frames[100], AREAS[2])) < 5.5


def test_a_bright_picture_stays_bright_away_from_text() -> None:
    frames = filmed([white], PALETTES["pop"][0], "rock")
    assert frames[100].luma[85].min() > 200


def test_white_text_takes_less_light_than_half_and_a_bit_from_a_white_picture() -> None:
    lit, whole = filmed([white], PALETTES["pop"][0], "rock")[30].luma.min(), 235 - 16
    assert (int(lit) - 16) / whole > 0.44


def test_a_card_darkens_all_of_the_frame_alike() -> None:
    kept = kept_light([(TextArea(0, 1, 20, 500, 90, 560), 0.5)], FRAME)
    assert kept == pytest.approx(0.5)


@pytest.mark.parametrize(("edge", "step"), [("top", 1), ("bottom", -1)])
def test_darkness_never_gets_lighter_again_towards_its_edge(edge: str, step: int) -> None:
    kept = kept_light([(TextArea(0, 1, 20, 90, 90, 110, edge=edge), 0.5)], FRAME)[::step]
    assert kept[0] == 0.5
    assert kept[-1] == 1.0
    assert np.diff(kept).min() >= 0


def test_a_film_begins_and_ends_in_the_light_that_its_cards_have() -> None:
    frames = filmed([white], PALETTES["pop"][0], "rock")
    assert frames[0].luma.mean() == pytest.approx(frames[20].luma.mean(), abs=1)
    assert frames[-1].luma.mean() == pytest.approx(frames[-20].luma.mean(), abs=1)


@pytest.mark.parametrize("genre", sorted(MANNERS))
def test_no_flash_and_no_dip_under_a_card(genre: str) -> None:
    canvas, card = canvas_size(FRAME), TextArea(0, SECONDS, 20, 60, 90, 90)
    plain = Image.new("RGB", canvas, (40, 40, 40))
    shots = plan_shots(SECONDS, [], 3, "a", genre=genre, rhythm=SONG)
    scene = Scene(shots, SECONDS, FRAME, lambda number: Fitted(plain, Subject()), [card], 80.0)
    assert len({int(frame.luma.max()) for frame in draw_frames(scene)}) == 1


def test_darkness_comes_and_goes_softly_and_is_whole_while_there_is_text() -> None:
    area = TextArea(2.0, 4.0, 0, 10, 50, 20)
    shares = [presence(area, number / 30) for number in range(180)]
    assert all(share == 1 for share in shares[60:121])
    assert shares[40] == shares[150] == 0
    assert max(abs(a - b) for a, b in pairwise(shares)) < 0.2


def test_darkness_has_no_edge() -> None:
    kept = kept_light([(TextArea(0, 1, 20, 500, 90, 560, edge="bottom"), 0.8)], (1080, 1920))
    assert np.abs(np.diff(kept)).max() < 0.005
    assert kept[500:560] == pytest.approx(0.2)


def test_a_caption_under_a_card_has_no_crease() -> None:
    card = TextArea(0, 1, 20, 300, 90, 600)
    caption = TextArea(0, 1, 20, 1100, 90, 1300, edge="bottom")
    kept = kept_light([(card, 0.5), (caption, 0.7)], (1080, 1920))
    assert (kept[0], kept[-1]) == (pytest.approx(0.5), pytest.approx(0.3))
    assert np.abs(np.diff(kept, 2)).max() < 1e-4


def test_overlapping_areas_do_not_add_up() -> None:
    area = TextArea(0, 1, 20, 100, 90, 120)
    assert kept_light([(area, 0.5), (area, 0.5)], FRAME).min() == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ((255, 255, 255), (0, 0, 0), 21.0),
        ((119, 119, 119), (255, 255, 255), 4.48),
        ((255, 0, 0), (255, 255, 255), 4.0),
    ],
)
def test_contrast_is_that_of_the_guidelines(
    one: tuple[int, int, int], other: tuple[int, int, int], ratio: float
) -> None:
    first, second = (float(luminance(np.array(colour))) for colour in (one, other))
    assert contrast(first, second) == pytest.approx(ratio, abs=0.01)
    assert contrast(second, first) == contrast(first, second)


def test_greys_are_as_bright_as_the_colours() -> None:
    colours = np.array([[[255, 0, 0], [255, 0, 0]], [[255, 0, 0], [255, 0, 0]]], np.uint8)
    level = int(greys(colours)[0, 0])
    assert float(luminance(np.array([level] * 3))) == pytest.approx(0.2126, abs=0.01)


@pytest.mark.parametrize("cell", [1, 2, 3])
def test_a_fine_pattern_is_not_overlooked(cell: int) -> None:
    stripes = np.zeros((60, 240, 3), np.uint8)
    stripes[:, np.arange(240) // cell % 2 == 0] = 255
    assert 0.3 < (greys(stripes) > 128).mean() < 0.7
