"""Globs as the configurations of JavaScript's test frameworks write them: `**`, `*`, `?`, `[...]` and `{a,b}`."""

import fnmatch
import re
from collections.abc import Iterator
from functools import lru_cache

_MAX_ALTERNATIVES = 64
_BRACES = re.compile(r"\{([^{}]{0,1000})\}")
_ANY_FOLDERS = "**"


def is_readable(glob: str) -> bool:
    """Whether a glob is written in what this module knows; groups such as `?(x)` are not, nor is `!`."""
    return "(" not in glob and not glob.startswith("!")


def matches(glob: str, path: str) -> bool:
    """Whether a relative path matches a readable glob."""
    names = path.split("/")
    return any(_fits(alternative, names) for alternative in _alternatives(glob))


@lru_cache(maxsize=1024)
def _alternatives(glob: str) -> tuple[tuple[str, ...], ...]:
    found: list[tuple[str, ...]] = []
    waiting = [glob.removeprefix("./")]
    while waiting and len(found) + len(waiting) <= _MAX_ALTERNATIVES:
        written = waiting.pop()
        braces = _BRACES.search(written)
        if braces is None:
            found.append(tuple(written.split("/")))
        else:
            head, tail = written[: braces.start()], written[braces.end() :]
            waiting += [f"{head}{choice}{tail}" for choice in braces[1].split(",")]
    return tuple(found)


def _fits(parts: tuple[str, ...], names: list[str]) -> bool:
    """Each name moves every reached part on: no backtracking, however many `**` there are."""
    reached = set(_after_folders(parts, 0))
    for name in names:
        following: set[int] = set()
        for at in reached:
            if at < len(parts) and parts[at] == _ANY_FOLDERS:
                following.update(_after_folders(parts, at))
            elif at < len(parts) and fnmatch.fnmatchcase(name, parts[at]):
                following.update(_after_folders(parts, at + 1))
        reached = following
    return len(parts) in reached


def _after_folders(parts: tuple[str, ...], at: int) -> Iterator[int]:
    """The part that comes next, and the one behind it where `**` may stand for no folder."""
    yield at
    while at < len(parts) and parts[at] == _ANY_FOLDERS:
        at += 1
        yield at
