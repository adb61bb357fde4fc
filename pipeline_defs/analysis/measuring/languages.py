"""The known languages, their syntax of comments and strings, and lines of code and comment."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

_TO_LINE_END = r"[^\n]*"


@dataclass(frozen=True, slots=True)
class Syntax:
    """A syntax; `token` finds comments, and strings that may contain their marks; None without comments."""

    token: re.Pattern[bytes] | None


def _make_syntax(comments: Sequence[str] = (), strings: Sequence[str] = ()) -> Syntax:
    if not comments:
        return Syntax(None)
    # Comments come first: a docstring begins like a string.
    pattern = f"(?P<comment>{'|'.join(comments)})" + "".join(f"|{string}" for string in strings)
    return Syntax(re.compile(pattern.encode(), re.MULTILINE))


def _make_block(begin: str, end: str) -> str:
    """Make the pattern of a comment over several lines; without an end it reaches to the end of the file."""
    return rf"{begin}(?s:.)*?(?:{end}|\Z)"


def _make_whole_line(begin: str) -> str:
    """Make the pattern of a comment on its own line; one behind code changes no count."""
    return rf"^[^\S\n]*+(?:{begin}){_TO_LINE_END}"


def _make_quoted(quote: str) -> str:
    """Make the pattern of a string on one line."""
    return rf"{quote}(?>[^{quote}\\\n]|\\[^\n])*+{quote}?"


_DOUBLE, _SINGLE = _make_quoted('"'), _make_quoted("'")
_BACKTICK = r"`(?>[^`\\]|\\(?s:.))*+`?"
_RAW_BACKTICK = r"`[^`]*+`?"
_SLASHES = rf"//{_TO_LINE_END}"
_C_BLOCK = _make_block(r"/\*", r"\*/")
_DOCSTRING = r"^[^\S\n]*+[rRuUbB]{0,2}(?:'''(?s:.)*?(?:'''|\Z)|\"\"\"(?s:.)*?(?:\"\"\"|\Z))"
_TRIPLE = r"'''(?s:.)*?(?:'''|\Z)|\"\"\"(?s:.)*?(?:\"\"\"|\Z)"
_XML = _make_block("<!--", "-->")
_POD = _make_block(r"^=[a-z]+\b", r"^=cut\b[^\n]*")
_QUOTES = (_DOUBLE, _SINGLE)

SYNTAXES: Mapping[str, Syntax] = {
    "none": _make_syntax(),
    "assembly": _make_syntax((_make_whole_line("[;#@]|//"), _C_BLOCK), _QUOTES),
    "basic": _make_syntax((_make_whole_line("'|(?i:REM)\\b"),)),
    "batch": _make_syntax((_make_whole_line("::|@?(?i:REM)\\b"),)),
    "c": _make_syntax((_SLASHES, _C_BLOCK), _QUOTES),
    "coffee": _make_syntax((_make_block("###", "###"), _make_whole_line("#")), (_TRIPLE, *_QUOTES)),
    "css": _make_syntax((_C_BLOCK,), _QUOTES),
    "d": _make_syntax((_SLASHES, _C_BLOCK, _make_block(r"/\+", r"\+/")), (_RAW_BACKTICK, *_QUOTES)),
    "dashes": _make_syntax((_make_whole_line("--"),)),
    "fortran": _make_syntax((_make_whole_line("!"), "^[cC*][ \\t!*-][^\\n]*")),
    "fsharp": _make_syntax((_SLASHES, _make_block(r"\(\*(?!\))", r"\*\)")), (_TRIPLE, _DOUBLE)),
    "go": _make_syntax((_SLASHES, _C_BLOCK), (_RAW_BACKTICK, *_QUOTES)),
    "handlebars": _make_syntax((_XML, _make_block(r"\{\{!--", r"--\}\}"), r"\{\{![^}]*\}\}")),
    "hash": _make_syntax((_make_whole_line("#"),)),
    "haskell": _make_syntax((_make_whole_line("--"), _make_block(r"\{-", r"-\}")), (_DOUBLE,)),
    "ini": _make_syntax((_make_whole_line("[;#!]"),)),
    "javascript": _make_syntax((_SLASHES, _C_BLOCK), (_BACKTICK, *_QUOTES)),
    "jinja": _make_syntax((_XML, _make_block(r"\{#", r"#\}"))),
    "julia": _make_syntax((_make_block("#=", "=#"), _make_whole_line("#")), (_TRIPLE, _DOUBLE)),
    "lisp": _make_syntax((_make_whole_line(";"), _make_block(r"#\|", r"\|#")), (_DOUBLE,)),
    "lua": _make_syntax(
        (_make_block(r"--\[\[", r"\]\]"), f"--{_TO_LINE_END}"),
        (r"\[\[(?s:.)*?(?:\]\]|\Z)", *_QUOTES),
    ),
    "matlab": _make_syntax(
        (_make_block(r"^[ \t]*%\{[ \t]*$", r"^[ \t]*%\}"), _make_whole_line("%"))
    ),
    "nix": _make_syntax((_make_whole_line("#"), _C_BLOCK), (_DOUBLE,)),
    "ocaml": _make_syntax((_make_block(r"\(\*", r"\*\)"),), (_DOUBLE,)),
    "pascal": _make_syntax(
        (_SLASHES, _make_block(r"\{", r"\}"), _make_block(r"\(\*", r"\*\)")), (_SINGLE,)
    ),
    "percent": _make_syntax((_make_whole_line("%"),)),
    "perl": _make_syntax((_POD, _make_whole_line("#"))),
    "php": _make_syntax((_SLASHES, _C_BLOCK, _make_whole_line(r"#(?!\[)")), _QUOTES),
    "powershell": _make_syntax((_make_block("<#", "#>"), _make_whole_line("#")), _QUOTES),
    "prolog": _make_syntax((_make_whole_line("%"), _C_BLOCK), _QUOTES),
    "python": _make_syntax((_DOCSTRING, f"#{_TO_LINE_END}"), (_TRIPLE, *_QUOTES)),
    "ruby": _make_syntax((_make_block("^=begin\\b", "^=end\\b[^\\n]*"), _make_whole_line("#"))),
    "rust": _make_syntax((_SLASHES, _C_BLOCK), (_DOUBLE, r"'(?:[^'\\\n]|\\[^\n])'")),
    "semicolon": _make_syntax((_make_whole_line(";"),)),
    "sql": _make_syntax((_make_whole_line("--"), _C_BLOCK), (_SINGLE,)),
    "vim": _make_syntax((_make_whole_line('"'),)),
    "xml": _make_syntax((_XML,)),
}


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
