"""Words as LIKE finds them in JSON text. Pure."""

import unicodedata
from collections.abc import Collection, Iterable, Sequence
from functools import cache

ESCAPE = "!"
ESCAPED_TEXT = "%\\u%"
"""A pattern for JSON text in which a character may be written by its number."""

_ANYTHING = "%"
# The last one is written in either form.
_IN_JSON = {'"': r"\"", "\\": r"\\", "/": "%/"}
_SPECIAL = frozenset("%_!")
_FINAL_SIGMA = "ς"


def fold(text: str) -> str:
    """The text as it is compared: composed, and without capital letters."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def patterns_of(word: str) -> Sequence[str]:
    """Patterns, one of which matches every JSON text that has this folded word in a usual form.

    That is composed or decomposed, and where all its letters are others than ASCII's: small, capital, or with only
    the first one capital. They match other texts as well. LIKE knows capital letters of ASCII only, and takes
    composed and decomposed text, ß and ss, σ and ς as different.
    """
    unsure = _unsure(word)
    if any(map(_has_one_form, word)):
        unsure |= {place for place, each in enumerate(word) if not _has_one_form(each)}
        forms = [_masked(word, unsure)]
    else:
        large = [each.upper() for each in word]
        forms = [_masked(each, unsure) for each in (word, large, [large[0], *word[1:]])]
    decomposed = [unicodedata.normalize("NFD", form) for form in forms]
    shapes = [f"%{shape}%" for letters, shape in _rare_shapes() if letters in _bases(word)]
    return [*dict.fromkeys((*forms, *decomposed, *shapes))]


def _has_one_form(character: str) -> bool:
    """Whether LIKE finds it, or one of the two forms of a Hangul syllable, whatever its case."""
    if character.isascii() or "\uac00" <= character <= "\ud7a3":
        return True
    is_caseless = character.lower() == character.upper()
    return is_caseless and unicodedata.normalize("NFD", character) == character


def _unsure(word: str) -> set[int]:
    """Places where a usual text may have something else than this letter in either case."""
    places = {place for place, each in enumerate(word) if each == fold(_FINAL_SIGMA)}
    # With a mark a letter may be another character, as İ is.
    marks = {place for place, each in enumerate(word) if unicodedata.combining(each)}
    places |= marks | {place - 1 for place in marks}
    bases = _bases(word)
    for letters in _letters_of_one():
        for begin in range(len(word)):
            if bases.startswith(letters, begin):
                places |= {*range(begin, begin + len(letters))}
    return places


def _bases(text: str) -> str:
    """Each of its letters without marks."""
    return "".join(unicodedata.normalize("NFD", each)[0] for each in text)


@cache
def _letters_of_one() -> Collection[str]:
    """Several letters that one character of an alphabet is folded to, as ß is."""
    return {letters for letters, each in _folded_letters() if len(letters) > 1 and _is_own(each)}


@cache
def _rare_shapes() -> Collection[tuple[str, str]]:
    """Characters that hardly any text has, such as ligatures, each after the letters that it is folded to."""
    return [
        (letters, each)
        for letters, each in _folded_letters()
        if each != _FINAL_SIGMA and (len(letters) == 1 or not _is_own(each))
    ]


def _is_own(character: str) -> bool:
    """Whether it is a character of its own, not another shape of others."""
    return unicodedata.is_normalized("NFKC", character)


def _folded_letters() -> Iterable[tuple[str, str]]:
    """Characters of which folding changes more than the case, each after the letters that it becomes."""
    for character in map(chr, range(0x80, 0x20000)):
        if character == character.casefold() or not unicodedata.is_normalized("NFC", character):
            continue
        folded = fold(character)
        plain = "".join(
            each for each in unicodedata.normalize("NFD", folded) if not unicodedata.combining(each)
        )
        is_marked = len(folded) > 1 and len(plain) == 1
        if character not in (folded, folded.upper()) and not is_marked:
            yield (plain if len(folded) > 1 else folded), character


def _masked(letters: Sequence[str], unsure: Collection[int]) -> str:
    """The pattern of the letters with anything at the places that are unsure."""
    return _pattern(
        _ANYTHING if place in unsure else "".join(map(_literal, each))
        for place, each in enumerate(letters)
    )


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
