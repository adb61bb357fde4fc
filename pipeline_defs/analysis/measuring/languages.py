"""The languages that are known, how they write comments and strings, and lines of code and comment."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

_TO_LINE_END = r"[^\n]*"


@dataclass(frozen=True, slots=True)
class Syntax:
    """`token` finds comments, and strings in which one could seem to begin; None where there are no comments."""

    token: re.Pattern[bytes] | None


def _syntax(comments: Sequence[str] = (), strings: Sequence[str] = ()) -> Syntax:
    if not comments:
        return Syntax(None)
    # Comments come first: a docstring begins like a string.
    pattern = f"(?P<comment>{'|'.join(comments)})" + "".join(f"|{string}" for string in strings)
    return Syntax(re.compile(pattern.encode(), re.MULTILINE))


def _block(begin: str, end: str) -> str:
    """A comment over several lines; one that has no end reaches to the end of the file."""
    return rf"{begin}(?s:.)*?(?:{end}|\Z)"


def _whole_line(begin: str) -> str:
    """A comment that has its line to itself; one behind code changes no count."""
    return rf"^[^\S\n]*+(?:{begin}){_TO_LINE_END}"


def _quoted(quote: str) -> str:
    """A string on one line."""
    return rf"{quote}(?>[^{quote}\\\n]|\\[^\n])*+{quote}?"


_DOUBLE, _SINGLE = _quoted('"'), _quoted("'")
_BACKTICK = r"`(?>[^`\\]|\\(?s:.))*+`?"
_RAW_BACKTICK = r"`[^`]*+`?"
_SLASHES = rf"//{_TO_LINE_END}"
_C_BLOCK = _block(r"/\*", r"\*/")
_DOCSTRING = r"^[^\S\n]*+[rRuUbB]{0,2}(?:'''(?s:.)*?(?:'''|\Z)|\"\"\"(?s:.)*?(?:\"\"\"|\Z))"
_TRIPLE = r"'''(?s:.)*?(?:'''|\Z)|\"\"\"(?s:.)*?(?:\"\"\"|\Z)"
_XML = _block("<!--", "-->")
_POD = _block(r"^=[a-z]+\b", r"^=cut\b[^\n]*")
_QUOTES = (_DOUBLE, _SINGLE)

SYNTAXES: Mapping[str, Syntax] = {
    "none": _syntax(),
    "assembly": _syntax((_whole_line("[;#@]|//"), _C_BLOCK), _QUOTES),
    "basic": _syntax((_whole_line("'|(?i:REM)\\b"),)),
    "batch": _syntax((_whole_line("::|@?(?i:REM)\\b"),)),
    "c": _syntax((_SLASHES, _C_BLOCK), _QUOTES),
    "coffee": _syntax((_block("###", "###"), _whole_line("#")), (_TRIPLE, *_QUOTES)),
    "css": _syntax((_C_BLOCK,), _QUOTES),
    "d": _syntax((_SLASHES, _C_BLOCK, _block(r"/\+", r"\+/")), (_RAW_BACKTICK, *_QUOTES)),
    "dashes": _syntax((_whole_line("--"),)),
    "fortran": _syntax((_whole_line("!"), "^[cC*][ \\t!*-][^\\n]*")),
    "fsharp": _syntax((_SLASHES, _block(r"\(\*(?!\))", r"\*\)")), (_TRIPLE, _DOUBLE)),
    "go": _syntax((_SLASHES, _C_BLOCK), (_RAW_BACKTICK, *_QUOTES)),
    "handlebars": _syntax((_XML, _block(r"\{\{!--", r"--\}\}"), r"\{\{![^}]*\}\}")),
    "hash": _syntax((_whole_line("#"),)),
    "haskell": _syntax((_whole_line("--"), _block(r"\{-", r"-\}")), (_DOUBLE,)),
    "ini": _syntax((_whole_line("[;#!]"),)),
    "javascript": _syntax((_SLASHES, _C_BLOCK), (_BACKTICK, *_QUOTES)),
    "jinja": _syntax((_XML, _block(r"\{#", r"#\}"))),
    "julia": _syntax((_block("#=", "=#"), _whole_line("#")), (_TRIPLE, _DOUBLE)),
    "lisp": _syntax((_whole_line(";"), _block(r"#\|", r"\|#")), (_DOUBLE,)),
    "lua": _syntax(
        (_block(r"--\[\[", r"\]\]"), f"--{_TO_LINE_END}"), (r"\[\[(?s:.)*?(?:\]\]|\Z)", *_QUOTES)
    ),
    "matlab": _syntax((_block(r"^[ \t]*%\{[ \t]*$", r"^[ \t]*%\}"), _whole_line("%"))),
    "nix": _syntax((_whole_line("#"), _C_BLOCK), (_DOUBLE,)),
    "ocaml": _syntax((_block(r"\(\*", r"\*\)"),), (_DOUBLE,)),
    "pascal": _syntax((_SLASHES, _block(r"\{", r"\}"), _block(r"\(\*", r"\*\)")), (_SINGLE,)),
    "percent": _syntax((_whole_line("%"),)),
    "perl": _syntax((_POD, _whole_line("#"))),
    "php": _syntax((_SLASHES, _C_BLOCK, _whole_line(r"#(?!\[)")), _QUOTES),
    "powershell": _syntax((_block("<#", "#>"), _whole_line("#")), _QUOTES),
    "prolog": _syntax((_whole_line("%"), _C_BLOCK), _QUOTES),
    "python": _syntax((_DOCSTRING, f"#{_TO_LINE_END}"), (_TRIPLE, *_QUOTES)),
    "ruby": _syntax((_block("^=begin\\b", "^=end\\b[^\\n]*"), _whole_line("#"))),
    "rust": _syntax((_SLASHES, _C_BLOCK), (_DOUBLE, r"'(?:[^'\\\n]|\\[^\n])'")),
    "semicolon": _syntax((_whole_line(";"),)),
    "sql": _syntax((_whole_line("--"), _C_BLOCK), (_SINGLE,)),
    "vim": _syntax((_whole_line('"'),)),
    "xml": _syntax((_XML,)),
}


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
    """The lines of a file in a language with this syntax."""
    total = content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
    filled = _filled(content)
    code = filled if syntax.token is None else _filled(syntax.token.sub(_without_comment, content))
    # A comment that ends in the middle of a line can part one line of code in two.
    code = min(code, filled)
    return Lines(code, filled - code, total - filled)


def _filled(content: bytes) -> int:
    return sum(map(bool, map(bytes.strip, content.split(b"\n"))))


def _without_comment(token: re.Match[bytes]) -> bytes:
    text = token[0]
    if token.lastgroup is None:
        return text
    return b"\n" if b"\n" in text else b" "
