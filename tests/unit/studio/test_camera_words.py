"""What the camera reads from files: a user's file replaces the built-in one, and is refused by file and line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from studio.camera.palettes import choose_palette, load_palettes
from studio.camera.scouting import Brief, choose_scenes, find_named, load_choices
from studio.camera.shots import get_manner, load_manners
from studio.camera.text import Text, call_for, load_calls
from studio.content import BUILT_IN, ContentError
from tests.tables import rows_beside

READERS: dict[str, Callable[[], object]] = {
    "palettes": load_palettes,
    "filming": load_manners,
    "words/calls": load_calls,
    "words/scenes": load_choices,
}
Replace = Callable[[str, str], Path]


@pytest.fixture
def replace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Replace:
    """Put a file into the user's folder."""
    monkeypatch.setenv("CASTAD_STUDIO_DATA", str(tmp_path))

    def write(name: str, text: str) -> Path:
        path = tmp_path / f"{name}.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    return write


def built_in(name: str) -> str:
    return (BUILT_IN / f"{name}.toml").read_text("utf-8")


@pytest.mark.parametrize("name", READERS)
def test_a_users_file_is_read_in_place_of_the_built_in_one(name, replace):
    before = READERS[name]()
    replace(name, built_in(name))
    assert READERS[name]() == before
    replace(name, "")
    assert READERS[name]() == before, "it was read once"


@rows_beside
def test_what_a_users_file_says_wrongly_is_refused_by_file_and_line(
    name, right, wrong, expected, replace
):
    assert right in built_in(name)
    path = replace(name, built_in(name).replace(right, wrong, 1))
    with pytest.raises(ContentError, match=rf", line \d+: expected {expected}") as caught:
        READERS[name]()
    assert str(caught.value).startswith(f"{path}, line ")


def test_a_genre_without_colours_or_cuts_is_refused_by_the_file(replace):
    replace("palettes", built_in("palettes").replace("[[pop]]", "[[pops]]"))
    replace("filming", built_in("filming").replace("[pop]", "[pops]"))
    with pytest.raises(ContentError, match="palettes of pop"):
        choose_palette("pop", "a")
    with pytest.raises(ContentError, match="the genre pop"):
        get_manner("pop")


def test_a_users_words_choose_the_call_and_the_scene(replace):
    replace("words/calls", '[English]\nanywhere = ["Hop in {now}"]\nsomewhere = []\n')
    assert call_for(Text("Cafe", "", (), language="English"), "a") == "Hop in {now}"
    replace("words/scenes", built_in("words/scenes").replace('"sea", "ocean"', '"c++", "sea"'))
    assert find_named("we sing c++ songs", ["hills"]) == []
    assert find_named("over the sea", ["sea"]) == [0]


def test_a_users_trade_without_scenes_is_filmed_like_one_that_is_not_known(tmp_path, replace):
    (tmp_path / "lyrics" / "en").mkdir(parents=True)
    source = (BUILT_IN / "lyrics" / "en" / "bike.txt").read_text("utf-8")
    assert find_words(source)
    (tmp_path / "lyrics" / "en" / "kite.txt").write_text(
        source.replace(find_words(source), "kiteshop"), "utf-8"
    )
    assert choose_scenes(Brief("Blue Kiteshop"), "pop", "a") == choose_scenes(
        Brief("Blue Kites"), "pop", "a"
    )


def find_words(text: str) -> str:
    """Return what stands below [words]."""
    return text.split("[words]\n")[1].split("[")[0].strip()
