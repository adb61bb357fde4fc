"""The languages that are known, under GitHub's names, and what they are known by."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from pipeline_defs.analysis.measuring.comments import SYNTAXES, Syntax

_TABLE = Path(__file__).with_name("languages.tsv")


class Type(StrEnum):
    """What a language is for; GitHub counts the first two."""

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
    """The table, by each kind of sign; texts in lower case but for `names`."""

    by_name: Mapping[str, Language]
    names: Mapping[str, tuple[Language, ...]]
    extensions: Mapping[str, tuple[Language, ...]]
    interpreters: Mapping[str, tuple[Language, ...]]


@cache
def languages() -> Languages:
    """The table as it is shipped."""
    by_name: dict[str, Language] = {}
    names: dict[str, tuple[Language, ...]] = {}
    extensions: dict[str, tuple[Language, ...]] = {}
    interpreters: dict[str, tuple[Language, ...]] = {}
    for line in _TABLE.read_text("utf-8").splitlines()[1:]:
        language, signs = _row(line)
        by_name[language.name.lower()] = language
        for sign in signs.split():
            kind, key = _sign(sign)
            found = {"#!": interpreters, ".": extensions, "": names}[kind]
            found[key] = (*found.get(key, ()), language)
    return Languages(by_name, names, extensions, interpreters)


def named_language(name: str) -> Language | None:
    """The language of this name, which may have dashes for spaces, or of this extension; else None."""
    known, key = languages(), name.lower()
    spaced = known.by_name.get(key) or known.by_name.get(key.replace("-", " "))
    return spaced or next(iter(known.extensions.get(f".{key}", ())), None)


def _row(line: str) -> tuple[Language, str]:
    name, kind, colour, syntax, group, signs = line.split("\t")
    return Language(name, Type(kind), colour, SYNTAXES[syntax], group or name), signs


def _sign(sign: str) -> tuple[str, str]:
    if sign.startswith("#!"):
        return "#!", sign[2:]
    return (".", sign.lower()) if sign.startswith(".") else ("", sign)
