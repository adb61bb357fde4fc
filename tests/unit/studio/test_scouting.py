import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.camera.film import PICTURES
from studio.camera.scenes.compositions import list_scenes
from studio.camera.scouting import (
    Brief,
    choose_scenes,
    find_house,
    find_places,
    list_moves,
    load_choices,
)
from studio.camera.shots import load_manners
from studio.trades import find_trade, get_trades
from tests.tables import rows_beside

CHOICES = load_choices()
PAINTABLE = {*PICTURES, *list_scenes()}


def scenes(
    name: str, region: str = "", detail: str = "", sung: str = "", seconds: float = 20.0
) -> tuple[str, ...]:
    """The scenes of a pop film of two seconds a shot, if it is long."""
    shots = int(seconds / 2) if seconds > 40 else 0
    return choose_scenes(Brief(name, region, detail, sung), "pop", "a", seconds, shots)


@pytest.mark.parametrize("genre", sorted(load_manners()))
@pytest.mark.parametrize(
    "name", ["싱싱 횟집", "동네 카페", "Rose florist", "튼튼 헬스장", "Smoky grill"]
)
def test_a_trade_is_filmed_in_three_scenes_of_its_own_and_its_main_one_first(name, genre):
    trade = find_trade(name, "")
    found = choose_scenes(Brief(name), genre, "a")
    assert found[0] == f"{trade}-1"
    assert {f"{trade}-{number}" for number in (1, 2, 3)} <= set(found)


@pytest.mark.parametrize("name", ["튼튼 헬스장", "김변호 법률사무소", "Dental clinic", "수학학원"])
def test_no_trade_is_filmed_in_the_scenes_of_another(name):
    trade = find_trade(name, "")
    found = {scene.split("-")[0] for scene in scenes(name, seconds=90) if "-" in scene}
    assert found <= {str(trade)}


@rows_beside
def test_what_lines_name_is_seen(sung, scene):
    assert scene in scenes("동네 카페", sung=sung)


@pytest.mark.parametrize(
    "sung", ["준비된 비법 소스", "달콤한 하루", "a trainer of brains", "별미 한 그릇"]
)
def test_a_word_inside_another_is_not_seen(sung):
    assert scenes("동네 카페", sung=sung) == scenes("동네 카페")


@rows_beside
def test_a_region_brings_its_scene_to_mind(region, scene):
    assert scene in scenes("봄날 카페", region)


@rows_beside
def test_a_region_inside_another_word_is_not_meant(region, scene):
    places = find_places(region)
    assert scene not in places


@pytest.mark.parametrize("words", ["부산", "제주 바다", "Busan beach"])
def test_a_place_in_the_details_is_not_the_region(words):
    """Oranges from Jeju and fish from Busan are sold everywhere."""
    assert scenes("봄", detail=words) == scenes("봄")


@pytest.mark.parametrize(
    "detail", ["특별한 날", "개별 지도", "별미", "빵빵한 에어컨", "불꽃 같은 맛"]
)
def test_a_syllable_inside_a_word_brings_nothing_to_mind(detail):
    assert scenes("봄", detail=detail) == scenes("봄")


def test_every_trade_has_three_scenes_with_painters():
    for trade in get_trades():
        assert {f"{trade}-{number}" for number in (1, 2, 3)} <= PAINTABLE


def test_every_scene_that_is_named_can_be_painted():
    chosen = {*CHOICES.places, *CHOICES.spoken, *CHOICES.neutral, *CHOICES.beside.values()}
    chosen = chosen.union(*(manner.scenes for manner in load_manners().values()))
    assert chosen <= PAINTABLE
    assert set(CHOICES.beside) <= set(get_trades())


@given(
    st.builds(
        Brief,
        st.text(max_size=80),
        st.text(max_size=80),
        st.text(max_size=200),
        st.text(max_size=200),
    ),
    st.sampled_from(sorted(load_manners())),
    st.text(max_size=10),
    st.floats(10, 120),
    st.integers(0, 70),
)
@settings(max_examples=60)
def test_any_text_gives_different_scenes(brief, genre, seed, seconds, shots):
    found = choose_scenes(brief, genre, seed, seconds, shots)
    assert 3 <= len(found) == len(set(found))
    assert set(found) <= PAINTABLE
    assert found == choose_scenes(brief, genre, seed, seconds, shots)


@pytest.mark.parametrize("genre", sorted(load_manners()))
@pytest.mark.parametrize(
    ("name", "fewest"),
    [("달인 타투", 19), ("바른 치과", 22), ("Corner Coffee", 22), ("달밤 포차", 22)],
)
def test_a_film_of_many_shots_has_every_scene_that_suits_any_business(name, fewest, genre):
    for seed in "abc":
        found = choose_scenes(Brief(name), genre, seed, 120.0, 60)
        assert len(found) >= fewest
        assert not {"hanok", "church", "temple", "market"} & set(found)
        assert len(choose_scenes(Brief(name), genre, seed, 40.0)) <= 4


def test_a_film_of_the_night_has_no_morning_unless_it_is_sung_of():
    assert "morning" not in scenes("달밤 포차", seconds=60.0)
    assert "morning" in scenes("달밤 포차", sung="아침을 여는 소리", seconds=60.0)


@pytest.mark.parametrize("genre", sorted(load_manners()))
@pytest.mark.parametrize("seconds", [20.0, 60.0])
@pytest.mark.parametrize("name", ["튼튼치과", "Elm Bakery", "Hilltop Bike Repair", "봄"])
def test_lights_out_of_focus_are_not_shown_by_day(name, seconds, genre):
    for seed in "abcdef":
        assert "lights" not in choose_scenes(
            Brief(name, "", "", "커피 한 잔"), genre, seed, seconds, 35
        )


@pytest.mark.parametrize(
    ("name", "sung"), [("달밤 포차", ""), ("별밤 노래방", ""), ("동네 카페", "네온 불빛 아래")]
)
def test_lights_are_shown_where_it_is_night(name, sung):
    found = [choose_scenes(Brief(name, sung=sung), "edm", seed, 60.0, 30) for seed in "abc"]
    assert all("lights" in scenes for scenes in found)


def test_the_camera_follows_what_is_wide_and_what_is_tall():
    assert list_moves(["sea", "forest", "hanok"]) == ("pan", "tilt")
    assert list_moves(["cup"]) == ()


@pytest.mark.parametrize(
    ("name", "house"),
    [
        ("은혜교회", ["church"]),
        ("해운정사", ["temple"]),
        ("Grace Chapel", ["church"]),
        ("봄날", []),
    ],
)
def test_a_faith_is_shown_its_own_house_only(name, house):
    assert find_house(Brief(name)) == house
