from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.camera.moving import Subject
from studio.camera.shots import (
    FPS,
    SHORTEST_ON_BEAT,
    Rhythm,
    Section,
    Shot,
    aim,
    left_out,
    load_manners,
    look_at,
    plan_shots,
)

GENRES = sorted(load_manners())
BEAT = 0.5


def sections(*lengths: tuple[str, int]) -> tuple[Section, ...]:
    """Sections of so many bars, one after the other."""
    found, start = [], 0.0
    for kind, bars in lengths:
        found.append(Section(kind, start, start + bars * 4 * BEAT))
        start = found[-1].end
    return tuple(found)


SONG = Rhythm(BEAT, 0.0, sections(("intro", 1), ("verse", 4), ("chorus", 4), ("outro", 1)))


def cut_to(rhythm: Rhythm, genre: str, length: float = 20.0, pictures: int = 4) -> tuple[Shot, ...]:
    return plan_shots(length, [], pictures, "a", genre=genre, rhythm=rhythm)


def frames(shot: Shot) -> list[float]:
    first, last = round(shot.start * FPS), round(shot.end * FPS)
    return [number / FPS for number in range(first, last)]


@given(st.floats(10, 120), st.lists(st.floats(0, 120), max_size=50).map(sorted), st.integers(1, 12))
@settings(max_examples=50)
def test_shots_fill_a_film_without_a_beat_and_leave_no_gap(length, moments, pictures):
    shots = plan_shots(length, moments, pictures, "a")
    assert (shots[0].start, shots[-1].end) == (0.0, length)
    assert all(first.end == second.start for first, second in pairwise(shots))
    assert all(2.5 <= shot.end - shot.start <= 10 and shot.picture < pictures for shot in shots)


@given(
    st.floats(10, 120),
    st.floats(0.25, 1.2),
    st.floats(-3, 3),
    st.integers(1, 12),
    st.sampled_from(GENRES),
)
@settings(max_examples=50)
def test_every_cut_lies_on_a_beat(length, beat, first, pictures, genre):
    shots = cut_to(Rhythm(beat, first), genre, length, pictures)
    assert (shots[0].start, shots[-1].end) == (0.0, length)
    for shot, following in pairwise(shots):
        assert shot.end == following.start
        beats = (shot.end - first) / beat
        assert abs(beats - round(beats)) * beat < 0.5 / FPS
    assert all(shot.end - shot.start >= 1.6 for shot in shots)


@pytest.mark.parametrize("genre", GENRES)
def test_a_shot_begins_with_the_chorus(genre):
    assert SONG.sections[2].start in {shot.start for shot in cut_to(SONG, genre)}


@pytest.mark.parametrize("genre", GENRES)
def test_shots_are_shorter_in_a_chorus_than_in_a_verse(genre):
    song = Rhythm(BEAT, 0.0, sections(("verse", 12), ("chorus", 12)))
    shots = cut_to(song, genre, 48.0, 2)
    verse = [shot.end - shot.start for shot in shots if shot.start < 24]
    chorus = [shot.end - shot.start for shot in shots if shot.start >= 24]
    assert max(chorus) < max(verse)
    assert len(chorus) > len(verse)


@pytest.mark.parametrize("genre", GENRES)
@pytest.mark.parametrize("pictures", [5, 8])
def test_every_picture_has_its_turn_where_there_is_time(genre, pictures):
    shown = {shot.picture for shot in cut_to(SONG, genre, 20.0, pictures)}
    assert shown == set(range(pictures))


@pytest.mark.parametrize("genre", GENRES)
@pytest.mark.parametrize("beat", [60 / 76, 60 / 112, 60 / 132])
def test_as_many_pictures_are_shown_as_the_beat_has_room_for(genre, beat):
    """Sections that begin every few beats do not cost a picture its turn."""
    step = next(count for count in range(1, 9) if count * beat >= SHORTEST_ON_BEAT) * beat
    changes = [5 * beat * number for number in range(6)]
    parts = tuple(Section("verse", start, start + 5 * beat) for start in changes)
    room = int((15 - SHORTEST_ON_BEAT) / step) + 1
    shots = cut_to(Rhythm(beat, 0.0, parts), genre, 15.0, 12)
    assert len({shot.picture for shot in shots}) == room


@pytest.mark.parametrize("genre", GENRES)
@pytest.mark.parametrize("rhythm", [SONG, None])
@pytest.mark.parametrize("length", [10.0, 20.0, 61.3])
def test_a_picture_alone_is_not_cut_against_itself(genre, rhythm, length):
    shots = plan_shots(length, [2.0, 5.1, 6.0, 9.0], 1, "a", genre=genre, rhythm=rhythm)
    assert all(shot.end - shot.start >= 4.5 for shot in shots)
    assert {shot.comes.kind for shot in shots[1:]} == {"dissolve"}


@pytest.mark.parametrize("beat", [0.0, -1.0, 0.01, 50.0, float("nan")])
def test_a_beat_that_is_none_is_not_cut_to(beat):
    assert cut_to(Rhythm(beat), "pop") == plan_shots(20.0, [], 4, "a")


