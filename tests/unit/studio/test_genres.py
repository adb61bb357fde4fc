import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.band.styles import STYLES
from studio.genre_names import ALSO_CALLED, FAMILIES
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
        ("트로트", "trot"),
        ("신나는 뽕짝!", "trot"),
        ("재즈풍의 음악", "jazz"),
        ("퓨전재즈", "jazz"),
        ("swing", "jazz"),
        ("hip-hop", "hiphop"),
        ("Hip Hop, pop", "hiphop"),
        ("힙 합", "hiphop"),
        ("랩", "hiphop"),
        ("lofi hip hop", "hiphop"),
        ("Bossa Nova", "bossa"),
        ("보사노바", "bossa"),
        ("acoustic", "acoustic"),
        ("통기타", "acoustic"),
        ("reggaeton, jazz", "jazz"),
        ("city pop", "pop"),
    ],
)
def test_the_first_known_genre_is_played(text: str, expected: str) -> None:
    genre, note = choose_genre(text)
    assert (genre.name, note) == (expected, None)


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [
        ("reggaeton", "edm"),
        ("Heavy Metal", "rock"),
        ("국악", "trot"),
        ("R&B", "pop"),
        ("레게", "bossa"),
        ("클래식", "ballad"),
        ("country", "acoustic"),
        ("트로드", "trot"),
        ("jaz", "jazz"),
        ("balad", "ballad"),
        ("zzz", "pop"),
        ("😀", "pop"),
    ],
)
def test_a_genre_that_is_not_played_becomes_the_nearest_and_says_so(
    asked: str, nearest: str
) -> None:
    genre, note = choose_genre(asked)
    assert genre.name == nearest
    assert note == (
        f"genre: '{asked}' is not played; the nearest is {nearest}; expected one of {', '.join(GENRES)}"
    )


@given(st.text(max_size=100))
def test_any_text_chooses_a_genre(text: str) -> None:
    genre, _ = choose_genre(text)
    assert genre in GENRES.values()


def test_a_note_stays_short_for_a_long_text() -> None:
    _, note = choose_genre("polka " * 100)
    assert note is not None
    assert len(note) < 200


def test_a_name_means_one_genre() -> None:
    assert not ALSO_CALLED.keys() & FAMILIES.keys()
    assert {*ALSO_CALLED.values(), *FAMILIES.values()} == GENRES.keys()


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
