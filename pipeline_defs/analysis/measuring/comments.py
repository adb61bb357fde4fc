"""How languages write comments and strings, as patterns that find them in a file's bytes. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
