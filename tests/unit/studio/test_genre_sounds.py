"""What a listener tells the genres apart by, measured in what they sound like."""

from functools import cache
from itertools import combinations

import pytest

from bench.genres import Profile, compute_distance, measure_profile, play_short_song
from studio.genres import read_genres

SECONDS = 20
CLEARLY = 1.25
"""How many times the difference that one hears."""


@cache
def heard(genre: str) -> Profile:
    return measure_profile(play_short_song(read_genres()[genre], SECONDS))


@pytest.mark.parametrize("genre", sorted(read_genres()))
def test_the_swing_that_is_heard_is_the_genres(genre):
    assert heard(genre).swing == pytest.approx(read_genres()[genre].swing, abs=0.15)


@pytest.mark.parametrize("genre", sorted(read_genres()))
def test_the_tempo_that_is_heard_is_the_genres_or_twice_that(genre):
    tempo = read_genres()[genre].tempo
    close = pytest.approx(heard(genre).tempo, rel=0.08)
    assert close in (tempo, 2 * tempo)


@pytest.mark.parametrize(("one", "other"), combinations(sorted(read_genres()), 2))
def test_genres_are_clearly_told_apart(one, other):
    assert compute_distance(heard(one), heard(other)) >= CLEARLY


def test_hip_hop_and_dance_music_are_lowest():
    lowest = sorted(read_genres(), key=lambda genre: heard(genre).low)[-2:]
    assert sorted(lowest) == ["edm", "hiphop"]


def test_slow_and_soft_music_is_struck_least():
    softest = sorted(read_genres(), key=lambda genre: heard(genre).percussive)[:2]
    assert sorted(softest) == ["ambient", "ballad"]
