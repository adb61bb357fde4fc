"""Words as LIKE finds them in JSON text. Pure."""

import unicodedata
from collections.abc import Iterable, Sequence

ESCAPE = "!"
ESCAPED_TEXT = "%\\u%"
"""A pattern for JSON text in which a character may be written by its number."""

_ANYTHING = "%"
# The last one is written in either form.
_IN_JSON = {'"': r"\"", "\\": r"\\", "/": "%/"}
_SPECIAL = frozenset("%_!")


def fold(text: str) -> str:
    """The text as it is compared: composed, and without capital letters."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def patterns_of(word: str) -> Sequence[str]:
    """Patterns, one of which matches every JSON text that has this folded word in a usual form.

    They match others as well. LIKE knows capital letters of ASCII only, and takes composed and decomposed text as
    different.
    """
    if any(map(_has_one_form, word)):
        forms = [_pattern(_literal(each) if _has_one_form(each) else _ANYTHING for each in word)]
    else:
        written = (word, word.upper(), word.capitalize())
        forms = [_pattern(map(_literal, each)) for each in written]
    decomposed = [unicodedata.normalize("NFD", form) for form in forms]
    return [*dict.fromkeys((*forms, *decomposed))]


def _has_one_form(character: str) -> bool:
    """Whether LIKE finds it, or one of the two forms of a Hangul syllable, whatever its case."""
    if character.isascii() or "\uac00" <= character <= "\ud7a3":
        return True
    is_caseless = character.lower() == character.upper()
    return is_caseless and unicodedata.normalize("NFD", character) == character


def _literal(character: str) -> str:
    if character in _SPECIAL:
        return ESCAPE + character
    return _IN_JSON.get(character, character)


def _pattern(parts: Iterable[str]) -> str:
    joined = [_ANYTHING]
    for part in (*parts, _ANYTHING):
        if part != _ANYTHING or joined[-1] != _ANYTHING:
            joined.append(part)
    return "".join(joined)
