import pytest

from studio.band.styles import STYLES
from studio.genres import GENRES, choose_genre
from studio.singer.voices import VOICES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pop", "pop"),
        ("Ambient, pop", "ambient"),
        ("polka or ROCK", "rock"),
        ("발라드", "ballad"),
        ("잔잔한 로파이", "ambient"),
        ("로우파이", "ambient"),
        ("하우스", "edm"),
        ("전자음악", "edm"),
        ("락앤롤", "rock"),
        ("팝송", "pop"),
        ("", "pop"),
    ],
)
def test_the_first_known_genre_is_played(text: str, expected: str) -> None:
    genre, note = choose_genre(text)
    assert (genre.name, note) == (expected, None)


@pytest.mark.parametrize("asked", ["polka", "재즈"])
def test_an_unknown_genre_becomes_pop_and_says_so(asked: str) -> None:
    genre, note = choose_genre(asked)
    assert genre.name == "pop"
    assert note == f"genre '{asked}' is not one the studio plays; it played pop"


def test_a_note_stays_short_for_a_long_text() -> None:
    _, note = choose_genre("polka " * 100)
    assert note is not None
    assert len(note) < 120


@pytest.mark.parametrize("genre", sorted(GENRES))
def test_syllables_fall_on_steps_of_half_a_bar_in_order(genre: str) -> None:
    for count, cells in GENRES[genre].cells.items():
        for cell in cells:
            assert len(cell) == count
            assert list(cell) == sorted({*cell} & set(range(8)))


@pytest.mark.parametrize("genre", sorted(GENRES))
def test_any_number_of_syllables_up_to_eight_can_open_a_line(genre: str) -> None:
    for count in range(1, 9):
        assert any(cell[0] == 0 for cell in GENRES[genre].cells[count])


def test_every_genre_has_a_style_and_a_voice() -> None:
    assert set(GENRES) == set(STYLES) == set(VOICES)


def test_genres_differ_in_tempo() -> None:
    assert len({genre.tempo for genre in GENRES.values()}) == len(GENRES)
