"""The known languages: how a file of theirs is detected, and its lines of code and comment. Pure."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Syntax:
    """A syntax; `token` finds comments, and strings that may contain their marks; None without comments."""

    token: re.Pattern[bytes] | None


def _load_syntaxes() -> Mapping[str, Syntax]:
    tables = tomllib.loads(Path(__file__).with_name("syntaxes.toml").read_text("utf-8"))
    tokens = tables["tokens"]

    def make(comments: Sequence[str] = (), strings: Sequence[str] = ()) -> Syntax:
        if not comments:
            return Syntax(None)
        # Comments come first: a docstring begins like a string.
        patterns = [f"(?P<comment>{'|'.join(tokens.get(each, each) for each in comments)})"]
        patterns += [tokens.get(each, each) for each in strings]
        return Syntax(re.compile("|".join(patterns).encode(), re.MULTILINE))

    return {name: make(**syntax) for name, syntax in tables["syntaxes"].items()}


SYNTAXES = _load_syntaxes()
_TABLE = Path(__file__).with_name("languages.tsv")


class Type(StrEnum):
    """The purpose of a language; GitHub counts the first two."""

    PROGRAMMING = "programming"
    MARKUP = "markup"
    DATA = "data"
    PROSE = "prose"


@dataclass(frozen=True, slots=True)
class Language:
    """A language; `group` is the name under which it is counted."""

    name: str
    type: Type
    colour: str
    syntax: Syntax
    group: str


@dataclass(frozen=True)
class Languages:
    """The table by each kind of sign; keys are in lower case except in `names`."""

    by_name: Mapping[str, Language]
    names: Mapping[str, tuple[Language, ...]]
    extensions: Mapping[str, tuple[Language, ...]]
    interpreters: Mapping[str, tuple[Language, ...]]


@cache
def load_languages() -> Languages:
    """Load the shipped table."""
    by_name: dict[str, Language] = {}
    names: dict[str, tuple[Language, ...]] = {}
    extensions: dict[str, tuple[Language, ...]] = {}
    interpreters: dict[str, tuple[Language, ...]] = {}
    for line in _TABLE.read_text("utf-8").splitlines()[1:]:
        name, kind, colour, syntax, group, signs = line.split("\t")
        language = Language(name, Type(kind), colour, SYNTAXES[syntax], group or name)
        by_name[name.lower()] = language
        for sign in signs.split():
            found, key = names, sign
            if sign.startswith("#!"):
                found, key = interpreters, sign[2:]
            elif sign.startswith("."):
                found, key = extensions, sign.lower()
            found[key] = (*found.get(key, ()), language)
    return Languages(by_name, names, extensions, interpreters)


def find_language_by_name(name: str) -> Language | None:
    """Return the language of this name, with spaces or dashes, or of this extension; else None."""
    known, key = load_languages(), name.lower()
    spaced = known.by_name.get(key) or known.by_name.get(key.replace("-", " "))
    return spaced or next(iter(known.extensions.get(f".{key}", ())), None)


@dataclass(frozen=True, slots=True)
class Lines:
    """Numbers of lines; one with code and a comment is a line of code."""

    code: int = 0
    comment: int = 0
    blank: int = 0

    @property
    def total(self) -> int:
        """All lines."""
        return self.code + self.comment + self.blank

    def __add__(self, other: "Lines") -> "Lines":
        return Lines(self.code + other.code, self.comment + other.comment, self.blank + other.blank)


def count_lines(content: bytes, syntax: Syntax) -> Lines:
    """Count the lines of a file in a language with this syntax."""
    total = content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
    filled = _count_filled(content)
    without = content if syntax.token is None else syntax.token.sub(_remove_comment, content)
    # A comment that ends in the middle of a line can part one line of code in two.
    code = min(_count_filled(without), filled)
    return Lines(code, filled - code, total - filled)


def _count_filled(content: bytes) -> int:
    return sum(map(bool, map(bytes.strip, content.split(b"\n"))))


def _remove_comment(token: re.Match[bytes]) -> bytes:
    text = token[0]
    if token.lastgroup is None:
        return text
    return b"\n" if b"\n" in text else b" "


UNDECIDED = "?"
"""The extension has one language only."""

_HEURISTICS = tomllib.loads(Path(__file__).with_name("heuristics.toml").read_text("utf-8"))
_SHARED = {name: "|".join(alternatives) for name, alternatives in _HEURISTICS["shared"].items()}
_RULES: Mapping[str, Sequence[tuple[re.Pattern[bytes], str]]] = {
    extension: [
        (re.compile(_SHARED.get(pattern, pattern).encode(), re.MULTILINE), name)
        for pattern, name in rules
    ]
    for extensions, rules in _HEURISTICS["extensions"].items()
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
