import pytest

from resources.studio.genres import choose_genre


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pop", "pop"),
        ("Ambient, pop", "ambient"),
        ("polka or ROCK", "rock"),
        ("발라드", "ballad"),
        ("", "pop"),
    ],
)
def test_the_first_known_genre_is_played(text: str, expected: str) -> None:
    genre, note = choose_genre(text)
    assert (genre.name, note) == (expected, None)


def test_an_unknown_genre_becomes_pop_and_says_so() -> None:
    genre, note = choose_genre("polka")
    assert genre.name == "pop"
    assert note == "genre 'polka' is not one the studio plays; it played pop"


def test_a_note_stays_short_for_a_long_text() -> None:
    _, note = choose_genre("polka " * 100)
    assert note is not None
    assert len(note) < 120
