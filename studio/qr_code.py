"""The squares of the QR code of a link."""

from collections.abc import Iterator
from functools import lru_cache

import segno

QUIET = 4
"""How many squares around a code stay light, by ISO/IEC 18004."""


@lru_cache(maxsize=16)
def squares(link: str) -> tuple[tuple[bool, ...], ...]:
    """The rows of the smallest code that holds the link, without its quiet zone: whether each square is dark."""
    code = segno.make_qr(link, error="l", encoding="utf-8", mode="byte", eci=False)
    return tuple(tuple(bool(square) for square in row) for row in code.matrix)


def dark_runs(rows: tuple[tuple[bool, ...], ...]) -> Iterator[tuple[int, int, int]]:
    """Every run of dark squares in a row: the row, where it begins, and where it ends."""
    for number, row in enumerate(rows):
        begin = None
        for place, dark in enumerate((*row, False)):
            if dark and begin is None:
                begin = place
            elif not dark and begin is not None:
                yield number, begin, place
                begin = None
