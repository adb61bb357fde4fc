"""Sung lines as rows of timed pieces that fit on the screen. Pure but for the font."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from studio.camera.fonts import Font
from studio.camera.rowbreaks import best_rows, breaks_inside
from studio.camera.typesetting import broken, drawn
from studio.timeline import Line

LEAD_IN, LEAD_OUT = 0.3, 0.5
MOST_ROWS = 3
# Sizes of letters and how many rows are good at that size, the best first.
SIZES = ((1.0, 2), (0.9, 2), (0.82, 2), (0.9, 3), (0.82, 3), (0.74, 3))
HOOK_SIZES = ((1.16, 2), (1.08, 2), *SIZES)
MARKED = re.compile(r"\S+\s*|\s+")


@dataclass(frozen=True)
class Piece:
    """Text that is coloured during a stretch of time, in seconds of the film."""

    text: str
    start: float
    end: float


Row = tuple[Piece, ...]


@dataclass(frozen=True)
class Caption:
    """Rows shown together from `start` to `end`; `scale` is the size of the letters, 1 being normal."""

    start: float
    end: float
    rows: tuple[Row, ...]
    scale: float

    @property
    def sung_end(self) -> float:
        """When its last piece has been sung."""
        return self.rows[-1][-1].end

    def texts(self) -> list[str]:
        """What stands in each row, without the blanks around it."""
        return [_text(row).strip() for row in self.rows]


def captions(
    lines: Sequence[Line], name: str, font: Font, width: float, *, region: str = ""
) -> list[Caption]:
    """What is shown for the lines, in the order of time; `width` of a row is in em at scale 1.

    A line that would need more rows than there are, even in small letters, continues in a second caption. The
    hook is larger: lines that come again, or that name the business. Rows end at punctuation where they can, and
    not inside the name or the region. Where lines overlap, the one before gives way when the next one begins.
    """
    hooks = _hooks(lines, name)
    phrases = [drawn(phrase, font) for phrase in (name, region)]
    in_time = sorted(lines, key=lambda line: line.start)
    return _with_air(
        [
            caption
            for line in in_time
            for caption in _of_line(
                line, HOOK_SIZES if line.text in hooks else SIZES, font, width, phrases
            )
        ]
    )


def _hooks(lines: Sequence[Line], name: str) -> Collection[str]:
    again = Counter(line.text for line in lines)
    called = name.strip().casefold()
    return {text for text in again if again[text] > 1 or (called and called in text.casefold())}


def _of_line(
    line: Line,
    sizes: Sequence[tuple[float, int]],
    font: Font,
    width: float,
    phrases: Sequence[str],
) -> Iterator[Caption]:
    """The best of the sizes that tear no phrase, or no word, or else the last and as many rows as it takes."""
    found: tuple[float, list[list[Piece]]] | None = None
    scale, rows = 1.0, list[list[Piece]]()
    for scale, good in sizes:
        full = _rows(_pieces(line, font, width / scale), font, width / scale)
        rows = _balanced(full, font, width / scale, phrases)
        if len(rows) <= good and not _cuts(rows):
            whole = not _tears(rows, phrases)
            found = (scale, rows) if whole else found or (scale, rows)
            if whole:
                break
    scale, rows = found or (scale, rows)
    for first in range(0, len(rows), MOST_ROWS):
        page = tuple(tuple(row) for row in rows[first : first + MOST_ROWS])
        yield Caption(page[0][0].start, page[-1][-1].end, page, scale)


def _cuts(rows: Sequence[Sequence[Piece]]) -> int:
    """How many rows end inside a word."""
    return sum(
        not (row[-1].text.endswith(" ") or following[0].text.startswith(" "))
        for row, following in pairwise(rows)
    )


def _tears(rows: Sequence[Sequence[Piece]], phrases: Sequence[str]) -> bool:
    return any(breaks_inside([_text(row) for row in rows], phrases))


def _balanced(
    rows: list[list[Piece]], font: Font, width: float, phrases: Sequence[str]
) -> list[list[Piece]]:
    """As many rows, but broken where it is best instead of full ones above a short one."""
    if not 1 < len(rows) <= 2 * MOST_ROWS or _cuts(rows):
        return rows
    words = list(words_of(piece for row in rows for piece in row))
    spans = best_rows([_text(word) for word in words], len(rows), font.width, width, phrases)
    if spans is None:
        return rows
    return [[piece for word in words[first:end] for piece in word] for first, end in spans]


def _text(pieces: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def _pieces(line: Line, font: Font, width: float) -> Iterator[Piece]:
    """The line's chunks as drawn, those of several words or too wide for a row taken apart."""
    moment, blank = line.start, True
    for chunk, seconds in _composed(line):
        start = moment
        for before, part in _parts(chunk, font, width):
            text = _drawn(part, font, blank)
            if text:
                blank = text.endswith(" ")
                begin = start + seconds * before / len(chunk)
                yield Piece(text, begin, begin + seconds * len(part) / len(chunk))
        moment += seconds


def _composed(line: Line) -> Iterator[tuple[str, float]]:
    """The chunks of the line as one NFC text cut up: a vendor may cut between a letter and its accent."""
    whole = unicodedata.normalize("NFC", "".join(chunk.text for chunk in line.chunks))
    taken, raw = 0, ""
    for number, chunk in enumerate(line.chunks, 1):
        raw += chunk.text
        end = max(taken, len(unicodedata.normalize("NFC", raw)))
        yield whole[taken : end if number < len(line.chunks) else None], max(0.0, chunk.seconds)
        taken = end


def _parts(chunk: str, font: Font, width: float) -> Iterator[tuple[int, str]]:
    """The words of a chunk, those wider than a row in pieces, each with the number of characters before it."""

    def measure(text: str) -> float:
        return font.width(drawn(text, font))

    before = 0
    for word in MARKED.findall(chunk):
        for part in broken(word, measure, width) if measure(word) > width else [word]:
            yield before, part
            before += len(part)


def _drawn(text: str, font: Font, after_blank: bool) -> str:
    """What can be drawn of a piece, with single blanks inside and at its end, and none after a blank."""
    core = drawn(text, font)
    before = " " if text[:1].isspace() and not after_blank else ""
    after = " " if core and text[-1:].isspace() else ""
    return before + core + after


def _rows(pieces: Iterator[Piece], font: Font, width: float) -> list[list[Piece]]:
    rows: list[list[Piece]] = []
    for word in words_of(pieces):
        text, row = _text(word), _text(rows[-1]) if rows else ""
        if rows and font.width((row + text).rstrip()) <= width:
            rows[-1] += word
        elif font.width(text.strip()) <= width:
            rows.append(word)
        else:
            rows += _split(word, font, width)
    return rows


def words_of(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """The pieces of every word, which ends where a blank does."""
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
        if rows[-1] and font.width(_text((*rows[-1], piece)).rstrip()) > width:
            rows.append([])
        rows[-1].append(piece)
    return rows


def _with_air(sung: Sequence[Caption]) -> list[Caption]:
    """The captions come a little before they are sung and stay a little after, never two at once."""
    starts: list[float] = []
    shown, busy = 0.0, 0.0
    for caption in sung:
        shown = max(shown, min(caption.start, max(busy, caption.start - LEAD_IN)))
        busy = max(busy, caption.end)
        starts.append(shown)
    spans = zip_longest(starts, starts[1:], fillvalue=float("inf"))
    return [
        replace(caption, start=start, end=max(start, min(caption.end + LEAD_OUT, following)))
        for caption, (start, following) in zip(sung, spans, strict=True)
    ]
