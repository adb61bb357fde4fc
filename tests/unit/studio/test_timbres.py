"""Who sings of a trade: the register of its file decides, and elsewhere the genre."""

import pytest

from bench.variety_orders import HOUSES, make_orders
from studio.band.song import choose_voice, compose_song
from studio.genres import get_genre, read_genres
from studio.lyricist.facts import Register, get_register
from studio.lyricist.lyric import Facts, write_lyric

TIMBRES = {"calm": "jf_nezumi", "gentle": "jf_nezumi", "merry": "jm_kumo"}
GENRES = sorted(read_genres())


def lyric_of(name: str, detail: str = "", genre: str = "pop", language: str = "English") -> str:
    return write_lyric("a", Facts(name, "Boston", detail, language, genre, 20)).text


@pytest.mark.parametrize("language", sorted(HOUSES))
def test_every_trade_is_sung_of_by_the_voice_of_its_register(language):
    pop = get_genre("pop")
    for trade in sorted(HOUSES[language]):
        seed, facts = next(iter(make_orders(trade, language, 1)))
        voice = choose_voice(pop, write_lyric(seed, facts).text)
        assert voice.timbre == TIMBRES.get(get_register(trade), pop.voice.timbre), trade


@pytest.mark.parametrize("genre", GENRES)
@pytest.mark.parametrize("name", ["Maple Street Dental", "Blue Harbor Coffee", "Iron Yard Gym"])
def test_a_voice_sings_as_the_genre_does_in_notes_of_its_own(genre, name):
    played = get_genre(genre)
    lyric = lyric_of(name, genre=genre)
    voice = choose_voice(played, lyric)
    _, _, score = compose_song(lyric, played, 20, "a")
    assert {voice.low <= note.pitch <= voice.high for note in score.melody} == {True}
    assert (voice.vibrato, voice.glide) == (played.voice.vibrato, played.voice.glide)


@pytest.mark.parametrize("genre", GENRES)
def test_a_plain_trade_and_an_unknown_one_are_sung_of_by_the_genres_voice(genre):
    for name in ("Golden Crust Bakery", "Nova"):
        assert choose_voice(get_genre(genre), lyric_of(name)) == get_genre(genre).voice


def test_a_name_that_tells_no_trade_is_known_by_its_lines():
    lyric = lyric_of("Nova", "fresh roses, wedding bouquets")
    assert choose_voice(get_genre("rock"), lyric).timbre == TIMBRES[Register.GENTLE]


def test_own_words_without_a_name_are_known_by_their_lines():
    lyric = "Roll out your mat\nCome to yoga in the morning"
    assert choose_voice(get_genre("rock"), lyric).timbre == TIMBRES[Register.GENTLE]


def test_words_of_nothing_are_sung_by_the_genres_voice():
    assert choose_voice(get_genre("rock"), "") == get_genre("rock").voice