def test_a_shot_changes_when_a_line_begins_where_no_beat_is_known():
    shots = plan_shots(20, [2.2, 4.4, 6.6, 8.8, 11.0, 13.2, 15.4], 5, "a")
    assert [shot.start for shot in shots] == [0.0, 4.4, 8.8, 13.2, 16.6]


def test_pictures_that_have_no_turn_are_told_of():
    shots = plan_shots(10, [], 8, "a")
    assert left_out(shots, 8, 10) == ["only the first 3 of 8 pictures fit into 10 seconds"]
    assert left_out(shots, 3, 10) == []


@pytest.mark.parametrize("genre", GENRES)
def test_every_frame_shows_shots_whose_shares_add_up(genre):
    shots = cut_to(SONG, genre)
    for number in range(20 * FPS):
        look = look_at(shots, number / FPS)
        assert len(look.seen) in (1, 2)
        assert sum(share for _, share in look.seen) == pytest.approx(1)
        assert all(0 <= share <= 1 for _, share in look.seen)
        assert -1 <= look.light <= 1


def test_a_hard_cut_is_seen_in_the_frame_nearest_to_the_beat():
    shots = cut_to(Rhythm(0.47, 0.11), "rock")
    for shot, following in pairwise(shots):
        nearest = round(shot.end * FPS)
        assert look_at(shots, (nearest - 1) / FPS).seen[0][0] is shot
        assert look_at(shots, nearest / FPS).seen[0][0] is following


@pytest.mark.parametrize("genre", GENRES)
@given(
    spot=st.tuples(st.floats(0, 0.9), st.floats(0, 0.9)),
    size=st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)),
    seed=st.text("abc", min_size=1, max_size=4),
)
@settings(max_examples=8)
def test_the_camera_never_looks_beyond_the_picture(genre, spot, size, seed):
    ends = [min(1.0, start + side) for start, side in zip(spot, size, strict=True)]
    subject = Subject(*spot, *ends)
    for shot in plan_shots(12, [], 4, seed, genre=genre, rhythm=SONG):
        for moment in frames(shot):
            left, top, width = aim(shot, moment, subject)
            assert 0 < width <= 1
            assert -1e-9 <= left <= 1 - width + 1e-9
            assert -1e-9 <= top <= 1 - width + 1e-9


@pytest.mark.parametrize("genre", GENRES)
@given(
    across=st.floats(0, 0.5), down=st.floats(0, 0.5), size=st.floats(0.02, 0.5), seed=st.text("ab")
)
@settings(max_examples=8)
def test_the_camera_keeps_its_subject_in_view(genre, across, down, size, seed):
    subject = Subject(across, down, across + size, down + size)
    for shot in plan_shots(12, [], 4, seed, genre=genre, rhythm=SONG):
        for moment in frames(shot):
            left, top, width = aim(shot, moment, subject)
            assert left <= across + 1e-9
            assert top <= down + 1e-9
            assert left + width >= across + size - 1e-9
            assert top + width >= down + size - 1e-9


@pytest.mark.parametrize("genre", GENRES)
def test_the_camera_moves_without_a_jerk(genre):
    """No edge of what it sees moves far from one frame to the next, but where it darts from shot to shot."""
    for seed in "abc":
        for shot in plan_shots(20, [], 4, seed, genre=genre, rhythm=SONG):
            most = 0.05 if "rush" in (shot.comes.kind, shot.goes.kind) else 0.022
            squares = [aim(shot, moment, Subject()) for moment in frames(shot)]
            for (left, top, width), (next_left, next_top, next_width) in pairwise(squares):
                steps = (next_left - left, next_top - top, next_width - width)
                assert max(map(abs, steps)) < most


@pytest.mark.parametrize("genre", GENRES)
def test_the_camera_moves_in_every_shot(genre):
    for shot in cut_to(SONG, genre):
        first = aim(shot, shot.start, Subject())
        last = aim(shot, shot.end, Subject())
        assert max(abs(a - b) for a, b in zip(first, last, strict=True)) > 0.02


def test_a_drop_of_the_beat_brings_the_camera_nearer():
    song = Rhythm(BEAT, 0.0, (Section("chorus", 0.0, 20.0),))
    [shot, *_] = plan_shots(20, [], 1, "a", genre="edm", rhythm=song)
    still = Shot(shot.start, shot.end, 0, shot.before, shot.before, manner=shot.manner, rhythm=song)
    between, on_beat = (aim(still, moment, Subject())[2] for moment in (0.7, 1.0))
    assert on_beat < between * 0.98


def test_genres_and_seeds_are_filmed_in_different_ways():
    plans = {
        plan_shots(20, [], 4, seed, genre=genre, rhythm=SONG) for genre in GENRES for seed in "abc"
    }
    assert len(plans) == 3 * len(GENRES)


def test_the_same_order_is_filmed_in_the_same_way():
    assert cut_to(SONG, "pop") == cut_to(SONG, "pop")
