"""Validators of the text in a customer's order."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pydantic import (
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from resources.contract.written_text import composed, is_longer

UPLOAD = re.compile(r"upload:[0-9a-f]{64}")
_INVISIBLE = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
)
_LINE_BREAKS = frozenset("\t\n\r")


@dataclass(frozen=True)
class Length:
    """A limit on the characters that are seen; stands after the validators of the text in its `Annotated`."""

    most: int

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        """The schema of the text inside, with this limit."""
        return WrapValidator(self._checked).__get_pydantic_core_schema__(source, handler)

    def __get_pydantic_json_schema__(
        self, schema: Any, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The schema of the text inside, with the limit as `maxLength`."""
        return {**handler(schema), "maxLength": self.most}

    def _checked(self, given: Any, validate: ValidatorFunctionWrapHandler) -> str:
        # Before the validators, which look at every character.
        if isinstance(given, str):
            self._refuse_longer(given.strip())
        text: str = validate(given)
        self._refuse_longer(text)
        return text

    def _refuse_longer(self, text: str) -> None:
        if is_longer(text, self.most):
            raise ValueError(f"expected at most {self.most} characters")


def plain_text(text: str) -> str:
    """The text in NFC, if all its characters can be stored and drawn. Raises ValueError as `exact_text` does."""
    return composed(exact_text(text))


def exact_text(text: str) -> str:
    """The text as it is, for addresses and names that are compared byte by byte.

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
    exact_text(text)
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
            if composed(given).strip().lower() in (value.lower(), short):
                return value
        raise ValueError(f"expected {' or '.join(choices)}")

    return choose
