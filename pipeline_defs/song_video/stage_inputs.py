"""The input of each stage, built from the brief and the products of earlier stages. Pure."""

import json
import math
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pipeline_defs.pipeline import Products
from pipeline_defs.song_video.brief import Brief
from pipeline_defs.song_video.products import Lyric, Song, SongSection, SungLine
from resources.files.pictures import list_picture_references
from resources.providers.suno.sung_words import cut_lines
from studio.timeline import Line
from studio.words import SHORTEST_LYRIC

FACTS_BEGIN = "<order>"
FACTS_END = "</order>"
SECONDS_PER_LINE = 3
FEWEST_LINES = 4

_PROMPT = tomllib.loads(Path(__file__).with_name("lyric_prompt.toml").read_text("utf-8"))
_DELIMITING = frozenset("<>")
_INVISIBLE_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))


class MarkedLines(NamedTuple):
    """A mark such as "Verse" and how many lines are sung under it."""

    mark: str
    lines: int


def build_lyric_prompt(brief: Brief) -> Mapping[str, str]:
    """Build the texts `system` and `user` that ask a chat model for the lyric.

    The customer's values appear once, at the end, as one line of JSON between `FACTS_BEGIN` and `FACTS_END`. No
    value can end the line or the delimited part, or appear among the instructions.
    """
    sections = plan_sections(brief.duration_seconds)
    facts = {
        "business_name": brief.customer_name,
        "region": brief.region,
        "details": brief.detail_region_info,
        "genres": brief.genre,
    }
    marks = {"begin": FACTS_BEGIN, "end": FACTS_END}
    user = _PROMPT["task"].format(
        language=brief.language,
        seconds=brief.duration_seconds,
        lines=sum(section.lines for section in sections),
        plan=", ".join(f"[{mark}] and {lines} lines" for mark, lines in sections),
        line_length=_PROMPT["line_length"][brief.language],
        seconds_per_line=SECONDS_PER_LINE,
        shortest=SHORTEST_LYRIC,
        # One line of JSON without angle brackets and invisible characters.
        facts="".join(map(_escape, json.dumps(facts, ensure_ascii=False))),
        **marks,
    )
    return {"system": _PROMPT["system"].format(**marks), "user": user}


def plan_sections(seconds: int) -> tuple[MarkedLines, ...]:
    """Plan the sections of a song of this length, with one line per about three seconds."""
    lines = max(FEWEST_LINES, round(seconds / SECONDS_PER_LINE))
    marks: tuple[str, ...]
    if lines < 12:
        marks = ("Verse", "Chorus")
    elif lines < 24:
        marks = ("Verse 1", "Chorus", "Verse 2", "Chorus")
    else:
        marks = ("Verse 1", "Chorus", "Verse 2", "Chorus", "Bridge", "Chorus")
    each, rest = divmod(lines, len(marks))
    return tuple(MarkedLines(mark, each + (index < rest)) for index, mark in enumerate(marks))


def _escape(character: str) -> str:
    if character in _DELIMITING:
        return f"\\u{ord(character):04x}"
    if unicodedata.category(character) in _INVISIBLE_CATEGORIES:
        return json.dumps(character)[1:-1]
    return character


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
    sections: tuple[SongSection, ...] = ()


def cut_excerpt(song: Song, seconds: float) -> Excerpt:
    """Choose the excerpt of `seconds`; a song that is not longer is used whole.

    The excerpt starts shortly before the first line, or earlier if the song would otherwise end too soon. A line
    that continues after the excerpt is shortened, or left out if less than half of it is audible.
    """
    if song.seconds <= seconds + _ROUNDING:
        lines, sections = tuple(song.timeline), tuple(song.sections)
        return Excerpt(0.0, song.seconds, lines, False, song.beat_seconds, sections)
    written = [Line.from_json(line.model_dump()) for line in song.timeline]
    latest = song.seconds - seconds
    first = min((line.start for line in written), default=0.0)
    start = math.floor(1000 * max(0.0, min(first - LEAD_IN, latest))) / 1000
    sung = tuple(_shift_line(line, start) for line in cut_lines(written, start + seconds))
    return Excerpt(start, float(seconds), sung, fades=start + _ROUNDING < latest)


