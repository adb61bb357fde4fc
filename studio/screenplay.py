"""What a vendor's film is planned with: the studio's frames, shots, palettes, codes and covers; and transcripts.

The vendors' folders import this module, `words`, `syllables`, `timeline` and `genres` of the studio, and nothing
else (import-linter holds it), so that the camera behind it may change.

Transcripts are the sung lines as files that players show along with the song. WebVTT is as in
https://www.w3.org/TR/webvtt1/; SRT and LRC, the latter with times of words, are as players read them.
Lines come in the order of time. One without a visible character is left out: an empty row would end a cue.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from studio.camera.film import FRAMES
from studio.camera.graphics import QUIET, dark_runs, squares
from studio.camera.palettes import Colour, Palette, brand_palette, colour_of
from studio.camera.pictures import MARGIN
from studio.camera.shots import FPS, Shot, left_out, plan_shots
from studio.ffmpeg import try_covers
from studio.timeline import Line

__all__ = [
    "FPS",
    "FRAMES",
    "MARGIN",
    "QUIET",
    "Colour",
    "Palette",
    "Shot",
    "brand_palette",
    "colour_of",
    "dark_runs",
    "left_out",
    "plan_shots",
    "squares",
    "try_covers",
    "write_transcripts",
]

# In milliseconds: a cue that ends with its beginning is invalid.
SHORTEST_CUE = 10
# What some reader or other takes for the end of a line, or of the file.
BREAKS = re.compile("[\0\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# What an LRC reader takes for a time inside a line; it has no way to quote one.
LIKE_A_TIME, NO_TIME = re.compile(r"<(\d+:\d\d\.\d\d)>"), r"＜\1＞"


def write_transcripts(lines: Sequence[Line], folder: Path, title: str = "") -> tuple[Path, ...]:
    """Write lyrics.vtt, lyrics.srt and lyrics.lrc into `folder`, in UTF-8."""
    texts = {"vtt": format_vtt(lines), "srt": format_srt(lines), "lrc": format_lrc(lines, title)}
    for kind, text in texts.items():
        (folder / f"lyrics.{kind}").write_bytes(text.encode("utf-8", "replace"))
    return tuple(folder / f"lyrics.{kind}" for kind in texts)


def format_vtt(lines: Sequence[Line]) -> str:
    """Format the lines as WebVTT: a cue each, with the time of every chunk that begins after the one before."""
    cues = [
        f"{_format_clock(start, '.')} --> {_format_clock(end, '.')}\n{_format_cue(line, start, end)}"
        for line, start, end in _time_lines(lines)
    ]
    return "\n\n".join(["WEBVTT", *cues]) + "\n"


def format_srt(lines: Sequence[Line]) -> str:
    """Format the lines as SubRip: numbered cues of one row."""
    cues = [
        f"{number}\n{_format_clock(start, ',')} --> {_format_clock(end, ',')}\n{_make_row(line.text)}\n"
        for number, (line, start, end) in enumerate(_time_lines(lines), 1)
    ]
    return "\n".join(cues)


def format_lrc(lines: Sequence[Line], title: str = "") -> str:
    """Format the lines as LRC: the time of each before it, and in it those of its words; then the last end.

    A word's time stands between a line's and its first letter, so that a bracket there is no tag.
    """
    rows = [f"[ti:{_make_row(title).strip()}]"] if title.strip() else []
    last = 0
    for line, start, end in _time_lines(lines):
        rows.append(f"[{_format_minutes(start)}]{_format_words(line, start)}")
        last = max(last, end)
    return "\n".join([*rows, f"[{_format_minutes(last)}]", ""])


def _time_lines(lines: Sequence[Line]) -> Iterator[tuple[Line, int, int]]:
    """Yield the visible lines with start and end in milliseconds: none before the song or without a length."""
    for line in sorted(lines, key=lambda line: line.start):
        if _make_row(line.text).strip():
            start = _count_thousandths(line.start)
            yield line, start, max(start + SHORTEST_CUE, _count_thousandths(line.end))


def _format_cue(line: Line, start: int, end: int) -> str:
    parts, latest = [], start
    for moment, text in _time_chunks(line):
        if latest < moment < end:
            parts.append(f"<{_format_clock(moment, '.')}>")
            latest = moment
        parts.append(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
    return "".join(parts)


def _format_words(line: Line, start: int) -> str:
    """Format the words with their times; two chunks together may look like a time, so text is joined first."""
    words: list[tuple[int, str]] = []
    for moment, text in _time_chunks(line):
        if words and not words[-1][1][-1:].isspace():
            words[-1] = (words[-1][0], words[-1][1] + text)
        else:
            words.append((max(moment, words[-1][0] if words else start), text))
    return "".join(
        f"<{_format_minutes(moment)}>{LIKE_A_TIME.sub(NO_TIME, text)}" for moment, text in words
    )


def _time_chunks(line: Line) -> Iterator[tuple[int, str]]:
    """Yield when each chunk begins, in milliseconds, and its text."""
    befores = accumulate((chunk.seconds for chunk in line.chunks), initial=line.start)
    for before, chunk in zip(befores, line.chunks, strict=False):
        yield _count_thousandths(before), _make_row(chunk.text)


def _make_row(text: str) -> str:
    return BREAKS.sub(" ", text)


def _count_thousandths(seconds: float) -> int:
    return max(0, round(seconds * 1000))


def _format_clock(milliseconds: int, point: str) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{point}{rest:03}"


def _format_minutes(milliseconds: int) -> str:
    seconds, rest = divmod(round(milliseconds / 10), 100)
    return f"{seconds // 60:02}:{seconds % 60:02}.{rest:02}"
