from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.studio.form import grid_for
from resources.studio.genres import GENRES, choose_genre
from resources.studio.lyricist.lyric import SHORTEST_LYRIC, Facts, write_lyric
from resources.studio.timeline import place_lines
from resources.studio.words import sung_lines

STAY = Facts(
    "스테이 머뭄", "군산시", "초원사진관, 경암동 철길마을, 은파호수공원", "Korean", "pop", 20
)
BAKERY = Facts("Blue Door Bakery", "Portland", "Sourdough since 1983", "English", "rock", 20)
HOSTILE = "{name} {0} %s \\N {\\an8} \"'"

any_facts = st.builds(
    Facts,
    customer_name=st.text(max_size=80),
    region=st.text(max_size=80),
    detail_region_info=st.text(max_size=200),
    language=st.sampled_from(["Korean", "English"]),
    genre=st.sampled_from([*GENRES, "polka", ""]),
    duration_seconds=st.integers(10, 120),
)


@given(any_facts, st.text(max_size=20))
def test_a_lyric_is_long_enough_for_any_facts(facts: Facts, seed: str) -> None:
    assert len(write_lyric(seed, facts).text.strip()) >= SHORTEST_LYRIC


@given(any_facts, st.text(max_size=20))
def test_a_lyric_is_the_same_for_the_same_seed_and_facts(facts: Facts, seed: str) -> None:
    assert write_lyric(seed, facts) == write_lyric(seed, facts)


@pytest.mark.parametrize(
    "other",
    [
        replace(STAY, customer_name="달빛 국수"),
        replace(STAY, region="전주시"),
        replace(STAY, detail_region_info="35년 전통"),
    ],
)
def test_a_lyric_differs_between_businesses(other: Facts) -> None:
    assert write_lyric("a", STAY).text != write_lyric("a", other).text


def test_a_lyric_differs_between_seeds() -> None:
    assert write_lyric("a", STAY).text != write_lyric("b", STAY).text


@pytest.mark.parametrize("facts", [STAY, BAKERY], ids=["Korean", "English"])
@pytest.mark.parametrize("seed", ["a", "b", "c", "d"])
def test_a_lyric_names_the_business_and_its_region(facts: Facts, seed: str) -> None:
    text = write_lyric(seed, facts).text
    assert facts.customer_name in text
    assert facts.region in text


def test_a_lyric_tells_the_first_fact() -> None:
    assert "초원사진관" in write_lyric("a", STAY).text


def test_a_title_is_one_line_with_no_place_left_open() -> None:
    titles = {write_lyric(str(seed), STAY).title for seed in range(20)}
    assert all("{" not in title and "\n" not in title for title in titles)


def test_hostile_names_stand_in_the_lyric_as_they_are() -> None:
    assert HOSTILE in write_lyric("a", replace(STAY, customer_name=HOSTILE)).text


@pytest.mark.parametrize("seconds", [15, 20, 45, 60, 90, 120])
@pytest.mark.parametrize("genre", sorted(GENRES))
def test_a_line_has_about_the_time_of_a_bar(genre: str, seconds: int) -> None:
    facts = replace(STAY, genre=genre, duration_seconds=seconds)
    chosen, _ = choose_genre(genre)
    grid = grid_for(chosen, seconds)
    lines = sung_lines(write_lyric("a", facts).text)
    assert 2.0 <= len(grid.sung_beats) * grid.beat / len(lines) <= 3.4


def test_every_line_of_a_lyric_is_sung() -> None:
    lyric = write_lyric("a", STAY)
    chosen, _ = choose_genre("pop")
    placed = place_lines(sung_lines(lyric.text), grid_for(chosen, 20))
    assert [line.text for line in placed] == lyric.text.splitlines()
