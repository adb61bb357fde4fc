"""Breaking texts into rows that fit: at words where possible, inside them where not. Pure but for the font."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from resources.studio.camera.fonts import Font

SHRINK = 0.94
# libass reads these three as commands; the lookalikes are in the font.
LOOKALIKES = str.maketrans({"{": "｛", "}": "｝", "\\": "＼"})
Measure = Callable[[str], float]


def drawn(text: str, font: Font) -> str:
    """`text` as it is put on the screen: only what the font has, and nothing that libass takes for a command."""
    return font.drawable(text).translate(LOOKALIKES)


@dataclass(frozen=True)
class Block:
    """Rows of text and the em size in pixels at which they fit."""

    rows: tuple[str, ...]
    size: float


def fit(text: str, font: Font, width: float, size: float, most_rows: int) -> Block:
    """`text` in at most `most_rows` rows no wider than `width`, as large as possible, at most `size`.

    However long it is, all of it is there: the letters get smaller until it fits.
    """
    while True:
        rows = balanced(text, font.width, width / size)
        if len(rows) <= most_rows:
            return Block(tuple(rows), size)
        size *= SHRINK


def balanced(text: str, measure: Measure, width: float) -> list[str]:
    """The rows of `wrap`, but of even length instead of a full one above a short one."""
    rows = wrap(text, measure, width)
    narrow, wide = width / 2, width
    for _ in range(6 if len(rows) > 1 else 0):
        middle = (narrow + wide) / 2
        tried = wrap(text, measure, middle)
        if len(tried) > len(rows) or len(_all_words(tried)) > len(_all_words(rows)):
            narrow = middle
        else:
            wide, rows = middle, tried
    return rows


def wrap(text: str, measure: Measure, width: float) -> list[str]:
    """Rows no wider than `width`, broken at blanks; a word wider than a row is broken inside."""
    rows: list[str] = []
    for word in text.split():
        joined = f"{rows[-1]} {word}" if rows else word
        if rows and measure(joined) <= width:
            rows[-1] = joined
        else:
            rows += broken(word, measure, width)
    return rows


def broken(word: str, measure: Measure, width: float) -> list[str]:
    """A word in pieces no wider than `width`, of one character at least."""
    pieces = [""]
    for character in word:
        if pieces[-1] and measure(pieces[-1] + character) > width:
            pieces.append("")
        pieces[-1] += character
    return pieces


def _all_words(rows: Sequence[str]) -> list[str]:
    return [word for row in rows for word in row.split()]
