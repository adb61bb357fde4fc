"""Words that are nearly those of a table: a letter, or a part of a Korean syllable, is missing or another one."""

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import combinations

# Of typing errors, one in a word of this many letters (of a syllable's parts), two in one of twice as many.
LEAST_JAMO, LEAST_LETTERS = 7, 6
_TWO_ERRORS = 9
_SAME_SOUND = str.maketrans(
    "\u1101\u1104\u1108\u110a\u110d\u1162\u1164\u116b\u1170\u11bb",
    "\u1100\u1103\u1107\u1109\u110c\u1166\u1168\u116c\u116c\u11ba",
)
"""Doubled consonants as single ones, ae as e, and wae and we as oe."""


class Spellings:
    """The words of a table, found by what is left of them after an error or two."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words: dict[str, set[str]] = {}
        for word in words:
            for short in _shorten(split_letters(word), 1):
                self._words.setdefault(short, set()).add(word)

    def find_nearest(self, forms: Iterable[str]) -> str | None:
        """Return what a word in these forms may mean: all words that the fewest errors lead to."""
        likely: dict[int, set[str]] = {}
        for parts in map(split_letters, forms):
            most = 2 if len(parts) >= _TWO_ERRORS else 1
            near = {each for short in _shorten(parts, most) for each in self._words.get(short, ())}
            for each in near:
                meant = split_letters(each)
                errors = _count_errors(parts, meant)
                if _may_mean(parts, meant, errors):
                    likely.setdefault(errors, set()).add(each)
        return " ".join(sorted(likely[min(likely)])) if likely else None


def split_letters(word: str) -> str:
    """Return the letters, and the parts of Korean syllables; sounds that are often confused are one."""
    return unicodedata.normalize("NFD", word).translate(_SAME_SOUND)


def _shorten(parts: str, most: int) -> Iterator[str]:
    """Yield the word, and the word without any one or more of its parts, up to `most`."""
    for count in range(most + 1):
        for dropped in combinations(range(len(parts)), count):
            yield "".join(part for place, part in enumerate(parts) if place not in dropped)


def _may_mean(written: str, meant: str, errors: int) -> bool:
    """Return whether this many errors are likely in this word: a short one has slips of one kind only."""
    shorter = min(len(written), len(meant))
    if written[0] != meant[0] or errors > (2 if shorter >= _TWO_ERRORS else 1):
        return False
    if meant.isascii():
        is_cut_short = len(written) < len(meant) and written[-1] == meant[-1]
        is_exchanged = sorted(written) == sorted(meant)
        return shorter >= LEAST_LETTERS or is_cut_short or is_exchanged
    return shorter >= LEAST_JAMO or _drop_vowels(written) == _drop_vowels(meant)


def _drop_vowels(jamo: str) -> str:
    return "".join(each for each in jamo if not "\u1161" <= each <= "\u1175")


def _count_errors(one: str, other: str) -> int:
    """Return how many letters are missing, added, changed or exchanged with their neighbour."""
    before_last: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        line = [row]
        for column, opposite in enumerate(other, 1):
            cost = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != opposite))
            exchanged = row > 1 and column > 1 and letter == other[column - 2]
            if exchanged and one[row - 2] == opposite:
                cost = min(cost, before_last[column - 2] + 1)
            line.append(cost)
        before_last, last = last, line
    return last[-1]
