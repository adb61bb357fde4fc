"""Sung lines as rows of timed pieces that fit on the screen. Pure but for the font."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, zip_longest

from studio.camera.fonts import Font, break_word, find_best_rows, find_breaks_inside, make_drawable
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

    @property
    def texts(self) -> list[str]:
        """What stands in each row, without the blanks around it."""
        return [_join(row).strip() for row in self.rows]


def make_captions(
    lines: Sequence[Line], name: str, font: Font, width: float, *, region: str = ""
) -> list[Caption]:
    """Make what is shown for the lines, in the order of time; `width` of a row is in em at scale 1.

    A line that would need more rows than there are, even in small letters, continues in a second caption. The
    hook is larger: lines that come again, or that name the business. Rows end at punctuation where they can, and
    not inside the name or the region. Where lines overlap, the one before gives way when the next one begins.
    """
    again = Counter(line.text for line in lines)
    called = name.strip().casefold()
    phrases = [make_drawable(phrase, font) for phrase in (name, region)]
    sung: list[Caption] = []
    for line in sorted(lines, key=lambda line: line.start):
        is_hook = again[line.text] > 1 or (called and called in line.text.casefold())
        sung += _caption_line(line, HOOK_SIZES if is_hook else SIZES, font, width, phrases)
    return _give_air(sung)


def split_words(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Yield the pieces of every word, which ends where a blank does."""
    word: list[Piece] = []
    for piece in pieces:
        if word and (word[-1].text.endswith(" ") or piece.text.startswith(" ")):
            yield word
            word = []
        word.append(piece)
    if word:
        yield word


def _caption_line(
    line: Line, sizes: Sequence[tuple[float, int]], font: Font, width: float, phrases: Sequence[str]
) -> Iterator[Caption]:
    """Set the line in the best size that tears no phrase, or no word, or else in as many rows as it takes."""
    found: tuple[float, list[list[Piece]]] | None = None
    scale, rows = 1.0, list[list[Piece]]()
    for scale, good in sizes:
        full = _fill_rows(_cut_pieces(line, font, width / scale), font, width / scale)
        rows = _balance(full, font, width / scale, phrases)
        if len(rows) <= good and not _cuts_words(rows):
            is_torn = any(find_breaks_inside([_join(row) for row in rows], phrases))
            found = found or (scale, rows) if is_torn else (scale, rows)
            if not is_torn:
                break
    scale, rows = found or (scale, rows)
    for first in range(0, len(rows), MOST_ROWS):
        page = tuple(tuple(row) for row in rows[first : first + MOST_ROWS])
        yield Caption(page[0][0].start, page[-1][-1].end, page, scale)


def _cuts_words(rows: Sequence[Sequence[Piece]]) -> bool:
    """Return whether a row ends inside a word."""
    return any(
        not (row[-1].text.endswith(" ") or following[0].text.startswith(" "))
        for row, following in pairwise(rows)
    )


def _balance(
    rows: list[list[Piece]], font: Font, width: float, phrases: Sequence[str]
) -> list[list[Piece]]:
    """Break into as many rows, but where it is best instead of full ones above a short one."""
    if not 1 < len(rows) <= 2 * MOST_ROWS or _cuts_words(rows):
        return rows
    words = list(split_words(piece for row in rows for piece in row))
    spans = find_best_rows([_join(word) for word in words], len(rows), font.measure, width, phrases)
    if spans is None:
        return rows
    return [[piece for word in words[first:end] for piece in word] for first, end in spans]


def _join(pieces: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def _cut_pieces(line: Line, font: Font, width: float) -> Iterator[Piece]:
    """Yield the line's chunks as drawn, those of several words or too wide for a row taken apart."""

    def measure(text: str) -> float:
        return font.measure(make_drawable(text, font))

    moment, after_blank = line.start, True
    for chunk, seconds in _compose(line):
        start, before = moment, 0
        words = (break_word(word, measure, width) for word in MARKED.findall(chunk))
        for part in chain.from_iterable(words):
            core = make_drawable(part, font)
            blank_before = " " if part[:1].isspace() and not after_blank else ""
            text = blank_before + core + (" " if core and part[-1:].isspace() else "")
            if text:
                after_blank = text.endswith(" ")
                begin = start + seconds * before / len(chunk)
                yield Piece(text, begin, begin + seconds * len(part) / len(chunk))
            before += len(part)
        moment += seconds


def _compose(line: Line) -> Iterator[tuple[str, float]]:
    """Yield the chunks of the line as one NFC text cut up: a vendor may cut between a letter and its accent."""
    whole = unicodedata.normalize("NFC", "".join(chunk.text for chunk in line.chunks))
    taken, raw = 0, ""
    for number, chunk in enumerate(line.chunks, 1):
        raw += chunk.text
        end = max(taken, len(unicodedata.normalize("NFC", raw)))
        yield whole[taken : end if number < len(line.chunks) else None], max(0.0, chunk.seconds)
        taken = end


def _fill_rows(pieces: Iterator[Piece], font: Font, width: float) -> list[list[Piece]]:
    rows: list[list[Piece]] = []
    for word in split_words(pieces):
        text, row = _join(word), _join(rows[-1]) if rows else ""
        if rows and font.measure((row + text).rstrip()) <= width:
            rows[-1] += word
        elif font.measure(text.strip()) <= width:
            rows.append(word)
        else:
            rows.append([])
            for piece in word:
                if rows[-1] and font.measure(_join((*rows[-1], piece)).rstrip()) > width:
                    rows.append([])
                rows[-1].append(piece)
    return rows


def _give_air(sung: Sequence[Caption]) -> list[Caption]:
    """Let captions come a little before they are sung and stay a little after, never two at once."""
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
