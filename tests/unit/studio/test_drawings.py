from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from studio.camera.palettes import choose_palette
from studio.camera.scenes.brush import mix
from studio.camera.scenes.drawings import find_drawings, read_drawings
from studio.camera.scenes.pen import Pen, darken, lighten
from studio.content import BUILT_IN, ContentError
from tests.tables import read_beside, rows_beside

CAKE = read_beside(__file__)["CAKE"]
FILES = sorted((BUILT_IN / "props").glob("*.txt"))


def make_pen(image: Image.Image) -> Pen:
    chance = np.random.default_rng(1)
    palette = choose_palette("pop", "a")
    return Pen(ImageDraw.Draw(image), palette, chance, 30, 80, 9.5, canvas=image.size)


def test_a_drawing_is_what_its_calls_draw(tmp_path):
    path = tmp_path / "sweets.txt"
    path.write_text(CAKE)
    (cake,) = read_drawings(path)
    shown, expected = (Image.new("RGB", (60, 100)) for _ in range(2))
    cake(make_pen(shown), berry=(200, 30, 60))
    pen = make_pen(expected)
    oak = pen.pick([(146, 98, 62), (146, 98, 62)])
    pen.box(mix((255, 248, 240), pen.palette.sky[2], 0.25), -1, 0, 1, 1.5, 0.1)
    for x, side in ((-0.5, 1), (0.5, -1)):
        pen.at(x, 1.5, side=side).ball(lighten((200, 30, 60), 0.2), 0, 0, 0.2)
    for number in range(3):
        placed = pen.at(0.5 * number, 0.25 * number, turn=0.2 * number)
        placed.line(darken((44, 46, 58), 0.5), 0.1, (0, 0), (0, 1))
        placed.oval(oak, 0, 0, 0.2, 0.1)
    assert shown == expected


@rows_beside
def test_a_refusal_names_the_line_and_what_was_expected(old, new, message, tmp_path):
    error = find_error(tmp_path / "sweets.txt", CAKE.replace(old, new))
    assert error
    assert str(error).split(".txt, ", 1)[1].startswith(message)


def find_error(path: Path, text: str) -> ContentError | None:
    """Return why a text is refused; draw what it draws where it is not."""
    path.write_text(text)
    try:
        drawings = read_drawings(path)
        for drawing in drawings:
            drawing.compile()
    except ContentError as error:
        return error
    for drawing in drawings:
        given = [(1, 2, 3)] * len(drawing.options)
        drawing(make_pen(Image.new("RGB", (20, 20))).at(0, 0, 0.1), *given)
    return None


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_text_is_drawn_or_refused_with_a_line_of_its_own(tmp_path_factory, data):
    lines = data.draw(st.sampled_from([CAKE, *(path.read_text() for path in FILES)])).split("\n")
    start = data.draw(st.integers(0, len(lines) - 1))
    text = "[start]\n" + "\n".join(lines[start : start + 12])
    pieces = st.sampled_from(
        ["[", "]", "=", ",", "-", " 0", " 1e9", "\nat 0,0 ", "\nrepeat 300 0,0 ", "\ndraw ", "pick ", "mix "]
    )  # fmt: skip
    for _ in range(data.draw(st.integers(1, 4))):
        place, removed = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 8))
        text = text[:place] + data.draw(pieces | st.text(max_size=3)) + text[place + removed :]
    path = tmp_path_factory.mktemp("props") / "x.txt"
    error = find_error(path, text)
    if error:
        assert error.path == path
        assert error.line
        assert error.line <= path.read_text().count("\n") + 1


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the user's own drawings."""
    monkeypatch.setenv("CASTAD_STUDIO_DATA", str(tmp_path))
    (tmp_path / "props").mkdir()
    return tmp_path / "props"


def test_a_drawing_of_the_users_folder_is_one_of_all(own):
    (own / "kites.txt").write_text("[kite]\npoly accent 0,0 1,1 0,3 -1,1\ndraw cup\n")
    image = Image.new("RGB", (60, 100))
    find_drawings()["kite"](make_pen(image))
    assert image.getbbox()


@pytest.mark.parametrize("name", ["cup", "window"])
def test_a_name_that_another_drawing_has_is_refused(own, name):
    (own / "mine.txt").write_text(f"[{name}]\nball oak 0 0 1\n")
    with pytest.raises(
        ContentError, match=f"line 1: expected a name of its own, found another {name}"
    ):
        find_drawings()


@pytest.mark.parametrize("text", ["[a]\ndraw a\n", "[a]\ndraw b\n\n[b]\nspin a 0 0 1 1\n"])
def test_a_drawing_that_is_part_of_itself_is_refused(own, text):
    (own / "mine.txt").write_text(text)
    with pytest.raises(ContentError, match="part of itself"):
        find_drawings()["a"](make_pen(Image.new("RGB", (9, 9))))
