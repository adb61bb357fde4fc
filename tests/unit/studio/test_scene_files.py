import importlib
import pkgutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.camera.film import paint
from studio.camera.palettes import choose_palette
from studio.camera.scenes import props
from studio.camera.scenes.compositions import (
    Kind,
    find_scene,
    list_options,
    list_rooms,
    list_scenes,
    list_things,
    read_scenes,
)
from studio.camera.scenes.drawings import read_drawings
from studio.camera.scenes.easel import Easel
from studio.content import BUILT_IN, ContentError, Items
from studio.trades import get_trades
from tests.tables import read_beside, rows_beside

SCENE = read_beside(__file__)["SCENE"]
FILES = sorted((BUILT_IN / "scenes").glob("*.yaml"))
DRAWN = sorted((BUILT_IN / "props").glob("*.txt"))


def read(folder: Path, text: str) -> None:
    path = folder / f"{abs(hash(text))}.yaml"
    path.write_text(text)
    read_scenes(path)


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(ContentError) as raised:
        read(folder, text)
    return str(raised.value).split(".yaml, ", 1)[1]


def test_the_files_have_three_scenes_of_each_trade_and_some_of_none():
    scenes = list_scenes()
    assert {"cafe-1", "cafe-2", "cafe-3", "rain", "morning", "church", "temple"} <= set(scenes)
    trades = get_trades()
    assert sorted(scenes) == sorted(
        name
        for file in (path.stem for path in FILES)
        for name in ([f"{file}-{number}" for number in (1, 2, 3)] if file in trades else [file])
    )


@pytest.mark.parametrize("name", ["cafe-4", "cafe-0", "cafe", "nothing", "", "rain-1", "../cafe-1"])
def test_a_name_of_no_scene_finds_none(name):
    assert find_scene(name) is None


def test_every_drawing_that_is_code_has_a_name_of_its_own():
    modules = [
        importlib.import_module(f"{props.__name__}.{module.name}")
        for module in pkgutil.iter_modules(props.__path__)
    ]
    named = [
        name
        for module in modules
        for name, function in vars(module).items()
        if name.startswith("draw_") and function.__module__ == module.__name__
    ]
    assert len(named) == len(set(named))
    drawings = {name.removeprefix("draw_") for name in named} | {
        drawing.name for path in DRAWN for drawing in read_drawings(path)
    }
    assert set(list_things()) <= drawings


SAMPLES = (9, 9, 9), 2, 0.5, True, "garden"


@pytest.mark.parametrize("size", [0.1, 10.0])
def test_every_thing_can_be_drawn_small_and_large_with_all_that_a_file_may_say(size):
    for name, draw in list_things().items():
        options = {
            option: next(sample for sample in SAMPLES if holds(kind, sample))
            for option, kind in list_options(draw).items()
        }
        easel = Easel(choose_palette("pop", "a"), (60, 100), np.random.default_rng(1))
        draw(easel.pen(0, 1, size), **options)
        assert easel.finish().size == (60, 100), name


def holds(kind: Kind, sample: object) -> bool:
    return kind.holds(Items(sample) if isinstance(sample, tuple) else sample)


def test_what_a_file_says_is_in_its_scene(tmp_path):
    path = tmp_path / "one.yaml"
    path.write_text(SCENE)
    (scene,) = read_scenes(path)
    assert [(put.thing, put.x, put.size) for put in scene.things] == [
        ("cup", -0.6, 1.4),
        ("lantern", 3, 1.0),
    ]
    assert [(put.thing, put.lift) for put in scene.far] == [("window", 1.3)]


@rows_beside
def test_a_refusal_names_the_line_and_what_was_expected(old, new, message, tmp_path):
    assert refusal(tmp_path, SCENE.replace(old, new)).startswith(message)


def test_a_file_has_three_scenes_or_one(tmp_path):
    two = SCENE + SCENE.removeprefix("scenes:\n")
    assert refusal(tmp_path, two) == "line 2: expected three scenes, or one, found 2 scenes"


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_any_text_is_read_or_refused_with_a_line_of_its_own(tmp_path_factory, data):
    text = data.draw(st.sampled_from([path.read_text() for path in FILES[::9]]))
    words = st.sampled_from(
        ["{", "}", "[1]", ":", "- ", "\n", "thing: ", "x: ", "1e9", "~", "&a *a"]
    )
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text)))
        removed = data.draw(st.integers(0, 12))
        text = text[:place] + data.draw(words | st.text(max_size=3)) + text[place + removed :]
    path = tmp_path_factory.mktemp("scenes") / "x.yaml"
    path.write_text(text)
    error = error_of(path)
    if error:
        assert error.path == path
        assert 1 <= error.line <= text.count("\n") + 1
    else:
        assert len(read_scenes(path)) in (1, 3)


def error_of(path: Path) -> ContentError | None:
    try:
        read_scenes(path)
    except ContentError as error:
        return error
    return None


def test_a_folder_of_the_users_adds_scenes_and_replaces_those_of_a_file(tmp_path, monkeypatch):
    (tmp_path / "scenes").mkdir()
    for name in ("stargazing", "rain"):
        (tmp_path / "scenes" / f"{name}.yaml").write_text(SCENE)
    rain = paint("rain", 0, choose_palette("pop", "a"), (54, 96), "a").picture
    monkeypatch.setenv("CASTAD_STUDIO_DATA", str(tmp_path))
    shown = paint("stargazing", 0, choose_palette("pop", "a"), (54, 96), "a").picture
    assert np.asarray(shown.convert("L")).std() > 5
    assert paint("rain", 0, choose_palette("pop", "a"), (54, 96), "a").picture != rain
    assert {"stargazing", "cafe-1"} <= set(list_scenes())


def test_rooms_are_those_that_the_files_name():
    assert set(list_rooms()) == {
        "room", "tiled", "counter", "tabletop", "workshop", "hall", "mirrors", "street", "outdoors",
    }  # fmt: skip
