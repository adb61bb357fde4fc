import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.analysis.measuring.attributes import AttributeRules, Attributes


def said(rules: str, path: str, folder: str = "") -> Attributes:
    return AttributeRules({f"{folder}.gitattributes": rules.encode()}).of(path)


@pytest.mark.parametrize(
    ("pattern", "path", "applies"),
    [
        ("*.py", "a/b.py", True),
        ("a/*.py", "a/b.py", True),
        ("a/*.py", "a/c/b.py", False),
        ("a/**", "a/c/b.py", True),
        ("a/", "a/b.py", False),
        ("a", "a/b.py", False),
        ("a", "b/a", True),
        ("/a", "b/a", False),
        ("**/gen/*", "x/gen/b.py", True),
        ("[a-c].py", "b.py", True),
        ("*", "a/b.py", True),
    ],
)
def test_pattern_is_about_files_as_git_reads_it(pattern: str, path: str, applies: bool) -> None:
    assert (said(f"{pattern} linguist-vendored", path).vendored is True) == applies


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("linguist-generated", True),
        ("linguist-generated=true", True),
        ("-linguist-generated", False),
        ("linguist-generated=false", False),
        ("!linguist-generated", None),
        ("text eol=lf", None),
    ],
)
def test_attribute_is_set_unset_or_unspecified(words: str, value: bool | None) -> None:
    assert said(f"*.py {words}", "a.py").generated is value


@pytest.mark.parametrize("pattern", ["*a*a*a*a*b", "a" * 201, "!a*", "[attr]a*"])
def test_pattern_that_takes_too_long_or_is_none_is_not_heeded(pattern: str) -> None:
    assert said(f"{pattern} linguist-vendored", "a" * 250 + "b").vendored is None


def test_language_is_read() -> None:
    assert said("*.inc linguist-language=PHP", "a.inc").language == "PHP"


def test_later_line_wins() -> None:
    assert said("* linguist-vendored\na.py -linguist-vendored", "a.py").vendored is False


def test_deeper_file_wins() -> None:
    rules = AttributeRules(
        {"lib/.gitattributes": b"a.py -linguist-vendored", ".gitattributes": b"* linguist-vendored"}
    )
    assert rules.of("lib/a.py").vendored is False


def test_file_in_a_folder_is_about_that_folder() -> None:
    assert said("* linguist-vendored", "other/a.py", folder="lib/").vendored is None


@given(st.binary(max_size=300), st.text(min_size=1, max_size=50))
def test_any_content_says_something_or_nothing(content: bytes, path: str) -> None:
    AttributeRules({".gitattributes": content + b" linguist-vendored\n"}).of(path)
