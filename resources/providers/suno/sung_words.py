"""Turn a vendor's timestamped words into the lines of a timeline. Pure.

The words come as `alignedWords[{word, startS, endS, success}]`. They hold section marks and line breaks, a
mark may span several words, and some have no time (docs/vendors/suno.md).
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from resources.contract.protocol import Json
from studio.timeline import Chunk, Line
from studio.words import SECTION_MARK, count_spoken, list_sung_lines, split_syllables

ESTIMATED = "captions are estimated"
LONGEST_SONG = 900.0
"""Seconds; a longer length is not believed."""
_MOST_CHARACTERS = 20_000
_LONGEST_WORD = 2_000
"""A word may hold a section mark and line breaks. Normalizing accents takes quadratic time."""
_LONGEST_LINE = 100
_SHORTEST_LINE = 0.05
_DIGITS = 4


@dataclass(frozen=True)
class _Word:
    """A word of the vendor's, with its start and end in seconds; `span` is None if they are unknown."""

    text: str
    span: tuple[float, float] | None


@dataclass(frozen=True)
class _Sound:
    """A character of a line, with its start and end in seconds; a blank takes no time."""

    character: str
    start: float
    end: float


def build_timed_lines(words: Json) -> tuple[Line, ...]:
    """Build the sung lines from the vendor's words, in order and without overlap.

    A word without a time is sung between its neighbours. A time before an earlier word's is moved up to that one.
    Empty if less than half of the words have a time, or the text is too long.
    """
    summary = [
        word for word in map(_read_word, words if isinstance(words, list) else ()) if word.text
    ]
    lengths = [len(word.text) for word in summary]
    known = sum(word.span is not None for word in summary)
    if not known or 2 * known < len(summary):
        return ()
    if max(lengths) > _LONGEST_WORD or sum(lengths) > _MOST_CHARACTERS:
        return ()
    lines = _split_lines(
        [_Word(unicodedata.normalize("NFC", word.text), word.span) for word in summary]
    )
    return tuple(line for line in lines if line.end - line.start >= _SHORTEST_LINE)


def estimate_lines(lyric: str, seconds: float) -> tuple[Line, ...]:
    """Spread the lines of the lyric over the song's seconds, in proportion to their syllables."""
    lines = [split_syllables(line) for line in list_sung_lines(lyric)]
    weights = [count_spoken(chunk) for line in lines for chunk in line]
    share = seconds / max(1, sum(weights))
    moments = [round(before * share, _DIGITS) for before in accumulate(weights, initial=0)]
    placed, first = [], 0
    for chunks in lines:
        placed.append(_build_line(chunks, moments[first : first + len(chunks) + 1]))
        first += len(chunks)
    return tuple(placed)


def cut_lines(lines: Iterable[Line], end: float) -> tuple[Line, ...]:
    """Cut the lines at `end` seconds; drop a line of which less than half is before it."""
    return tuple(
        line if line.end <= end else _cut_line(line, end)
        for line in lines
        if line.end <= end or end - line.start >= (line.end - line.start) / 2
    )


def _cut_line(line: Line, end: float) -> Line:
    """Cut the line at `end` seconds, by its syllables."""
    starts = accumulate((chunk.seconds for chunk in line.chunks), initial=line.start)
    begun = [
        (chunk.text, start)
        for chunk, start in zip(line.chunks, starts, strict=False)
        if start < end
    ]
    texts, moments = zip(*begun, strict=True)
    return _build_line([*texts[:-1], texts[-1].rstrip()], [*moments, end])


def _build_line(chunks: Sequence[str], moments: Sequence[float]) -> Line:
    """Build a line of these chunks; `moments` are their starts, and the end of the last one, in seconds."""
    timed = tuple(
        Chunk(text, round(end - start, _DIGITS))
        for text, (start, end) in zip(chunks, pairwise(moments), strict=True)
    )
    return Line("".join(chunks), moments[0], moments[-1], timed)


