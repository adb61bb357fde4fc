import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops

from resources.studio.camera.motion import MANNERS
from resources.studio.camera.palettes import PALETTES, palette_for
from resources.studio.camera.places import BY_GENRE, PLACES, TRADES, moves_of, scenes_for
from resources.studio.camera.scenery import SCENES, paint

UPRIGHT, WIDE = (130, 230), (230, 130)


def painted(
    scene: str, take: int = 0, size: tuple[int, int] = UPRIGHT, genre: str = "pop"
) -> Image.Image:
    return paint(scene, take, palette_for(genre, "a"), size, "a")


@pytest.mark.parametrize("size", [UPRIGHT, WIDE, (36, 20)])
@pytest.mark.parametrize("scene", sorted(SCENES))
def test_a_scene_fills_any_frame_and_is_no_plain_colour(scene: str, size: tuple[int, int]) -> None:
    picture = painted(scene, size=size)
    assert (picture.size, picture.mode) == (size, "RGB")
    assert np.asarray(picture.convert("L")).std() > 5


@pytest.mark.parametrize("scene", sorted(SCENES))
def test_a_scene_is_the_same_for_the_same_seed(scene: str) -> None:
    assert painted(scene).tobytes() == painted(scene).tobytes()


@pytest.mark.parametrize("scene", sorted(SCENES))
def test_takes_of_a_scene_look_different(scene: str) -> None:
    difference = ImageChops.difference(painted(scene, 0), painted(scene, 1)).convert("L")
    assert np.asarray(difference).mean() > 2


@pytest.mark.parametrize("genre", sorted(PALETTES))
def test_genres_give_the_colours(genre: str) -> None:
    others = [name for name in PALETTES if name != genre]
    own = np.asarray(painted("hills", genre=genre)).mean(axis=(0, 1))
    for other in others:
        assert np.abs(own - np.asarray(painted("hills", genre=other)).mean(axis=(0, 1))).max() > 4


def test_a_wide_gradient_has_no_steps() -> None:
    """Among neighbours on a row of the sky there are always two levels: grain, where bands would be."""
    rows = np.asarray(painted("hills", size=(400, 700)).convert("RGB"))[20:60, :, 1]
    assert all(len(np.unique(row)) > 1 for row in rows)


@pytest.mark.parametrize(
    ("about", "scene"),
    [
        ("부산 해운대 횟집", "sea"),
        ("Jeju beach house", "sea"),
        ("전주 한옥마을", "hanok"),
        ("Bukchon guesthouse", "hanok"),
        ("평창 숲속 산장", "forest"),
        ("a mountain lodge", "forest"),
        ("서울 강남", "skyline"),
        ("Gangnam, Seoul", "skyline"),
        ("동네 카페", "cup"),
        ("Sunny Bakery", "shopfront"),
        ("꽃집 봄날", "flowers"),
        ("Rose Garden florist", "flowers"),
        ("필라테스 스튜디오", "stage"),
        ("CrossFit gym", "stage"),
        ("야시장 포차", "market"),
        ("Night market grill", "market"),
        ("별빛 펜션", "night"),
    ],
)
@pytest.mark.parametrize("genre", sorted(BY_GENRE))
def test_words_bring_their_scene_to_mind(about: str, scene: str, genre: str) -> None:
    assert scene in scenes_for(about, genre, "a")


@pytest.mark.parametrize("about", ["bargain", "steak", "misbehave", "overseas"])
def test_a_word_inside_another_one_is_not_meant(about: str) -> None:
    assert not {"market", "cup", "sea"} & (
        set(scenes_for(about, "pop", "a")) - set(BY_GENRE["pop"])
    )


@given(st.text(max_size=200), st.sampled_from(sorted(MANNERS)), st.text(max_size=10))
@settings(max_examples=60)
def test_any_text_gives_three_or_four_different_scenes(about: str, genre: str, seed: str) -> None:
    scenes = scenes_for(about, genre, seed)
    assert len(scenes) == len(set(scenes)) in (3, 4)
    assert set(scenes) <= set(SCENES)
    assert scenes == scenes_for(about, genre, seed)


def test_every_scene_that_is_named_can_be_painted() -> None:
    named = {*PLACES, *TRADES, *(scene for some in BY_GENRE.values() for scene in some)}
    assert named == set(SCENES)


def test_the_camera_follows_what_is_wide_and_what_is_tall() -> None:
    assert moves_of(["sea", "forest", "hanok"]) == ("pan", "tilt")
    assert moves_of(["cup"]) == ()
