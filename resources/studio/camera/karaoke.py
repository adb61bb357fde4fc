"""Sung lines as rows of timed pieces that fit on the screen. Pure but for the font."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from resources.studio.camera.fonts import Font
from resources.studio.camera.typesetting import broken, drawn
from resources.studio.timeline import Line

LEAD_IN, LINGER = 0.3, 0.5
MOST_ROWS = 3
SIZES = (1.0, 0.9, 0.8, 0.72)
MARKED = re.compile(r"\S+\s*|\s+")


@dataclass(frozen=True)
class Piece:
    """Text that is coloured during a stretch of time, in seconds of the song."""

    text: str
    start: float
    end: float


@dataclass(frozen=True)
class Caption:
    """Rows shown together from `start` to `end`; `scale` is the size of the letters, 1 being normal."""

    start: float
    end: float
    rows: tuple[tuple[Piece, ...], ...]
    scale: float


def captions(lines: Sequence[Line], font: Font, width: float) -> list[Caption]:
    """What is shown for the lines, one caption after the other; `width` of a row is in em at scale 1.

    A line that would need more rows than there are, even in small letters, goes on in a second caption.
    """
    shown = [caption for line in lines for caption in _of_line(line, font, width)]
    return list(_with_air(shown))


def _of_line(line: Line, font: Font, width: float) -> Iterator[Caption]:
    scale, rows = SIZES[-1], []
    for scale in SIZES:
        rows = _rows(_pieces(line, font, width / scale), font, width / scale)
        if len(rows) <= (2 if scale > SIZES[-1] else MOST_ROWS):
            break
    rows = _balanced(rows, font, width / scale)
    for first in range(0, len(rows), MOST_ROWS):
        page = tuple(tuple(row) for row in rows[first : first + MOST_ROWS])
        yield Caption(page[0][0].start, page[-1][-1].end, page, scale)


def _balanced(rows: list[list[Piece]], font: Font, width: float) -> list[list[Piece]]:
    """As many rows, but of even length instead of full ones above a short one."""
    pieces = [piece for row in rows for piece in row]
    for share in (0.55, 0.65, 0.75, 0.85):
        tried = _rows(iter(pieces), font, width * share)
        if len(tried) == len(rows):
            return tried
    return rows


def _pieces(line: Line, font: Font, width: float) -> Iterator[Piece]:
    """The line's chunks as drawn, those of several words or too wide for a row taken apart."""
    moment, blank = line.start, True
    for chunk in line.chunks:
        parts = [
            part
            for word in MARKED.findall(chunk.text)
            for part in (
                broken(word, font.width, width) if font.width(word.strip()) > width else [word]
            )
        ]
        for part in parts:
            seconds = chunk.seconds * len(part) / len(chunk.text)
            text = _drawn(part, font, blank)
            if text:
                blank = text.endswith(" ")
                yield Piece(text, moment, moment + seconds)
            moment += seconds


def _drawn(text: str, font: Font, after_blank: bool) -> str:
    """What can be drawn of a piece, with single blanks inside and at its end, and none after a blank."""
    core = drawn(text, font)
    before = " " if text[:1].isspace() and not after_blank else ""
    after = " " if core and text[-1:].isspace() else ""
    return before + core + after


def _rows(pieces: Iterator[Piece], font: Font, width: float) -> list[list[Piece]]:
    rows: list[list[Piece]] = []
    for word in _words(pieces):
        text = "".join(piece.text for piece in word)
        row = "".join(piece.text for piece in rows[-1]) if rows else ""
        if rows and font.width((row + text).rstrip()) <= width:
            rows[-1] += word
        elif font.width(text.rstrip()) <= width:
            rows.append(word)
        else:
            rows += _split(word, font, width)
    return rows


def _words(pieces: Iterator[Piece]) -> Iterator[list[Piece]]:
    word: list[Piece] = []
    for piece in pieces:
        if word and (word[-1].text.endswith(" ") or piece.text.startswith(" ")):
            yield word
            word = []
        word.append(piece)
    if word:
        yield word


def _split(word: list[Piece], font: Font, width: float) -> list[list[Piece]]:
    rows: list[list[Piece]] = [[]]
    for piece in word:
        if rows[-1] and font.width("".join(p.text for p in (*rows[-1], piece)).rstrip()) > width:
            rows.append([])
        rows[-1].append(piece)
    return rows


def _with_air(shown: Sequence[Caption]) -> Iterator[Caption]:
    """The captions come a little before they are sung and stay a little after, never two at once."""
    free = 0.0
    for number, caption in enumerate(shown):
        following = shown[number + 1].start if number + 1 < len(shown) else float("inf")
        start = max(free, caption.start - LEAD_IN)
        free = max(start, min(caption.end + LINGER, max(caption.end, following - LEAD_IN)))
        yield Caption(start, free, caption.rows, caption.scale)
