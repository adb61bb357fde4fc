"""On which sixteenth steps the syllables of a line fall. Pure."""

import random
from collections.abc import Iterator, Sequence, Set
from itertools import accumulate

from studio.form import dealt
from studio.genres import Cells, Genre
from studio.stress import EVEN, STRESSED, WEAK, stresses_of
from studio.syllables import weight

BREATH_STEPS = 2
CELL_STEPS = 8
BREATH_SHARE = 8
FREE_CELLS: Cells = {
    2: ((0, 2), (0, 4), (0, 6)),
    3: ((0, 2, 4), (0, 2, 6), (0, 4, 6), (0, 1, 4), (0, 3, 4)),
    4: ((0, 2, 4, 6), (0, 1, 4, 6), (0, 2, 3, 6), (0, 3, 4, 6), (0, 2, 4, 5), (0, 1, 4, 5)),
    5: ((0, 1, 2, 4, 6), (0, 2, 3, 4, 6), (0, 2, 4, 5, 6), (0, 1, 3, 4, 6), (0, 2, 4, 6, 7)),
    6: ((0, 1, 2, 4, 5, 6), (0, 1, 2, 4, 6, 7), (0, 2, 3, 4, 6, 7), (0, 2, 3, 4, 5, 6)),
}
"""Where the syllables of a half bar may fall besides where a genre likes them, for the sake of their stress."""
ON_BEAT = 1.0
LIKED = 0.75
LONGEST_WEAK = 3


class Rhythm:
    """How one song sings its verses, or its choruses: patterns chosen once by its seed."""

    def __init__(self, genre: Genre, seed: str) -> None:
        chance = random.Random(f"rhythm {seed}")  # noqa: S311
        self._genre = genre
        self._cells: Cells = {
            count: tuple(chance.sample(cells, len(cells))) for count, cells in genre.cells.items()
        }

    def onsets(self, pieces: Sequence[str], room: float, turn: int, name: str = "") -> list[float]:
        """Where each piece of a line starts, and where the last one ends, in steps from the line's start.

        `room` is the steps until the next line: a breath is left of it. Half bars begin with a word where one is
        near, and the syllables of the `name` are long. Lines with the same pieces, room and `turn` are sung alike.
        Where there are more syllables than steps, they share the room evenly.
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
        stresses = [
            stress if number == 0 else EVEN
            for stress, size in zip(stresses_of(pieces, name), weights, strict=True)
            for number in range(size)
        ]
        strong = {number for number, stress in enumerate(stresses) if stress == STRESSED}
        moments = list(self._patterned(end, (strong, words), stresses, turn))
        return [*(moments[number] for number in first), min(end, moments[-1] + self._genre.hold)]

    def _patterned(
        self, end: int, borders: Sequence[Set[int]], stresses: Sequence[float], turn: int
    ) -> Iterator[float]:
        """The moments of all syllables, half bar by half bar; the last one is left room to ring."""
        count = len(stresses)
        lengths = _half_bars(end, -(-(count + 1) // self._genre.pace))
        shares = _by_words(dealt(count + 1, lengths), lengths, borders)
        shares[-1] -= 1
        first = begun = 0
        for number, (length, share) in enumerate(zip(lengths, shares, strict=True)):
            spoken = stresses[begun : begun + share]
            for step in self._cell(spoken, length, turn + number, opening=not number):
                yield float(first + step)
            first += length
            begun += share

    def _cell(
        self, stresses: Sequence[float], length: int, turn: int, *, opening: bool
    ) -> Sequence[int]:
        """A step under `length` for each syllable, stressed ones long; the opening cell has the first."""
        count = len(stresses)
        liked = self._cells.get(count, ())
        speech = len({*stresses} - {EVEN}) > 0
        cells = [
            cell
            for cell in dict.fromkeys((*liked, *(FREE_CELLS.get(count, ()) if speech else ())))
            if cell[-1] < length and not (opening and cell[0])
        ]
        if not cells:
            return [n * length // count for n in range(count)]
        turned = [*cells[turn % len(cells) :], *cells[: turn % len(cells)]]
        if not speech:
            return turned[0]
        return max(
            turned, key=lambda cell: _spoken(cell, stresses, length) + LIKED * (cell in liked)
        )


def _spoken(cell: Sequence[int], stresses: Sequence[float], length: int) -> float:
    """How well a cell suits the stresses: stressed syllables are long and on the beat, weak ones short."""
    score = 0.0
    for step, following, stress in zip(cell, (*cell[1:], length), stresses, strict=True):
        held = following - step
        score += (stress - EVEN) * min(held, 6)
        score += ON_BEAT * (stress - EVEN) * (step % 4 == 0)
        score -= (stress == WEAK) * max(0, held - LONGEST_WEAK)
    return score


def _half_bars(steps: int, wanted: int) -> list[int]:
    """The wanted number of half bars, or all that there are with what is left over."""
    whole, rest = divmod(steps, CELL_STEPS)
    return [CELL_STEPS] * wanted if wanted <= whole else [CELL_STEPS] * whole + [rest] * bool(rest)


def _by_words(
    shares: Sequence[int], lengths: Sequence[int], borders: Sequence[Set[int]]
) -> list[int]:
    """The shares with one syllable more or less each, so that the next one begins with a stress or a word."""
    moved = list(shares)
    for number in range(len(moved) - 1):
        border = sum(moved[: number + 1])
        shifts = [
            shift
            for shift in (0, 1, -1)
            if 0 < moved[number] + shift < lengths[number] + (shift == 0)
            and 0 < moved[number + 1] - shift < lengths[number + 1] + (shift == 0)
        ]
        wanted = (shift for wished in borders for shift in shifts if border + shift in wished)
        shift = next(wanted, 0)
        moved[number : number + 2] = moved[number] + shift, moved[number + 1] - shift
    return moved
