"""The part of a song that a video plays: of the ordered length, from where the singing begins. Pure."""

import math
from dataclasses import dataclass

from pipeline_defs.song_video.products import Section, Song, SungLine
from resources.providers.suno.sung_words import cut_lines
from studio.timeline import Line

LEAD_IN = 1.0
_ROUNDING = 0.05
_DIGITS = 4


@dataclass(frozen=True)
class Excerpt:
    """Seconds `start` to `start + seconds` of a song; the timeline counts from `start`.

    `fades`: the song continues after the excerpt. Beat and sections are known only for a whole song.
    """

    start: float
    seconds: float
    timeline: tuple[SungLine, ...]
    fades: bool
    beat_seconds: float | None = None
    sections: tuple[Section, ...] = ()


def excerpt(song: Song, seconds: float) -> Excerpt:
    """The excerpt of `seconds`; a song that is not longer is used whole.

    It starts shortly before the first line, or earlier where the song would otherwise end too soon. A line that
    continues after the excerpt is shortened, or left out if less than half of it is audible.
    """
    if song.seconds <= seconds + _ROUNDING:
        return Excerpt(
            start=0.0,
            seconds=song.seconds,
            timeline=tuple(song.timeline),
            fades=False,
            beat_seconds=song.beat_seconds,
            sections=tuple(song.sections),
        )
    lines = [Line.from_json(line.model_dump()) for line in song.timeline]
    latest = song.seconds - seconds
    first = min((line.start for line in lines), default=0.0)
    start = math.floor(1000 * max(0.0, min(first - LEAD_IN, latest))) / 1000
    sung = cut_lines(lines, start + seconds)
    return Excerpt(
        start=start,
        seconds=float(seconds),
        timeline=tuple(_shifted(line, start) for line in sung),
        fades=start + _ROUNDING < latest,
    )


def _shifted(line: Line, earlier: float) -> SungLine:
    start, end = (round(max(0.0, moment - earlier), _DIGITS) for moment in (line.start, line.end))
    chunks = [(chunk.text, chunk.seconds) for chunk in line.chunks]
    return SungLine(text=line.text, start=start, end=end, chunks=chunks)
