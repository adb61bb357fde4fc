"""Detect the language of a file by name, first line, extension and content, as GitHub does. Pure."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline_defs.analysis.measuring.languages import Language, load_languages

UNDECIDED = "?"
"""The extension has one language only."""

_TABLES = tomllib.loads(Path(__file__).with_name("heuristics.toml").read_text("utf-8"))
_SHARED = {name: "|".join(alternatives) for name, alternatives in _TABLES["shared"].items()}
_RULES: Mapping[str, Sequence[tuple[re.Pattern[bytes], str]]] = {
    extension: [
        (re.compile(_SHARED.get(pattern, pattern).encode(), re.MULTILINE), name)
        for pattern, name in rules
    ]
    for extensions, rules in _TABLES["extensions"].items()
    for extension in extensions.split()
}


def decide(extension: str, head: bytes) -> str:
    """Return the language's name, "" for none, or UNDECIDED if the extension has only one language."""
    for pattern, name in _RULES.get(extension, ()):
        if pattern.search(head):
            return name
    return UNDECIDED


_HEAD_BYTES = 50 * 1024
_SHEBANG = re.compile(rb"#![ \t]*(\S+)(?:[ \t]+([^\n]*))?")
_VERSION = "0123456789."


def detect_language(path: str, content: bytes) -> Language | None:
    """Return the language of the file at `path`; None if no sign shows one."""
    name = path.rpartition("/")[2]
    known = load_languages()
    named = known.names.get(name, ())
    if len(named) == 1:
        return named[0]
    head = content[:_HEAD_BYTES]
    by_shebang = known.interpreters.get(_find_interpreter(head), ())
    if len(by_shebang) == 1:
        return by_shebang[0]
    extension, by_extension = _find_by_extension(name)
    candidates = [each for each in by_extension if each in by_shebang] or list(by_extension)
    chosen = decide(extension, head)
    if chosen is not UNDECIDED and candidates:
        return known.by_name[chosen.lower()] if chosen else None
    return next(iter(candidates or by_shebang), None)


def _find_by_extension(name: str) -> tuple[str, tuple[Language, ...]]:
    """Return the longest known extension and its languages."""
    name, known = name.lower(), load_languages().extensions
    dot = name.find(".")
    while dot >= 0:
        if name[dot:] in known:
            return name[dot:], known[name[dot:]]
        dot = name.find(".", dot + 1)
    return "", ()


def _find_interpreter(head: bytes) -> str:
    """Return the name of the program in a first line `#!`, without its version."""
    shebang = _SHEBANG.match(head)
    if shebang is None:
        return ""
    program, rest = shebang[1].rpartition(b"/")[2], (shebang[2] or b"").split()
    if program == b"env":
        words = [word for word in rest if not word.startswith(b"-") and b"=" not in word]
        program = words[0].rpartition(b"/")[2] if words else b""
    name = program.decode("utf-8", "replace")
    return name if name in load_languages().interpreters else name.rstrip(_VERSION)
