"""Breaking texts into rows that fit: at words where possible, inside them where not. Pure but for the font."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from studio.camera.fonts import Font

SHRINK = 0.94
# A word is broken only where the letters would have to be smaller than this share of their size to keep it whole.
KEEPS_WORDS = 0.35
SAVES_ROWS = 0.8
# libass reads these three as commands; the lookalikes are in the font.
LOOKALIKES = str.maketrans({"{": "｛", "}": "｝", "\\": "＼"})
# What belongs to the word after it, and looks lost at the end of a row; and marks that belong to the one before.
LEADS = frozenset({
    "&", "+", "×", "x", "·", "•", "|", "/", "-", "–", "—", "~", "@", "and", "or", "the", "a", "an", "of",
    "at", "by", "in", "on", "to", "for", "with", "및", "와", "과", "또는", "그리고",
})  # fmt: skip
TRAILS = frozenset(("!", "?", ".", ",", "…", ")", "]", "♥", "♡", "★", "☆"))
BREAKABLE = re.compile(r"[-/.,@&?=_~:]")
Measure = Callable[[str], float]


def drawn(text: str, font: Font) -> str:
    """`text` as it is put on the screen: only what the font has, and nothing that libass takes for a command."""
    return font.drawable(text).translate(LOOKALIKES)


@dataclass(frozen=True)
class Block:
    """Rows of text and the em size in pixels at which they fit."""

    rows: tuple[str, ...]
    size: float

    def width(self, font: Font) -> float:
        """How wide the widest row is, in pixels."""
        return max((font.width(row) for row in self.rows), default=0.0) * self.size


def fit(text: str, font: Font, width: float, size: float, most_rows: int) -> Block:
    """`text` in at most `most_rows` rows no wider than `width` and letters of at most `size`.

    However long it is, all of it is there: the letters get smaller until it fits. They also get a little smaller
    where that saves a row. Words stay whole, and rows end well, unless the letters would be smaller than
    `KEEPS_WORDS` of `size`; a word that is too long even then is broken, in letters as large as others.
    """
    least = size * KEEPS_WORDS if _longest(text, font) * size * KEEPS_WORDS <= width else size
    largest, found = size, list[Block]()
    while not found or size >= largest * SAVES_ROWS:
        rows = balanced(text, font.width, width / size)
        whole = " ".join(rows) == text and all(map(ends_well, rows[:-1]))
        if len(rows) <= most_rows and (size <= least or whole):
            found.append(Block(tuple(rows), size))
        size *= SHRINK
    return min(found, key=lambda block: len(block.rows))


def ends_well(row: str) -> bool:
    """Whether a row may end so: not in a word that belongs to the next one."""
    return row.rstrip().rpartition(" ")[2].casefold() not in LEADS


def _longest(text: str, font: Font) -> float:
    return max(map(font.width, _words(text)), default=0.0)


def balanced(text: str, measure: Measure, width: float) -> list[str]:
    """The rows of `wrap`, but of even length instead of a full one above a short one."""
    rows = wrap(text, measure, width)
    narrow, wide = width / 2, width
    for _ in range(6 if len(rows) > 1 else 0):
        middle = (narrow + wide) / 2
        tried = wrap(text, measure, middle)
        if len(tried) > len(rows) or _flaws(tried) > _flaws(rows):
            narrow = middle
        else:
            wide, rows = middle, tried
    return rows


def wrap(text: str, measure: Measure, width: float) -> list[str]:
    """Rows no wider than `width`, broken at blanks and ending well; a word wider than a row is broken inside."""
    rows: list[str] = []
    for group in _groups(text):
        for words in [group] if measure(group) <= width else _words(group):
            joined = f"{rows[-1]} {words}" if rows else words
            if rows and measure(joined) <= width:
                rows[-1] = joined
            else:
                rows += broken(words, measure, width)
    return rows


def broken(word: str, measure: Measure, width: float) -> list[str]:
    """A word in pieces no wider than `width`, of one character at least; after a mark rather than a letter."""
    pieces = []
    while measure(word) > width and len(word) > 1:
        most = _longest_fitting(word, measure, width)
        end = max((match.end() for match in BREAKABLE.finditer(word[:most])), default=0)
        if 2 * end < most or measure(word[end : most + 1]) > width:
            end = most
        pieces.append(word[:end])
        word = word[end:]
    return [*pieces, word]


def _longest_fitting(word: str, measure: Measure, width: float) -> int:
    """How many of its first characters fit, one at least; fewer than all."""
    fits, fails = 1, len(word)
    while fails - fits > 1:
        middle = (fits + fails) // 2
        if measure(word[:middle]) <= width:
            fits = middle
        else:
            fails = middle
    return fits


def _words(text: str) -> list[str]:
    return [word for word in text.split(" ") if word]


def _trails(word: str) -> bool:
    """Whether it belongs to the word before: a mark, or emoji."""
    return word in TRAILS or {unicodedata.category(character) for character in word} == {"So"}


def _groups(text: str) -> list[str]:
    """The words, together with those that lead to them and the marks that trail them."""
    groups: list[str] = []
    for word in _words(text):
        if groups and (_trails(word) or not ends_well(groups[-1])):
            groups[-1] += f" {word}"
        else:
            groups.append(word)
    return groups


def _flaws(rows: Sequence[str]) -> int:
    """How many words there are, of which a broken one makes two, and how many rows end badly."""
    return sum(len(_words(row)) for row in rows) + sum(not ends_well(row) for row in rows[:-1])
