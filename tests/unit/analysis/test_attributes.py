import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline_defs.analysis.measuring.attributes import AttributeRules, Attributes
from tests.tables import read_beside, rows_beside


def said(rules: str, path: str, folder: str = "") -> Attributes:
    return AttributeRules({f"{folder}.gitattributes": rules.encode()}).get_attributes(path)


@rows_beside
def test_pattern_is_about_files_as_git_reads_it(pattern, path, applies):
    assert (said(f"{pattern} linguist-vendored", path).vendored is True) == applies


@rows_beside
def test_attribute_is_set_unset_or_unspecified(words, value):
    assert said(f"*.py {words}", "a.py").generated is value


@pytest.mark.parametrize("pattern", ["!a*", "[attr]a*"])
def test_pattern_that_is_none_is_not_heeded(pattern):
    assert said(f"{pattern} linguist-vendored", "a" * 250 + "b").vendored is None


def test_language_is_read():
    assert said("*.inc linguist-language=PHP", "a.inc").language == "PHP"


def test_later_line_wins():
    assert said("* linguist-vendored\na.py -linguist-vendored", "a.py").vendored is False


def test_deeper_file_wins():
    rules = AttributeRules(
        {"lib/.gitattributes": b"a.py -linguist-vendored", ".gitattributes": b"* linguist-vendored"}
    )
    assert rules.get_attributes("lib/a.py").vendored is False


def test_file_in_a_folder_is_about_that_folder():
    assert said("* linguist-vendored", "other/a.py", folder="lib/").vendored is None


@given(st.binary(max_size=300), st.text(min_size=1, max_size=50))
def test_any_content_says_something_or_nothing(content, path):
    AttributeRules({".gitattributes": content + b" linguist-vendored\n"}).get_attributes(path)


_PIECES = (
    *(
        "a",
        "b",
        "ab",
        "é",
        ".py",
        "/",
        "**",
        "*",
        "?",
        "[ab]",
        "[!a]",
        "[^b]",
        "[a-c]",
        "[[:alpha:]]",
    ),
    *(
        "[",
        "]",
        "\\",
        "\\*",
        "**/",
        "/**",
        '"',
        "!",
        "#",
        "-",
        " ",
        "[]a]",
        "[a-",
        "[[:x:]]",
        "[/]",
    ),
)
_PATTERNS = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=5).map("".join)
_ATTRIBUTES = st.lists(
    st.sampled_from(
        (
            *("linguist-vendored", "-linguist-vendored", "!linguist-vendored", "mine", "-mine"),
            *("linguist-language=PHP", "linguist-language=", "text", "b@d", "--x", "other"),
            *(
                "linguist-vendored=false",
                "[attr]mine",
                "linguist-generated=no",
                "-linguist-generated=1",
            ),
        )
    ),
    max_size=3,
).map(" ".join)
_QUOTED = _PATTERNS.map(lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"')
_LINES = st.one_of(
    st.tuples(st.one_of(_PATTERNS, _QUOTED), _ATTRIBUTES).map(" ".join),
    _ATTRIBUTES.map("[attr]mine {}".format),
    _ATTRIBUTES.map("[attr]other {}".format),
    st.sampled_from(
        ("", "# linguist-vendored", '"\\303\\251" linguist-vendored', '"a" "b"', "\t*\ttext")
    ),
)
_ENDS = st.sampled_from(("\n", "\r\n"))
_FILES = st.tuples(
    st.sampled_from(("", "\ufeff")), st.lists(st.tuples(_LINES, _ENDS).map("".join), max_size=6)
).map(lambda parts: (parts[0] + "".join(parts[1])).encode())
_CHECKED = read_beside(__file__)["_CHECKED"]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("attributes")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / "a").mkdir()
    return folder


def as_git_says(repository: Path, rules: bytes, deeper: bytes) -> dict[str, Attributes]:
    """What `git check-attr` says of the checked paths."""
    (repository / ".gitattributes").write_bytes(rules)
    (repository / "a" / ".gitattributes").write_bytes(deeper)
    names = ("linguist-vendored", "linguist-generated", "linguist-language")
    command = ["git", "-C", str(repository), "check-attr", "-z", "--stdin", *names]
    asked = "".join(f"{path}\0" for path in _CHECKED).encode()
    done = subprocess.run(command, input=asked, check=True, capture_output=True)
    words = done.stdout.decode("utf-8", "replace").split("\0")
    said: dict[str, dict[str, str]] = {path: {} for path in _CHECKED}
    for at in range(0, len(words) - 2, 3):
        said[words[at]][words[at + 1]] = words[at + 2]
    return {path: _attributes(each) for path, each in said.items()}


def _attributes(said: dict[str, str]) -> Attributes:
    flags = {"unspecified": None, "unset": False, "false": False}
    language = said["linguist-language"]
    return Attributes(
        vendored=flags.get(said["linguist-vendored"], True),
        generated=flags.get(said["linguist-generated"], True),
        language=None if language in ("unspecified", "set", "unset") else language,
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rules=_FILES, deeper=_FILES)
def test_files_are_read_as_git_reads_them(repository, rules, deeper):
    known = AttributeRules({".gitattributes": rules, "a/.gitattributes": deeper})
    assert {path: known.get_attributes(path) for path in _CHECKED} == as_git_says(
        repository, rules, deeper
    )


@pytest.mark.parametrize("pattern", ["*a*a*a*a*a*b", "**/a/**/a/**/a/**/a/**/a/**/b"])
def test_pattern_with_many_wildcards_is_matched_in_bounded_time(pattern):
    path = "a/" * 60 + "a" * 2_000
    assert said(f"{pattern} linguist-vendored", path).vendored is None
    assert said(f"{pattern} linguist-vendored", path + "/a/a/a/a/a/aaaab/b").vendored is (
        pattern.startswith("**") or None
    )
