"""The language of a file, by its name, its first line and its extension, as GitHub finds it. Pure."""

import re
from collections.abc import Iterator

from pipeline_defs.analysis.measuring.ambiguous import UNDECIDED, decide
from pipeline_defs.analysis.measuring.languages import Language, languages

_HEAD_BYTES = 50 * 1024
_SHEBANG = re.compile(rb"#![ \t]*(\S+)(?:[ \t]+([^\n]*))?")
_VERSION = "0123456789."


def detect_language(path: str, content: bytes) -> Language | None:
    """The language of the file at `path`; None where no sign says one."""
    name = path.rpartition("/")[2]
    known = languages()
    named = known.names.get(name, ())
    if len(named) == 1:
        return named[0]
    head = content[:_HEAD_BYTES]
    by_shebang = known.interpreters.get(_interpreter(head), ())
    if len(by_shebang) == 1:
        return by_shebang[0]
    extension, by_extension = _by_extension(name)
    candidates = [each for each in by_extension if each in by_shebang] or list(by_extension)
    chosen = decide(extension, head)
    if chosen is not UNDECIDED and candidates:
        return known.by_name[chosen.lower()] if chosen else None
    return next(iter(candidates or by_shebang), None)


def _by_extension(name: str) -> tuple[str, tuple[Language, ...]]:
    """The longest extension that is known, and the languages that have it."""
    for extension in _extensions(name.lower()):
        if extension in languages().extensions:
            return extension, languages().extensions[extension]
    return "", ()


def _extensions(name: str) -> Iterator[str]:
    dot = name.find(".")
    while dot >= 0:
        yield name[dot:]
        dot = name.find(".", dot + 1)


def _interpreter(head: bytes) -> str:
    """The name of the program that a first line `#!` starts, without its version."""
    shebang = _SHEBANG.match(head)
    if shebang is None:
        return ""
    program, rest = shebang[1].rpartition(b"/")[2], (shebang[2] or b"").split()
    if program == b"env":
        words = [word for word in rest if not word.startswith(b"-") and b"=" not in word]
        program = words[0].rpartition(b"/")[2] if words else b""
    name = program.decode("utf-8", "replace")
    return name if name in languages().interpreters else name.rstrip(_VERSION)
