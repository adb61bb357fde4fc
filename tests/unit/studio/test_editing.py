"""What docs/content.md shows is what there is, and its trade is sung and filmed as it stands there."""

import json
import random
import re
import unicodedata
from collections.abc import Callable
from inspect import signature
from pathlib import Path

import pytest

from resources.process.settings import PROJECT_ROOT
from studio.camera.film import paint
from studio.camera.palettes import choose_palette
from studio.camera.scenes.compositions import list_rooms, list_things, read_scenes
from studio.camera.scouting import Brief, choose_scenes
from studio.editing import check_content
from studio.lyricist.lyric import Facts, write_lyric
from studio.lyricist.stock import FOLDERS, get_stock
from studio.lyricist.template import count_syllables, draw, fill, split_couplet
from studio.trades import find_trade, get_trade, get_trades
from studio.words import read_stanzas
from tests.command_line import castad

PAGE = (PROJECT_ROOT / "docs/content.md").read_text(encoding="utf-8")
FILES = dict(
    re.findall(r"^File `([\w/]+\.\w+)`:\n\n```\w+\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
)
NAMES = {"Korean": "달빛 캔들", "English": "Wick & Wax Candles"}


@pytest.fixture
def add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Write a file into the user's own folder of content."""
    monkeypatch.setenv("CASTAD_STUDIO_DATA", str(tmp_path))

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def candle(add: Callable[[str, str], Path]) -> None:
    """The trade that the page makes from nothing."""
    assert list(FILES) == [
        "lyrics/ko/candle.txt",
        "lyrics/en/candle.txt",
        "scenes/candle.yaml",
        "props/candlestick.txt",
    ]
    for name, text in FILES.items():
        add(name, text)


def test_all_content_can_be_read():
    checked = check_content()
    assert not checked.problems
    assert not checked.remarks
    assert checked.trades == len(get_trades())


@pytest.mark.usefixtures("candle")
def test_the_trade_of_the_page_is_without_a_problem():
    checked = check_content()
    assert not checked.problems
    assert not checked.remarks
    assert "candle" in get_trades()


@pytest.mark.usefixtures("candle")
@pytest.mark.parametrize("language", NAMES)
def test_the_trade_of_the_page_is_sung(language):
    assert find_trade(NAMES[language], "") == "candle"
    own, _ = get_stock(language, calm=False).read_own_lines(get_trade("candle"))
    values = {"name": NAMES[language], "region": "Jeju"}
    hooks = {
        line
        for hook in own["hooks"]
        for seed in range(400)
        for line in fill(
            split_couplet(draw(hook, random.Random(seed).choice))[0], values, polite=True
        )
    }
    for seed in range(20):
        facts = Facts(NAMES[language], "Jeju", "", language, "ballad", 30)
        stanzas = read_stanzas(write_lyric(str(seed), facts).text)
        assert next(stanza.lines[0] for stanza in stanzas if stanza.kind == "chorus") in hooks


@pytest.mark.usefixtures("candle")
@pytest.mark.parametrize("language", NAMES)
def test_the_trade_of_the_page_is_filmed(language):
    scenes = choose_scenes(Brief(NAMES[language]), "pop", "a")
    assert scenes[0] == "candle-1"
    assert {f"candle-{number}" for number in (1, 2, 3)} <= set(scenes)
    pictures = {
        paint(f"candle-{number}", 0, choose_palette("pop", "a"), (54, 96), "a").picture.tobytes()
        for number in (1, 2, 3)
    }
    assert len(pictures) == 3


def test_the_page_names_every_room_and_every_thing():
    for heading, known in (("Rooms", list_rooms()), ("Things", list_things())):
        [named] = re.findall(rf"^{heading}:\s(.*?)\.$", PAGE, re.MULTILINE | re.DOTALL)
        assert set(re.findall(r"`(\w+)`", named)) == set(known)


def test_the_page_shows_each_thing_that_needs_fields_with_all_of_them(tmp_path):
    shown = re.findall(r"`(\{thing: \w+, .*?\})`", PAGE)
    path = tmp_path / "shown.yaml"
    path.write_text(
        "scenes:\n- room: room\n  things:\n" + "".join(f"  - {each}\n" for each in shown)
    )
    assert len(read_scenes(path)[0].things) == len(shown)
    needing = {
        name
        for name, draw in list_things().items()
        if any(each.default is each.empty for each in [*signature(draw).parameters.values()][1:])
    }
    assert needing <= {put.thing for put in read_scenes(path)[0].things}


def test_a_problem_is_named_by_file_and_line(add):
    lyrics = add("lyrics/en/bagel.txt", "[words]\nbagelry\n[hooks]\n{name}, only one")
    scenes = add("scenes/bagel.yaml", "scenes:\n  - room: attic\n    things: []")
    words = add("words/tact.toml", "grave-korean = ['(']")
    stray = add("lyrics/eng/bagel.txt", "[words]\nbagelry")
    done = castad("studio", "check", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert not report["ok"]
    found = {(problem["file"], problem["line"]) for problem in report["problems"]}
    assert {(str(lyrics), 4), (str(scenes), 2), (str(words), 1), (str(stray), None)} <= found


def test_a_trade_without_scenes_is_remarked_on(add):
    add("lyrics/en/bagel.txt", "[words]\nbagelry")
    done = castad("studio", "check")
    assert done.returncode == 0
    assert "bagel: no file scenes/bagel.yaml" in done.stdout
    assert "bagel: no file lyrics/ko/bagel.txt" in done.stdout


def test_a_folder_that_is_none_is_a_problem_without_a_line(monkeypatch, tmp_path):
    folder = tmp_path / "none"
    monkeypatch.setenv("CASTAD_STUDIO_DATA", str(folder))
    done = castad("studio", "check")
    assert done.returncode == 1
    assert f"{folder}: expected a folder, as CASTAD_STUDIO_DATA names it" in done.stdout
    assert "0 files, 1 problem\n" in done.stderr


def test_one_lyric_is_counted_in_the_singular():
    assert castad("studio", "try", "Luna", "--count", "1").stderr.startswith("1 lyric;")


def test_lyrics_are_tried_without_a_song():
    arguments = ["studio", "try", "봄날", "--trade", "bakery", "--count", "3"]
    tried = json.loads(castad(*arguments, "--json").stdout)
    assert tried["language"] == "Korean"
    assert len({lyric["text"] for lyric in tried["lyrics"]}) == 3
    shown = castad(*arguments)
    assert all(lyric["text"] in shown.stdout for lyric in tried["lyrics"])
    assert "3 lyrics" in shown.stderr


def test_a_name_in_parted_letters_is_tried_as_it_is_read():
    arguments = ["studio", "try", "--count", "1", "--json"]
    parted = unicodedata.normalize("NFD", "봄날 베이커리")
    assert castad(*arguments, parted).stdout == castad(*arguments, "봄날 베이커리").stdout


@pytest.mark.parametrize("longer", ["first", "second"])
@pytest.mark.parametrize(
    ("language", "name", "word"), [("Korean", "새벽솔", "둘"), ("English", "Skylark", "two")]
)
def test_a_hook_as_long_as_the_page_allows_is_sung_by_the_usual_order(
    add, language, name, word, longer
):
    [(most, line)] = re.findall(
        r"a hook of at most (\d+) syllables.*?more than (\d+)", PAGE, re.DOTALL
    )
    lengths = [int(line), int(most) - int(line)]
    first, second = lengths if longer == "first" else lengths[::-1]
    start = " ".join([word] * (first - count_syllables(name)))
    answer = " ".join([word] * second)
    hook = f"[words]\n{name}\n[hooks]\n{{name}} {start} / {answer}"
    add(f"lyrics/{FOLDERS[language]}/lark.txt", hook)
    for seed in range(20):
        assert answer in write_lyric(str(seed), Facts(name, "Jeju", "", language, "pop", 20)).text


def test_lyrics_are_tried_in_the_trade_that_is_named():
    facts = Facts("봄날", "전주", "", "Korean", "pop", 20)
    bakery, plain = (
        write_lyric("1", Facts(**{**facts.__dict__, "trade": trade})) for trade in ("bakery", None)
    )
    assert "빵" in bakery.text + bakery.title
    assert bakery != plain


def test_a_trade_that_there_is_not_is_refused_with_those_that_there_are():
    done = castad("studio", "try", "Luna", "--trade", "attic")
    assert done.returncode == 2
    assert "--trade: expected one of academy, art," in done.stderr


def test_lyrics_with_broken_content_are_refused_by_its_line(add):
    path = add("lyrics/en/bagel.txt", "[words]\nbagelry\n[hooks]\n{name}, only one")
    done = castad("studio", "try", "Luna Bagelry")
    assert done.returncode == 1
    assert f"{path}, line 4: expected two lines" in done.stderr
    assert "[studio_content_invalid]" in done.stderr