def _shift_line(line: Line, earlier: float) -> SungLine:
    start, end = (round(max(0.0, moment - earlier), _DIGITS) for moment in (line.start, line.end))
    chunks = [(chunk.text, chunk.seconds) for chunk in line.chunks]
    return SungLine(text=line.text, start=start, end=end, chunks=chunks)


_CAPTION_STYLE = Brief.model_fields["caption_style"].default
"""Left out of the input, so that stored inputs from before there were several styles stay equal."""


def build_lyric_input(brief: Brief, task_id: str, products: Products) -> Mapping[str, Any]:
    """Build the input of the lyric: the studio uses the facts, a chat model the prompt."""
    return {
        "seed": task_id,
        "customer_name": brief.customer_name,
        "region": brief.region,
        "detail_region_info": brief.detail_region_info,
        "language": brief.language,
        "genre": brief.genre,
        "duration_seconds": brief.duration_seconds,
        "prompt": build_lyric_prompt(brief),
    }


def get_own_lyric(brief: Brief, products: Products) -> Mapping[str, Any] | None:
    """Return the lyric that the order brings; None if it has to be written."""
    return {"title": brief.customer_name, "text": brief.lyric} if brief.lyric else None


def build_song_input(brief: Brief, task_id: str, products: Products) -> Mapping[str, Any]:
    """Build the input of the song.

    The default of one take is left out, so that stored inputs from before there were several takes stay equal.
    """
    lyric: Lyric = products["lyric"]
    return {
        "seed": task_id,
        "lyric": lyric.text,
        "title": lyric.title,
        "language": brief.language,
        "genre": brief.genre,
        "duration_seconds": brief.duration_seconds,
        "vocals": brief.vocals,
        "stems": brief.stems,
        **({"takes": brief.takes} if brief.takes > 1 else {}),
    }


def build_video_input(brief: Brief, task_id: str, products: Products) -> Mapping[str, Any]:
    """Build the input of the video of this song, or of an excerpt of the ordered length.

    The timeline counts from `song_start`, in seconds of the song. `song_fades`: the song continues after the
    video's end. `beat_seconds` and `sections` are set if they are known. `song_url` is the vendor's link.
    """
    song: Song = products["song"]
    part = cut_excerpt(song, brief.duration_seconds)
    return {
        "seed": task_id,
        "customer_name": brief.customer_name,
        "region": brief.region,
        "detail_region_info": brief.detail_region_info,
        "call_to_action": " ".join(brief.call_to_action.split()),
        "language": brief.language,
        "orientation": brief.orientation,
        "genre": song.genre,
        "song": asdict(song.audio),
        "song_url": song.url,
        "song_start": part.start,
        "song_seconds": part.seconds,
        "song_fades": part.fades,
        "timeline": [line.model_dump() for line in part.timeline],
        "beat_seconds": part.beat_seconds,
        "sections": [section.model_dump() for section in part.sections],
        "images": [*list_picture_references(brief.model_dump(), ("images",), task_id)],
        **({"caption_style": brief.caption_style} if brief.caption_style != _CAPTION_STYLE else {}),
        **_build_brand(brief, task_id),
    }


def _build_brand(brief: Brief, task_id: str) -> Mapping[str, Any]:
    """Build the fields of the business's look and contact.

    Empty fields are left out, so that stored inputs from before these fields existed stay equal.
    """
    texts = {name: getattr(brief, name) for name in ("phone", "address", "opening_hours", "link")}
    logo = next(list_picture_references(brief.model_dump(), ("logo",), task_id), None)
    given = {**texts, "brand_colors": [*brief.brand_colors], "logo": logo}
    return {name: value for name, value in given.items() if value}
