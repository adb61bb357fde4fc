"""Detect the test framework of a file from its imports, name, folder and text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice

from pipeline_defs.analysis.counting.found import (
    TABLES,
    is_named_as_test,
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
    """Compile the alternatives; None if there are none."""
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
