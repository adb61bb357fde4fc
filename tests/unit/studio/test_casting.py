from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.camera.scouting import Brief, cast, choose_scenes, find_hooks, find_named
from studio.camera.shots import Rhythm, Section, Shot, get_manner, load_manners, plan_shots
from studio.timeline import Chunk, Line
from tests.tables import rows_beside

MANNER = get_manner("pop")
SCENES = ("cafe-1", "cafe-2", "rain", "cafe-3", "hills")


def line(text: str, start: float, length: float = 2.0) -> Line:
    return Line(text, start, start + length, (Chunk(text, length),))


def shots(count: int, length: float = 2.0) -> tuple[Shot, ...]:
    view = (1.0, 0.5, 0.5)
    return tuple(Shot(length * n, length * (n + 1), n, view, view, MANNER) for n in range(count))


def places(found: tuple[Shot, ...]) -> list[str]:
    return [SCENES[shot.picture % len(SCENES)] for shot in found]


@pytest.mark.parametrize(
    ("text", "scene"),
    [
        ("비 오는 창가에서", "rain"),
        ("커피 한 잔의 여유", "cafe-1"),
        ("언덕 너머로", "hills"),
        ("dancing in the rain", "rain"),
    ],
)
def test_what_a_line_names_is_seen_while_it_is_sung(text, scene):
    lines = [line("라라라", 0.0), line("나나나", 2.0), line(text, 4.0)]
    assert places(cast(shots(3), lines, (), SCENES))[2] == scene


@rows_beside
def test_a_line_of_bicycles_is_sung_over_the_scene_that_shows_what_it_names(text, scene):
    scenes = ("bike-1", "bike-2", "bike-3")
    assert scenes[find_named(text, scenes)[0]] == scene


def test_a_hook_is_sung_over_the_main_scene():
    lines = [line("라라라", 2.0 * n) for n in range(4)]
    lines[2] = line("우리 가게", 4.0)
    sections = (Section("verse", 0.0, 4.0), Section("chorus", 4.0, 8.0))
    assert places(cast(shots(4), lines, sections, SCENES))[2] == SCENES[0]


def test_hooks_are_what_choruses_begin_with_or_what_comes_again():
    lines = [line("가", 0.0), line("나", 2.0), line("가", 4.0), line("다", 6.0)]
    assert find_hooks(lines, (Section("chorus", 2.0, 6.0),)) == {"나"}
    assert find_hooks(lines, ()) == {"가"}


def test_where_nothing_is_named_scenes_take_turns():
    assert places(cast(shots(5), (), (), SCENES)) == list(SCENES)


@given(
    st.lists(st.sampled_from(("커피", "비", "언덕", "라라", "")), max_size=40), st.integers(1, 50)
)
@settings(max_examples=60)
def test_neighbours_show_different_scenes_whatever_is_sung(texts, count):
    lines = [line(text, 2.0 * number) for number, text in enumerate(texts)]
    found = places(cast(shots(count), lines, (), SCENES))
    assert all(first != second for first, second in pairwise(found))


@pytest.mark.parametrize("genre", sorted(load_manners()))
@pytest.mark.parametrize("seconds", [20.0, 60.0, 120.0])
@pytest.mark.parametrize("name", ["동네 카페", "김변호 법률사무소", "봄"])
def test_no_picture_of_a_film_is_seen_more_than_twice(name, seconds, genre):
    lines = [line("커피 한 잔, 비 오는 밤", 2.4 * number) for number in range(int(seconds / 2.4))]
    sung = "\n".join(each.text for each in lines)
    scenes = choose_scenes(Brief(name, sung=sung), genre, "a", seconds)
    planned = plan_shots(
        seconds, [], len(scenes), "a", genre=genre, rhythm=Rhythm(0.5), all_shown=False
    )
    found = cast(planned, lines, (), scenes)
    assert max(Counter(shot.picture for shot in found).values()) <= 2


# The cuts of all tempos that a song may have, sung calmly, loudly, or both by turns.
RHYTHMS = [
    Rhythm(60 / tempo, 0.0, sections)
    for tempo in (60, 84, 104, 136, 160, 200)
    for sections in (
        (),
        (Section("chorus", 0.0, 60.0),),
        tuple(Section(("verse", "chorus")[n % 2], 10.0 * n, 10.0 * n + 10) for n in range(6)),
    )
]
SUNG = ["", "커피 한 잔, 비 오는 밤", "Under the night rain, by the window", "노래해 우리 함께"]
NAMES = ["달인 타투", "바른 치과", "Corner Coffee", "달밤 포차", "평안 장례식장"]


@given(
    name=st.sampled_from(NAMES),
    genre=st.sampled_from(sorted(load_manners())),
    seconds=st.sampled_from([10.0, 20.0, 41.0, 60.0]),
    rhythm=st.sampled_from(RHYTHMS),
    sung=st.sampled_from(SUNG),
)
@settings(max_examples=400)
def test_no_scene_of_a_minute_or_less_is_seen_more_than_twice(name, genre, seconds, rhythm, sung):
    planned = plan_shots(seconds, [], 2, "a", genre=genre, rhythm=rhythm, all_shown=False)
    scenes = choose_scenes(Brief(name, sung=sung), genre, "a", seconds, len(planned))
    lines = [line(sung, 2.0 * number) for number in range(30)] if sung else []
    found = cast(planned, lines, rhythm.sections, scenes)
    assert max(Counter(shot.picture % len(scenes) for shot in found).values()) <= 2


@pytest.mark.parametrize("genre", sorted(load_manners()))
@pytest.mark.parametrize("name", ["달인 타투", "바른 치과"])
def test_a_scene_of_two_minutes_is_seen_no_oftener_than_the_number_of_scenes_demands(name, genre):
    scenes = choose_scenes(Brief(name), genre, "a", 120.0, 60)
    found = cast(shots(60), (), (), scenes)
    assert max(Counter(shot.picture % len(scenes) for shot in found).values()) <= 3


def test_a_film_of_few_shots_is_made_of_few_scenes():
    assert len(choose_scenes(Brief("동네 카페"), "pop", "a", 60.0, 16)) <= 10


@given(
    st.lists(st.sampled_from(("커피", "비", "언덕", "라라", "")), max_size=60), st.integers(21, 60)
)
@settings(max_examples=60)
def test_what_lines_name_makes_no_scene_of_a_long_film_come_much_oftener(texts, count):
    lines = [line(text, 2.0 * number) for number, text in enumerate(texts)]
    found = cast(shots(count), lines, (), SCENES)
    assert max(Counter(places(found)).values()) <= -(-count // len(SCENES)) + 1
