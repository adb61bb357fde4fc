"""The languages, frameworks and tests of source files, and which files may hold tests."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from pathlib import Path
from posixpath import splitext
from typing import Any

import tree_sitter

SCRIPTS = frozenset({"JavaScript", "TSX", "TypeScript"})
"""The languages that share the frameworks of JavaScript."""
TABLES: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("frameworks.toml").read_text("utf-8")
)
"""The languages with their files, and the signs of the frameworks."""
_BY_SUFFIX: Mapping[str, str] = {
    suffix: language
    for each in TABLES["languages"]
    for language, suffixes in each["suffixes"].items()
    for suffix in suffixes.split()
}
GRAMMARS: Mapping[str, str] = {
    language: grammar
    for each in TABLES["languages"]
    for language, grammar in each["grammars"].items()
}


def find_language(path: str) -> str | None:
    """Return the language of a file by its suffix; None if it is not counted."""
    return _BY_SUFFIX.get(splitext(path)[1].lower())


@cache
def load_grammar(language: str) -> tree_sitter.Language:
    """Load the language's grammar once."""
    module, _, function = GRAMMARS[language].partition(":")
    return tree_sitter.Language(getattr(import_module(module), function)())


class CaseStatus(StrEnum):
    """The status of a test in the source: `focused` runs alone, `xfail` should fail, `todo` is not written."""

    ACTIVE = "active"
    SKIPPED = "skipped"
    TODO = "todo"
    XFAIL = "xfail"
    FOCUSED = "focused"


@dataclass(frozen=True)
class Test:
    """A test in the source; parametrized cases that are made at run time are one test. Lines count from 1.

    `framework` is set if the file has tests of several frameworks, else None.
    """

    __test__ = False  # pytest would collect the class for its name

    name: str
    line: int
    status: CaseStatus
    framework: str | None = None


@dataclass(frozen=True)
class TestFile:
    """A file of a test framework, with its tests in the order of the source; it may have none."""

    __test__ = False  # pytest would collect the class for its name

    path: str
    framework: str
    language: str
    tests: tuple[Test, ...]


def combine_statuses(outer: CaseStatus, own: CaseStatus) -> CaseStatus:
    """Return the status of a test in a group: what stops the group stops the test, `todo` stays."""
    if outer is CaseStatus.ACTIVE or own is CaseStatus.TODO:
        return own
    return outer if outer is CaseStatus.SKIPPED or own is CaseStatus.ACTIVE else own


_SKIPPED = re.compile(
    r"(?:.*/)?(?:node_modules|\.git|vendor|dist|\.next|__pycache__|\.cache)/.*|coverage/.*"
)
_CONFIG = re.compile(
    r"(?:.*/)?(?:jest\.config\.(?:[cm]?[jt]s|json)|(?:vite|vitest|playwright|cypress)\.config\.[cm]?[jt]s"
    r"|\.mocharc\.(?:[cm]?js|jsonc?|ya?ml)|mocha\.opts|package\.json"
    r"|pytest\.ini|\.rspec|(?:spec|rails|test|minitest)_helper\.rb|pyproject\.toml|setup\.cfg|tox\.ini|conftest\.py)"
)


def _compile_paths(*, stem: str, folder: str = r"(?!)", but: str = r"(?!)") -> re.Pattern[str]:
    """Compile a pattern of file names without suffix, and of paths below a folder except `but`."""
    name = r"[^/]*"
    return re.compile(
        rf"(?:.*/)?(?:(?:{stem.replace('.*', name)})\.[^./]+|(?:{folder})/(?!{but})(?:.*/)?{name})"
    )


_NAMED_AS_TESTS = {
    language: _compile_paths(**each["tests"])
    for each in TABLES["languages"]
    for language in each["grammars"]
}
_NAMED_AS_NODES_TESTS = _compile_paths(
    stem="test|test-.*|.*[-_.](?:test|spec)|.*Spec", folder="tests?|specs?"
)
_MAIN_OF_MAVEN = re.compile(r"(?:.*/)?src/main/.*\.java")


def is_named_as_test(path: str) -> bool:
    """Return whether the name alone makes a file a test of the framework configured for its folder."""
    named = _NAMED_AS_TESTS.get(language) if (language := find_language(path)) else None
    if named is None or _SKIPPED.match(path) or _MAIN_OF_MAVEN.fullmatch(path):
        return False
    return named.fullmatch(path) is not None


def may_hold_tests(path: str) -> bool:
    """Return whether a file is worth reading for tests; never in folders of dependencies and builds."""
    if find_language(path) in SCRIPTS and _NAMED_AS_NODES_TESTS.fullmatch(path):
        return _SKIPPED.match(path) is None
    return is_named_as_test(path)


def is_skipped(path: str) -> bool:
    """Return whether a file lies in a folder of dependencies or builds."""
    return _SKIPPED.match(path) is not None


def is_config(path: str) -> bool:
    """Return whether a file may configure the test framework of its folder."""
    return _CONFIG.fullmatch(path) is not None and _SKIPPED.match(path) is None
