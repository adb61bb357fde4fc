"""Validators of the text in a customer's order."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

UPLOAD = re.compile(r"upload:[0-9a-f]{64}")
_INVISIBLE = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
)
_LINE_BREAKS = frozenset("\t\n\r")


def plain_text(text: str) -> str:
    """The text, if all its characters can be stored and drawn.

    Raises ValueError that names the first that cannot: control characters (such as NUL), half a surrogate pair,
    and invisible marks that change the text direction.
    """
    for position, character in enumerate(text, start=1):
        kind = _unfit(character)
        if kind:
            code = f"U+{ord(character):04X}"
            raise ValueError(f"expected plain text, got {kind} {code} at position {position}")
    return text


def visible_line(text: str) -> str:
    """Plain text on one line with at least one visible character. Raises ValueError."""
    line = " ".join(plain_text(text).split())
    if not is_visible(line):
        raise ValueError("expected at least 1 visible character")
    return line


def is_visible(text: str) -> bool:
    """Whether at least one character of it is seen."""
    return any(unicodedata.category(character)[0] in "LNPS" for character in text)


def _unfit(character: str) -> str | None:
    if character in _INVISIBLE:
        return "the invisible mark"
    category = unicodedata.category(character)
    if category == "Cs":
        return "half a character"
    if category == "Cc" and character not in _LINE_BREAKS:
        return "the control character"
    return None


def image_reference(text: str) -> str:
    """A web link to a picture, or the reference of an upload by the CLI. Raises ValueError."""
    plain_text(text)
    if UPLOAD.fullmatch(text):
        return text
    try:
        parts = urlsplit(text)
        # A port out of range raises; some URL parsers drop whitespace silently.
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        # No setting allows a user name in a link, which may be a secret.
        usable = usable and "@" not in parts.netloc and not any(map(str.isspace, text))
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(
            "expected a link that begins with https:// or http:// and has no user name "
            "(local files only through `castad make --image`)"
        )
    return text


def one_of(choices: Mapping[str, str]) -> Callable[[object], object]:
    """A validator for one of `choices` (value → its short form), case-insensitive."""

    def choose(given: object) -> object:
        if not isinstance(given, str):
            return given
        for value, short in choices.items():
            if given.strip().lower() in (value.lower(), short):
                return value
        raise ValueError(f"expected {' or '.join(choices)}")

    return choose
