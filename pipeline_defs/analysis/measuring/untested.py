"""Folders of source code to which no test belongs, as far as names say. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

_TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs", "e2e", "cypress"})
_AFFIX = re.compile(r"^tests?[_-]|^Tests?(?=[A-Z])|[._-](?:tests?|spec|it)$|(?:Tests?|Spec|IT)$")
_SEPARATORS = re.compile(r"[._-]")


@dataclass(frozen=True)
class SourceFile:
    """A file of a programming language that holds no tests."""

    path: str
    code_lines: int


@dataclass(frozen=True)
class UntestedFolder:
    """A folder, with what lies directly in it."""

    path: str
    files: int
    code_lines: int


def untested_folders(sources: Iterable[SourceFile], tests: Iterable[str]) -> list[UntestedFolder]:
    """Those in which no test file lies, and of which no test bears the name nor that of a file; longest first.

    A test file in a folder of tests lies where that folder does.
    """
    test_paths = list(tests)
    homes = {_home(path) for path in test_paths}
    subjects = {_subject(path) for path in test_paths}
    by_folder: dict[str, list[SourceFile]] = defaultdict(list)
    for source in sources:
        by_folder[source.path.rpartition("/")[0]].append(source)
    found = [
        UntestedFolder(folder or ".", len(files), sum(file.code_lines for file in files))
        for folder, files in by_folder.items()
        if not _is_tested(folder, files, homes, subjects)
    ]
    return sorted(found, key=lambda each: (-each.code_lines, each.path))


def _is_tested(folder: str, files: list[SourceFile], homes: set[str], subjects: set[str]) -> bool:
    is_of_tests = not _TEST_FOLDERS.isdisjoint(folder.split("/"))
    names = {_plain(folder), *(_plain(file.path) for file in files)}
    return is_of_tests or folder in homes or not subjects.isdisjoint(names)


def _home(path: str) -> str:
    """The folder of a test file, or that in which its folder of tests lies."""
    folders = path.split("/")[:-1]
    for depth, folder in enumerate(folders):
        if folder in _TEST_FOLDERS:
            return "/".join(folders[:depth])
    return "/".join(folders)


def _subject(path: str) -> str:
    """What a test file is named after: `a/test_tag.py` and `TagTest.java` after `tag`."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    return _folded(_AFFIX.sub("", stem))


def _plain(path: str) -> str:
    name = path.rpartition("/")[2]
    return _folded(name.partition(".")[0])


def _folded(stem: str) -> str:
    return _SEPARATORS.sub("", stem).lower()
