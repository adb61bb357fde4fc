"""The known languages, their syntax of comments and strings, and lines of code and comment."""

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