def _read_word(entry: Json) -> _Word:
    """Read a word in the vendor's form `{word, startS, endS, success}`."""
    fields = entry if isinstance(entry, dict) else {}
    text = fields.get("word")
    start, end = _read_moment(fields.get("startS")), _read_moment(fields.get("endS"))
    span = None if start is None or end is None else (start, end)
    return _Word(
        text if isinstance(text, str) else "", None if fields.get("success") is False else span
    )


def _read_moment(value: Json) -> float | None:
    """Return a time in seconds; None for anything that is no plausible one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= LONGEST_SONG else None


def _split_lines(words: Sequence[_Word]) -> Iterator[Line]:
    """Yield the lines in the words' text, split at line breaks, without section marks."""
    text = "".join(word.text for word in words)
    kept = _find_kept_characters(text)
    sounds = list(_time_characters(words, kept))
    first = 0
    for row in text.splitlines(keepends=True):
        last = first + len(row)
        line = [
            sound for sound, keep in zip(sounds[first:last], kept[first:last], strict=True) if keep
        ]
        yield from map(_split_syllables, _break_line(_strip_blanks(line)))
        first = last


def _find_kept_characters(text: str) -> list[bool]:
    """Return for every character of the text whether it is part of a line, and not of a section mark."""
    kept = [character.isprintable() or character.isspace() for character in text]
    first = 0
    for row in text.splitlines(keepends=True):
        for mark in SECTION_MARK.finditer(row):
            kept[first + mark.start() : first + mark.end()] = [False] * len(mark[0])
        first += len(row)
    return kept


def _time_characters(words: Sequence[_Word], kept: Sequence[bool]) -> Iterator[_Sound]:
    """Yield every character with its time: the sung characters of a word share the word's span equally."""
    position = 0
    for text, start, end in _place_words(words):
        sung = [
            keep and not character.isspace()
            for character, keep in zip(text, kept[position : position + len(text)], strict=True)
        ]
        share = (end - start) / max(1, sum(sung))
        moments = accumulate(sung, initial=0)
        for character, (before, after) in zip(text, pairwise(moments), strict=True):
            shown = " " if character.isspace() else character
            yield _Sound(shown, start + before * share, min(end, start + after * share))
        position += len(text)


def _place_words(words: Sequence[_Word]) -> Iterator[tuple[str, float, float]]:
    """Yield text, start and end of the words, never decreasing; words without a time share a gap."""
    waiting = ""
    clock: float | None = None
    for word in words:
        if word.span is None:
            waiting += word.text
            continue
        start = max(clock or 0.0, word.span[0])
        if waiting:
            yield waiting, start if clock is None else clock, start
            waiting = ""
        clock = max(start, word.span[1])
        yield word.text, start, clock
    if waiting:
        yield waiting, clock or 0.0, clock or 0.0


def _strip_blanks(line: Sequence[_Sound]) -> Sequence[_Sound]:
    """Remove the blanks at both ends of the line."""
    text = "".join(sound.character for sound in line)
    first = len(text) - len(text.lstrip())
    return line[first : len(text.rstrip())]


def _break_line(line: Sequence[_Sound]) -> Iterator[Sequence[_Sound]]:
    """Break a line into pieces of at most 100 characters, at blanks if possible."""
    while len(line) > _LONGEST_LINE:
        text = "".join(sound.character for sound in line[: _LONGEST_LINE + 1])
        end = text.rfind(" ") if " " in text else _LONGEST_LINE
        yield line[:end]
        line = _strip_blanks(line[end:])
    if line:
        yield line


def _split_syllables(line: Sequence[_Sound]) -> Line:
    """Build the line, in chunks of one syllable each."""
    chunks = split_syllables("".join(sound.character for sound in line))
    first = [0, *accumulate(len(chunk) for chunk in chunks)][:-1]
    moments = [round(moment, _DIGITS) for moment in (*(line[n].start for n in first), line[-1].end)]
    return _build_line(chunks, moments)
