import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.camera.motion import MANNERS
from studio.camera.scenery import SCENES
from studio.camera.scouting import BY_GENRE, BY_TRADE, NAMES, moves_of, scenes_for
from studio.trades import WORDS


@pytest.mark.parametrize(
    ("name", "scene"),
    [
        ("싱싱 횟집", "sea"),
        ("동네 카페", "cup"),
        ("Sunny Bakery", "shopfront"),
        ("꽃집 봄날", "flowers"),
        ("Rose florist", "flowers"),
        ("튼튼 헬스장", "stage"),
        ("CrossFit gym", "stage"),
        ("달밤 포차", "market"),
        ("Smoky grill", "market"),
        ("별빛 펜션", "night"),
    ],
)
@pytest.mark.parametrize("genre", sorted(BY_GENRE))
def test_a_trade_is_filmed_in_its_scene(name: str, scene: str, genre: str) -> None:
    assert scene in scenes_for(name, "", "", genre, "a")


@pytest.mark.parametrize(
    ("region", "scene"),
    [
        ("부산 해운대", "sea"),
        ("제주특별자치도 제주시", "sea"),
        ("강릉시 강문해변", "sea"),
        ("부산광역시", "sea"),
        ("Jeju beach", "sea"),
        ("전주 한옥마을", "hanok"),
        ("경북 안동시", "hanok"),
        ("Bukchon", "hanok"),
        ("평창 숲속", "forest"),
        ("양평군 용문면", "forest"),
        ("서울 강남", "skyline"),
        ("서울특별시 마포구", "skyline"),
        ("성수동2가", "skyline"),
        ("홍대입구역", "skyline"),
        ("Gangnam, Seoul", "skyline"),
    ],
)
def test_a_region_brings_its_scene_to_mind(region: str, scene: str) -> None:
    assert scene in scenes_for("봄날 카페", region, "", "pop", "a")


@pytest.mark.parametrize(
    ("region", "scene"),
    [
        ("서울특별시 마포구", "night"),
        ("서울 장안동", "hanok"),
        ("부안동", "hanok"),
        ("Bayern", "sea"),
        ("overseas", "sea"),
        ("Seattle", "sea"),
    ],
)
def test_a_region_inside_another_word_is_not_meant(region: str, scene: str) -> None:
    assert scene not in scenes_for("봄날 카페", region, "", "pop", "a")


@pytest.mark.parametrize("words", ["부산", "제주 바다", "Busan beach"])
def test_a_place_in_the_details_is_not_the_region(words: str) -> None:
    """Oranges from Jeju and fish from Busan are sold everywhere."""
    assert scenes_for("봄", "", words, "pop", "a") == scenes_for("봄", "", "", "pop", "a")


@pytest.mark.parametrize(
    "detail", ["특별한 날", "개별 지도", "별미", "빵빵한 에어컨", "불꽃 같은 맛"]
)
def test_a_syllable_inside_a_word_brings_nothing_to_mind(detail: str) -> None:
    assert scenes_for("봄", "", detail, "pop", "a") == scenes_for("봄", "", "", "pop", "a")


@pytest.mark.parametrize("genre", sorted(BY_GENRE))
@pytest.mark.parametrize("name", ["서울 치과", "Dental clinic", "맑은 세차장", "수학학원", "봄날"])
def test_only_a_business_that_is_like_it_is_filmed_on_a_stage_or_among_flowers(
    name: str, genre: str
) -> None:
    assert not {"stage", "flowers", "market", "sea"} & set(scenes_for(name, "", "", genre, "a"))


def test_every_trade_has_one_or_two_scenes() -> None:
    assert set(BY_TRADE) == set(WORDS)
    assert {len(scenes) for scenes in BY_TRADE.values()} <= {1, 2}


def test_every_scene_that_is_named_can_be_painted() -> None:
    chosen = (*BY_TRADE.values(), *BY_GENRE.values())
    assert {*NAMES, *(scene for scenes in chosen for scene in scenes)} == set(SCENES)


@given(
    st.text(max_size=80),
    st.text(max_size=80),
    st.text(max_size=200),
    st.sampled_from(sorted(MANNERS)),
    st.text(max_size=10),
)
@settings(max_examples=60)
def test_any_text_gives_three_or_four_different_scenes(
    name: str, region: str, detail: str, genre: str, seed: str
) -> None:
    scenes = scenes_for(name, region, detail, genre, seed)
    assert len(scenes) == len(set(scenes)) in (3, 4)
    assert set(scenes) <= set(SCENES)
    assert scenes == scenes_for(name, region, detail, genre, seed)


def test_the_camera_follows_what_is_wide_and_what_is_tall() -> None:
    assert moves_of(["sea", "forest", "hanok"]) == ("pan", "tilt")
    assert moves_of(["cup"]) == ()
