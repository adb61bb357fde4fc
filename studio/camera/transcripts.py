"""The sung lines as files that players show along with the song: WebVTT, SRT and LRC. Pure but for the writing.

WebVTT as in https://www.w3.org/TR/webvtt1/; SRT and LRC, the latter with times of words, as players read them.
Lines come in the order of time. One without a visible character is left out: an empty row would end a cue.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from studio.timeline import Line

# In milliseconds: a cue that ends with its beginning is invalid.
SHORTEST_CUE = 10
# What some reader or other takes for the end of a line, or of the file.
BREAKS = re.compile("[\0\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# What an LRC reader takes for a time inside a line; it has no way to quote one.
LIKE_A_TIME, NO_TIME = re.compile(r"<(\d+:\d\d\.\d\d)>"), r"＜\1＞"


def webvtt(lines: Sequence[Line]) -> str:
    """The lines as WebVTT: a cue each, with the time of every chunk that begins later than the one before."""
    cues = [
        f"{_clock(start, '.')} --> {_clock(end, '.')}\n{_cue_text(line, start, end)}"
        for line, start, end in _in_time(lines)
    ]
    return "\n\n".join(["WEBVTT", *cues]) + "\n"


def srt(lines: Sequence[Line]) -> str:
    """The lines as SubRip: numbered cues of one row."""
    cues = [
        f"{number}\n{_clock(start, ',')} --> {_clock(end, ',')}\n{_one_row(line.text)}\n"
        for number, (line, start, end) in enumerate(_in_time(lines), 1)
    ]
    return "\n".join(cues)


def lrc(lines: Sequence[Line], title: str = "", artist: str = "") -> str:
    """The lines as LRC: the time of each before it, and in it those of its words; then when the last one ends.

    A word's time stands between a line's and its first letter, so that a bracket there is no tag.
    """
    known = (("ti", title), ("ar", artist))
    rows = [f"[{tag}:{_one_row(value).strip()}]" for tag, value in known if value.strip()]
    last = 0
    for line, start, end in _in_time(lines):
        rows.append(f"[{_minutes(start)}]{_timed_words(line, start)}")
        last = max(last, end)
    return "\n".join([*rows, f"[{_minutes(last)}]", ""])


def write_transcripts(lines: Sequence[Line], folder: Path, title: str = "") -> tuple[Path, ...]:
    """lyrics.vtt, lyrics.srt and lyrics.lrc are in `folder`, in UTF-8.

    Raises:
        OSError: one cannot be written.
    """
    texts = {"vtt": webvtt(lines), "srt": srt(lines), "lrc": lrc(lines, title)}
    for kind, text in texts.items():
        (folder / f"lyrics.{kind}").write_bytes(text.encode("utf-8", "replace"))
    return tuple(folder / f"lyrics.{kind}" for kind in texts)


def _in_time(lines: Sequence[Line]) -> Iterator[tuple[Line, int, int]]:
    """The visible lines with their start and end in milliseconds: none before the song, none without a length."""
    for line in sorted(lines, key=lambda line: line.start):
        if _one_row(line.text).strip():
            start = _thousandths(line.start)
            yield line, start, max(start + SHORTEST_CUE, _thousandths(line.end))


def _cue_text(line: Line, start: int, end: int) -> str:
    parts, latest = [], start
    for moment, text in _timed(line):
        if latest < moment < end:
            parts.append(f"<{_clock(moment, '.')}>")
            latest = moment
        parts.append(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
    return "".join(parts)


def _timed_words(line: Line, start: int) -> str:
    """The words with their times; two chunks together may look like a time, so all text is joined before."""
    words: list[tuple[int, str]] = []
    for moment, text in _timed(line):
        if words and not words[-1][1][-1:].isspace():
            words[-1] = (words[-1][0], words[-1][1] + text)
        else:
            words.append((max(moment, words[-1][0] if words else start), text))
    return "".join(
        f"<{_minutes(moment)}>{LIKE_A_TIME.sub(NO_TIME, text)}" for moment, text in words
    )


def _timed(line: Line) -> Iterator[tuple[int, str]]:
    """When each chunk begins, in milliseconds, and its text."""
    befores = accumulate((chunk.seconds for chunk in line.chunks), initial=line.start)
    for before, chunk in zip(befores, line.chunks, strict=False):
        yield _thousandths(before), _one_row(chunk.text)


def _one_row(text: str) -> str:
    return BREAKS.sub(" ", text)


def _thousandths(seconds: float) -> int:
    return max(0, round(seconds * 1000))


def _clock(milliseconds: int, point: str) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{point}{rest:03}"


def _minutes(milliseconds: int) -> str:
    seconds, rest = divmod(round(milliseconds / 10), 100)
    return f"{seconds // 60:02}:{seconds % 60:02}.{rest:02}"
