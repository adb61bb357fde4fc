import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from studio.camera.palettes import (
    READABLE,
    WHITE,
    Colour,
    brand_palette,
    choose_letters,
    choose_palette,
    colour_of,
    find_brightest_ground,
    load_palettes,
    measure_contrast,
    measure_luminance,
)

COLOURS = st.tuples(*[st.integers(0, 255)] * 3)
BRANDS = st.lists(COLOURS, min_size=1, max_size=2)


def light(colour: Colour) -> float:
    return float(measure_luminance(np.array(colour)))


@given(BRANDS, st.sampled_from(sorted(load_palettes())))
@example([(255, 255, 0)], "pop")
@example([(255, 255, 255), (0, 0, 0)], "edm")
@example([(0, 0, 255)], "rock")
def test_sung_words_of_any_brand_differ_from_white_and_need_no_black_ground(brand, genre):
    accent = brand_palette(genre, "a", brand).accent
    assert light(accent) < 0.8
    assert find_brightest_ground(accent) > 70


@given(BRANDS)
@example([(118, 118, 118)])
def test_letters_on_the_button_of_any_brand_can_be_read(brand):
    button = brand_palette("pop", "a", brand).button
    assert button is not None
    assert measure_contrast(choose_letters(button), button) >= READABLE


@given(BRANDS, st.sampled_from(sorted(load_palettes())))
def test_scenes_of_any_brand_are_as_light_as_the_genres(brand, genre):
    plain, branded = choose_palette(genre, "a"), brand_palette(genre, "a", brand)
    for before, after in zip(
        (*plain.sky, *plain.ground, plain.light),
        (*branded.sky, *branded.ground, branded.light),
        strict=True,
    ):
        assert light(after) == pytest.approx(light(before), abs=0.03)


@pytest.mark.parametrize("colour", [(228, 87, 46), (20, 90, 160), (255, 0, 128)])
def test_a_usual_colour_is_the_buttons_own(colour):
    button = brand_palette("pop", "a", [colour]).button
    assert button is not None
    assert np.abs(np.subtract(button, colour)).max() <= 24


def test_an_accent_keeps_the_brands_hue():
    red, green, blue = brand_palette("ambient", "a", [(228, 87, 46)]).accent
    assert red > green > blue


def test_a_brand_without_a_hue_sings_in_its_second_colour():
    red, _, blue = brand_palette("pop", "a", [(0, 0, 0), (20, 90, 160)]).accent
    assert blue > red


def test_no_brand_leaves_the_genres_palette():
    assert brand_palette("pop", "a", []) == choose_palette("pop", "a")


def test_a_colour_is_read_as_it_is_written():
    assert colour_of("#e4572e") == (228, 87, 46)
    assert measure_contrast(WHITE, (0, 0, 0)) == pytest.approx(21)
