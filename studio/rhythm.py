"""On which sixteenth steps the syllables of a line fall. Pure."""

import random
from collections.abc import Iterator, Sequence, Set
from itertools import accumulate

from studio.form import dealt
from studio.genres import Cells, Genre
from studio.syllables import weight

BREATH_STEPS = 2
CELL_STEPS = 8
BREATH_SHARE = 8


class Rhythm:
    """How one song sings its verses, or its choruses: patterns chosen once by its seed."""

    def __init__(self, genre: Genre, seed: str) -> None:
        chance = random.Random(f"rhythm {seed}")  # noqa: S311
        self._genre = genre
        self._cells: Cells = {
            count: tuple(chance.sample(cells, len(cells))) for count, cells in genre.cells.items()
        }

    def onsets(self, pieces: Sequence[str], room: float, turn: int) -> list[float]:
        """Where each piece of a line starts, and where the last one ends, in steps from the line's start.

        `room` is the steps until the next line: a breath is left of it. Half bars begin with a word where one is
        near. Lines with the same pieces, room and `turn` are sung alike. Where there are more syllables than
        steps, they share the room evenly.
        """
        weights = [weight(piece) for piece in pieces]
        first = [0, *accumulate(weights)]
        count = first.pop()
        if count + 2 > room:
            end = room * (1 - 1 / BREATH_SHARE)
            return [*(number * end / count for number in first), end]
        end = int(room) - (BREATH_STEPS if count + 1 + BREATH_STEPS <= room else 1)
        words = {
            after for piece, after in zip(pieces, first[1:], strict=False) if piece[-1:].isspace()
        }
        moments = list(self._patterned(count, end, words, turn))
        return [*(moments[number] for number in first), min(end, moments[-1] + self._genre.hold)]

    def _patterned(self, count: int, end: int, words: Set[int], turn: int) -> Iterator[float]:
        """The moments of so many syllables, half bar by half bar; the last one is left room to ring."""
        lengths = _half_bars(end, -(-(count + 1) // self._genre.pace))
        shares = _by_words(dealt(count + 1, lengths), lengths, words)
        shares[-1] -= 1
        first = 0
        for number, (length, share) in enumerate(zip(lengths, shares, strict=True)):
            for step in self._cell(share, length, turn + number, opening=not number):
                yield float(first + step)
            first += length

    def _cell(self, count: int, length: int, turn: int, *, opening: bool) -> Sequence[int]:
        """So many steps under `length`; the opening cell has the first."""
        cells = [
            cell
            for cell in self._cells.get(count, ())
            if cell[-1] < length and not (opening and cell[0])
        ]
        return cells[turn % len(cells)] if cells else [n * length // count for n in range(count)]


def _half_bars(steps: int, wanted: int) -> list[int]:
    """The wanted number of half bars, or all that there are with what is left over."""
    whole, rest = divmod(steps, CELL_STEPS)
    return [CELL_STEPS] * wanted if wanted <= whole else [CELL_STEPS] * whole + [rest] * bool(rest)


def _by_words(shares: Sequence[int], lengths: Sequence[int], words: Set[int]) -> list[int]:
    """The shares with one syllable more or less each, so that the next one begins with a word."""
    moved = list(shares)
    for number in range(len(moved) - 1):
        border = sum(moved[: number + 1])
        if border in words:
            continue
        for shift in (1, -1):
            here, following = moved[number] + shift, moved[number + 1] - shift
            fits = 0 < here < lengths[number] and 0 < following < lengths[number + 1]
            if border + shift in words and fits:
                moved[number : number + 2] = here, following
                break
    return moved
