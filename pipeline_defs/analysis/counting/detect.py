"""Detect the test framework of a file from its imports, name, folder and text."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from pathlib import Path

from pipeline_defs.analysis.counting.found import (
    TABLES,
    find_language,
    is_named_as_test,
    is_skipped,
)
from pipeline_defs.analysis.counting.scopes import FrameworkScope


@dataclass(frozen=True)
class Signs:
    """The signs of a framework: imports, a file name that no other framework uses, or words in the text."""

    framework: str
    languages: frozenset[str]
    imports: re.Pattern[bytes] | None
    name: re.Pattern[bytes] | None
    content: re.Pattern[bytes] | None
    own: re.Pattern[bytes] | None
    """Words that no other framework uses; they count as an import."""


def _compile(alternatives: Sequence[str]) -> re.Pattern[bytes] | None:
    written = "|".join(alternatives).encode()
    return re.compile(written, re.MULTILINE) if alternatives else None


SIGNS = tuple(
    Signs(
        each["framework"],
        frozenset(each["languages"]),
        *(_compile(each.get(kind, ())) for kind in ("imports", "name", "content", "own")),
    )
    for each in TABLES["signs"]
)
"""In the order of the search."""
_IMPORTS = {
    language: _compile([each["imports"]])
    for each in TABLES["languages"]
    if "imports" in each
    for language in each["grammars"]
}
_HAVE_SEVERAL = frozenset(
    language
    for each in TABLES["languages"]
    if each.get("has_several")
    for language in each["grammars"]
)
"""The languages whose frameworks declare tests in different ways, so that one file may have tests of several."""


def find_frameworks(
    path: str, language: str, content: bytes, scopes: tuple[FrameworkScope, ...]
) -> list[str]:
    """Return the frameworks of a file; empty if there is none.

    Imports decide first, then the file's name, the configuration of its folder, and words in its text. A file
    whose name is not a test's counts only if it imports its framework. Of several imports the first is the file's
    framework.
    """
    signs = [each for each in SIGNS if language in each.languages]
    imported = _find_imported(language, content, signs)
    if imported or not is_named_as_test(path):
        return imported if language in _HAVE_SEVERAL else imported[:1]
    known = {each.framework for each in signs}
    found = chain(
        (
            each.framework
            for each in signs
            if each.name and each.name.search(path.encode("utf-8", "replace"))
        ),
        (each.framework for each in scopes if each.framework in known and each.has_file(path)),
        (each.framework for each in signs if each.content and each.content.search(content)),
    )
    return list(islice(found, 1))


def _find_imported(language: str, content: bytes, signs: list[Signs]) -> list[str]:
    """Return the frameworks that are imported, or whose unmistakable words occur."""
    pattern = _IMPORTS.get(language)
    names = set(pattern.findall(content)) if pattern else set()
    found: dict[str, None] = {}
    for each in signs:
        is_imported = each.imports is not None and any(map(each.imports.match, names))
        if is_imported or (each.own is not None and each.own.search(content)):
            found[each.framework] = None
    return list(found)


@cache
def _compile_words(pattern: str) -> re.Pattern[bytes]:
    # Compiled for the first file of the language: compiling all takes as long as many files.
    return re.compile(pattern.encode(), re.MULTILINE)


_UNCOUNTED = tomllib.loads(Path(__file__).with_name("uncounted.toml").read_text("utf-8"))
_BY_WORDS: Mapping[str, Sequence[tuple[str, str]]] = {
    language: each["signs"] for each in _UNCOUNTED["by_words"] for language in each["languages"]
}
_BY_NAME: Mapping[str, tuple[str, str]] = {
    suffix: (each["framework"], each["name"])
    for each in _UNCOUNTED["by_name"]
    for suffix in each["suffixes"].split()
}
_ZIG = r'^test(?:[ \t]{1,8}["\w]|[ \t]{0,8}\{)'
_CTEST = r"^[ \t]{0,20}(?i:add_test)[ \t]{0,8}\("
_BENCHES = "/benches/"


def find_uncounted_by_name(path: str, content: bytes) -> str | None:
    """Return the framework of a test file in a language without counted tests; None if it is no test."""
    suffix = path[path.rfind(".") :].lower()
    name: str | None = None
    if suffix in _BY_NAME:
        framework, pattern = _BY_NAME[suffix]
        name = framework if re.search(pattern, path) else None
    elif suffix == ".zig":
        name = "tests in Zig" if _compile_words(_ZIG).search(content) else None
    elif suffix == ".txt" and path.endswith("CMakeLists.txt"):
        name = "CTest" if _compile_words(_CTEST).search(content) else None
    elif suffix == ".rs" and _BENCHES in f"/{path}":
        name = find_uncounted_by_words(path, content)
    return None if name is None or is_skipped(path) else name


def find_uncounted_by_words(path: str, content: bytes) -> str | None:
    """Return the framework that a file without counted tests looks like, in a counted language."""
    language = find_language(path)
    if language is None:
        return None
    signs = _BY_WORDS[language]
    return next((name for name, pattern in signs if _compile_words(pattern).search(content)), None)
