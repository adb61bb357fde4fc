import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.content import ContentError, find_files
from studio.lyricist.lyric import Facts, write_lyric
from studio.lyricist.stock import FOLDERS, get_stock, read_lyrics
from studio.lyricist.template import draw, fill, find_fault, split_couplet
from studio.trades import find_trade, get_trade, get_trades
from tests.tables import rows_beside

BOTH = ("name", "region")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own folder of content."""
    monkeypatch.setenv("CASTAD_STUDIO_DATA", str(tmp_path))
    return tmp_path


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / "lyrics" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("language", FOLDERS)
def test_every_file_of_lyrics_is_well_written(language):
    files = find_files(f"lyrics/{FOLDERS[language]}", ".txt")
    assert len(files) > len(get_trades())
    for path in files.values():
        read_lyrics(path)


@rows_beside
def test_a_template_that_is_not_well_written_is_found_out(template, lines, expected):
    assert find_fault(template, lines, BOTH, ()).startswith(expected)


def test_a_place_is_missed_in_the_first_line_only():
    assert find_fault("a / {name}", 2, BOTH, ["name"]) == "{name} in the first line"
    assert not find_fault("[{name}|{name|은/는}] a / b", 2, BOTH, ["name"])


@given(st.text("ab가 /[]<>(){}|name", max_size=30), st.integers(1, 2))
def test_a_template_without_a_fault_can_be_sung(template, lines):
    if not find_fault(template, lines, BOTH, ()):
        values = {"name": "가람", "region": "제주"}
        parts = split_couplet(draw(template, random.Random(0).choice))
        assert len(parts) == lines
        for polite in (True, False):
            assert all(text for part in parts for text in fill(part, values, polite))


@rows_beside
def test_a_trade_that_is_not_well_written_is_refused_by_its_line(text, line, expected, folder):
    path = write(folder, "en/bagel.txt", text)
    with pytest.raises(ContentError, match=f"{path}, line {line}: expected {expected}"):
        find_trade("Luna", "")


def test_a_word_is_found_however_it_is_written(folder):
    write(folder, "en/bagel.txt", "[words]\nBagel_Ry")
    assert find_trade("Luna bagel ry", "") == "bagel"


@pytest.mark.parametrize(
    "line", ["[소리|노래]를 가", "[꿈|길]을 가", "[가|보]는 길", "[Blue|a]를 봐", "[꿈|노래]을까"]
)
def test_a_particle_that_fits_each_choice_is_well_written(line):
    assert not find_fault(line, 1, BOTH, ())


def test_a_line_that_is_not_well_written_is_refused_where_it_is_sung(folder):
    path = write(folder, "en/bagel.txt", "[words]\nbagelry\n[hooks]\n{name} is here")
    assert find_trade("Luna Bagelry", "") == "bagel"
    with pytest.raises(ContentError, match=f"{path}, line 4: expected two lines"):
        write_lyric("a", Facts("Luna Bagelry", "Leeds", "", "English", "pop", 20))


def test_the_files_of_a_trade_have_to_agree(folder):
    write(folder, "ko/bagel.txt", "group: baked\n[words]\n베이글집")
    path = write(folder, "en/bagel.txt", "group: table\n[words]\nbagelry")
    with pytest.raises(
        ContentError, match=f"{path}, line 1: expected group: baked, as in the other language"
    ):
        get_trades()


def test_what_one_file_of_a_trade_says_holds_for_both(folder):
    write(folder, "ko/bagel.txt", "register: merry\n[words]\n베이글집")
    write(folder, "en/bagel.txt", "group: baked\n[words]\nbagelry")
    trade = get_trade("bagel")
    assert trade is not None
    assert (trade.group, trade.register, trade.offers) == ("baked", "merry", "goods")


def test_a_trade_of_the_users_goes_before_others(folder):
    write(folder, "en/bagel.txt", "[words]\nbagel")
    assert "bagel" in [word.text for word in get_trades()["bakery"].words]
    assert find_trade("Luna Bagel", "") == "bagel"


def test_a_file_of_the_users_replaces_that_of_the_same_name(folder):
    write(
        folder, "en/bakery.txt", "[words]\nbakery\n[hooks]\n{name}, only this / And no other line"
    )
    own, _ = get_stock("English", calm=False).read_own_lines(get_trade("bakery"))
    hooks = ("{name}, only this / And no other line",)
    found = {name: lines for name, lines in own.items() if lines}
    assert found == {"words": ("bakery",), "hooks": hooks}


def test_the_lines_of_a_trade_are_sung_first_unless_it_is_mixed(folder):
    hooks = "[hooks]\n{name}, this is my line / And no other line"
    write(folder, "en/bagel.txt", f"[words]\nbagelry\n{hooks}")
    write(folder, "en/donut.txt", f"mixed: yes\n[words]\ndonutry\n{hooks}")
    found = {
        name: [
            "this is my line"
            in write_lyric(str(seed), Facts(name, "", "", "English", "pop", 20)).text
            for seed in range(10)
        ]
        for name in ("Luna Bagelry", "Luna Donutry")
    }
    assert all(found["Luna Bagelry"])
    assert not all(found["Luna Donutry"])
