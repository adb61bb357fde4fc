import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.content import (
    BUILT_IN,
    ContentError,
    Items,
    Line,
    Table,
    find_files,
    find_line,
    read_sections,
    read_toml,
    read_yaml,
)
from tests.tables import rows_beside

READERS = {
    ".txt": lambda path: read_sections(path, ["verses", "hooks"], ["group"]),
    ".toml": read_toml,
    ".yaml": read_yaml,
}
MARKS = (
    "[ ] { } : , # - & * ! | > ' \" = a 한 group: [verses] [hooks] &a *a !!int 1e9 [[x]] --- 0x1"
)
PIECES = st.sampled_from(
    [*MARKS.split(), " ", "  ", "\n", "\r\n", "\t", "\x00", "\ufeff", "\u2028", "- 1\n", "a: 1\n"]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES).map("".join), st.just("[" * 5000))


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return path


def error_of(path: Path) -> ContentError | None:
    try:
        READERS[path.suffix](path)
    except ContentError as error:
        return error
    return None


@pytest.mark.parametrize("suffix", READERS)
@given(text=st.one_of(TEXTS, st.binary()))
def test_any_text_is_content_or_refused_by_file_and_line(tmp_path_factory, suffix, text):
    path = write(tmp_path_factory.getbasetemp(), f"any{suffix}", text)
    lines = len(path.read_bytes().splitlines()) + 1
    error = error_of(path)
    if error:
        assert str(error).startswith(f"{path}, line {error.line}: expected ")
        assert 1 <= error.line <= lines


def test_sections_hold_fields_and_the_lines_below_headings(tmp_path):
    path = write(
        tmp_path,
        "x.txt",
        "\ufeff# a comment\r\ngroup: baked\r\n\r\n[verses]\r\n [a|b] / c \r\n# d\r\n",
    )
    found = read_sections(path, ["verses", "hooks"], ["group"])
    assert found.fields == {"group": Line("baked", 2)}
    assert found.lines == {"verses": (Line("[a|b] / c", 5),), "hooks": ()}


@rows_beside
def test_sections_refuse_what_they_do_not_know(text, message, tmp_path):
    with pytest.raises(ContentError, match=message):
        READERS[".txt"](write(tmp_path, "x.txt", text))


@pytest.mark.parametrize("field", ["group: a", "group:a", "Group : a", "group\t:\u00a0a"])
def test_a_field_is_read_whatever_stands_around_its_colon(tmp_path, field):
    found = READERS[".txt"](write(tmp_path, "x.txt", f"{field}\n[verses]"))
    assert found.fields == {"group": Line("a", 1)}


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("a / b # too long?", "a / b"),
        ("a / we are #1 here", "a / we are #1 here"),
        ("a\t/\u00a0b", "a / b"),
        (unicodedata.normalize("NFD", "조율 / 피아노"), "조율 / 피아노"),
    ],
)
def test_a_line_is_read_without_its_remark_and_in_plain_blanks_and_letters(tmp_path, line, text):
    found = READERS[".txt"](write(tmp_path, "x.txt", f"[verses]\n{line}"))
    assert found.lines["verses"] == (Line(text, 2),)


def test_a_choice_at_both_ends_of_a_line_is_no_heading(tmp_path):
    path = write(tmp_path, "x.txt", "[verses]\n[a|b]\n[a|b] [c|d]")
    assert [line.text for line in READERS[".txt"](path).lines["verses"]] == ["[a|b]", "[a|b] [c|d]"]


def test_yaml_keeps_the_lines_and_plain_words(tmp_path):
    path = write(
        tmp_path, "x.yaml", "room: on\nthings:\n  - cup: [1, 2.5]\n    wide: true\n  - '3'\n"
    )
    found = read_yaml(path)
    assert found == {"room": "on", "things": [{"cup": [1, 2.5], "wide": True}, "3"]}
    things = found["things"]
    assert isinstance(things, Items)
    assert things.lines == [3, 5]
    assert isinstance(things[0], Table)
    assert things[0].lines == {"cup": 3, "wide": 4}


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("x.yaml", "a: 1\na: 2", 2),
        ("x.yaml", "a: 1\nb: [", 2),
        ("x.yaml", "a: &b [*b]", 1),
        ("x.yaml", "a:\n  !thing b", 2),
        ("x.yaml", "[1]: 2", 1),
        ("x.yaml", "- 1", 1),
        ("x.yaml", "", 1),
        ("x.toml", "a = 1\na = 2", 2),
        ("x.toml", "a = 1\nb =", 2),
        ("x.toml", b"a = 1\nb = '\xff'", 2),
    ],
)
def test_a_file_that_is_none_is_refused_by_its_line(tmp_path, name, text, line):
    path = write(tmp_path, name, text)
    assert f"{path}, line {line}: " in str(error_of(path))


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    assert "No such file" in str(error_of(tmp_path / "x.toml"))


def test_a_word_is_found_by_its_line(tmp_path):
    path = write(tmp_path, "x.toml", "a = 1\nb = 2")
    assert (find_line(path, "b"), find_line(path, "c")) == (2, 1)


def test_a_file_of_the_users_folder_replaces_the_built_in_one(tmp_path, monkeypatch):
    monkeypatch.setattr("studio.content.BUILT_IN", tmp_path / "built")
    monkeypatch.setenv("CASTAD_STUDIO_DATA", str(tmp_path / "own"))
    built = {name: write(tmp_path / "built/words", f"{name}.toml", "") for name in ("b", "a")}
    own = {name: write(tmp_path / "own/words", f"{name}.toml", "") for name in ("c", "b")}
    write(tmp_path / "own/words", ".hidden.toml", "")
    assert list(find_files("words", ".toml").items()) == [
        ("a", built["a"]),
        ("b", own["b"]),
        ("c", own["c"]),
    ]


def test_a_users_folder_that_is_none_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("CASTAD_STUDIO_DATA", str(tmp_path / "none"))
    with pytest.raises(ContentError, match="expected a folder, as CASTAD_STUDIO_DATA names it"):
        find_files("words", ".toml")


def test_without_a_users_folder_the_built_in_files_are_found(monkeypatch):
    monkeypatch.delenv("CASTAD_STUDIO_DATA", raising=False)
    assert all(path.is_relative_to(BUILT_IN) for path in find_files("words", ".toml").values())
