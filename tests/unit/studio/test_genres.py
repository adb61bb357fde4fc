from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio import genres
from studio.content import ContentError, read_typed
from studio.genres import Genre, choose_genre, list_families, list_played, read_genres, read_names
from tests.tables import rows_beside


@rows_beside
def test_the_first_known_genre_is_played(text, expected):
    genre, note = choose_genre(text)
    assert (genre.name, note) == (expected, None)


@rows_beside
def test_a_genre_that_is_not_played_becomes_the_nearest_and_says_so(asked, nearest):
    genre, note = choose_genre(asked)
    assert genre.name == nearest
    assert note == (
        f"genre: '{asked}' is not played; the nearest is {nearest}; expected one of "
        "pop, ballad, edm, rock, ambient, trot, jazz, hip hop, bossa nova, acoustic"
    )


def test_a_note_names_genres_as_the_documents_do():
    _, note = choose_genre("reggae")
    assert note is not None
    assert "the nearest is bossa nova; " in note


@given(st.text(max_size=100))
def test_any_text_chooses_a_genre(text):
    genre, _ = choose_genre(text)
    assert genre in read_genres().values()


@given(st.sampled_from(sorted(read_genres())), st.sampled_from(sorted(read_genres())))
def test_a_rejected_genre_is_never_played(rejected, wanted):
    for text in (f"no {rejected}, {wanted}", f"{wanted}, {rejected} 말고", f"not {rejected}"):
        assert choose_genre(text)[0].name != rejected or rejected == wanted


def test_a_note_stays_short_for_a_long_text():
    _, note = choose_genre("polka " * 100)
    assert note is not None
    assert len(note) < 200


def test_a_name_means_one_genre():
    assert not list_played().keys() & list_families().keys()
    words = [word for names in read_names().values() for word in (*names.called, *names.nearest)]
    assert len(words) == len({*words})


def test_a_genre_is_played_by_the_name_that_sentences_call_it():
    shown = {name: names.shown or name for name, names in read_names().items()}
    assert {name: choose_genre(called)[0].name for name, called in shown.items()} == {
        name: name for name in shown
    }


@pytest.mark.parametrize("genre", sorted(read_genres()))
def test_syllables_fall_on_steps_of_half_a_bar_in_order(genre):
    for count, cells in read_genres()[genre].cells.items():
        for cell in cells:
            assert len(cell) == count
            assert list(cell) == sorted({*cell} & set(range(8)))


@pytest.mark.parametrize("genre", sorted(read_genres()))
def test_any_number_of_syllables_up_to_eight_can_open_a_line(genre):
    for count in range(1, 9):
        assert any(cell[0] == 0 for cell in read_genres()[genre].cells[count])


def test_genres_differ_in_tempo():
    assert len({genre.tempo for genre in read_genres().values()}) == len(read_genres())


POP = Path(genres.__file__).parent / "data" / "genres" / "pop.toml"


@rows_beside
def test_a_genre_that_cannot_be_read_is_refused_with_its_file_and_line(old, new, why, tmp_path):
    own = tmp_path / "pop.toml"
    own.write_text(POP.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(ContentError, match=why) as caught:
        read_typed(own, Genre, name="pop")
    assert caught.value.path == own
    assert own.read_text("utf-8").splitlines()[caught.value.line - 1] == new


@given(text=st.text(max_size=60), place=st.integers(0, 60))
def test_any_file_is_a_genre_or_a_content_error(text, place, tmp_path_factory):
    lines = POP.read_text("utf-8").splitlines()
    lines[place:place] = [text]
    own = tmp_path_factory.mktemp("genre") / "pop.toml"
    own.write_text("\n".join(lines), "utf-8", "replace")
    with suppress(ContentError):
        assert isinstance(read_typed(own, Genre, name="pop"), Genre)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("hat =", "gong =", "drums of the kit tight, which has no gong"),
        ('lead = "bell", ', "", "sounds of lead"),
        ('lead = "bell"', 'lead = "kazoo"', "style.sounds.lead: one of accordion"),
        ("drums = 0.5", "cymbals = 0.5", "levels of drums"),
    ],
)
def test_a_genre_is_played_by_what_the_band_has(tmp_path, old, new, why):
    own = tmp_path / "pop.toml"
    own.write_text(POP.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(ContentError, match=why):
        read_typed(own, Genre, name="pop")


def test_a_key_that_a_genre_lacks_is_named(tmp_path):
    own = tmp_path / "pop.toml"
    own.write_text(POP.read_text("utf-8").replace("tempo = 104", ""), "utf-8")
    with pytest.raises(ContentError, match="line 1: expected tempo: Field required"):
        read_typed(own, Genre, name="pop")
