"""What the showcase prints and keeps: its tables, their summary and a page with all of its videos."""

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from rich.table import Table

from bench.film_measures import Repeats
from bench.listening import Heard, compute_mean
from bench.song_measures import Measures
from bench.variety import Variety

LANGUAGES = ("English", "Korean")


@dataclass(frozen=True)
class Made:
    """A video of the showcase: how long its stages took, and what was understood of its words in each sound.

    `memory` is the most that all of its processes took together, in megabytes. `luma` is that of twelve frames,
    and before it that of the customer's photos, where there are any.
    """

    name: str
    business: str
    language: str
    video: Path
    seconds: float
    megabytes: float
    memory: float
    luma: str
    repeats: Repeats
    variety: Variety
    measures: Measures
    heard: dict[str, Heard]
    video_peak: float


def build_measured_row(made: Made) -> dict[str, Any]:
    """Build the table row of a video's measurements."""
    return {
        "order": made.name,
        "made in s": round(made.seconds, 1),
        "file MB": round(made.megabytes, 1),
        "memory MB": round(made.memory),
        "luma": made.luma,
        "picture, scene": f"{made.repeats.picture}, {made.repeats.scene} times",
        "line, hook of 200": f"{made.variety.line_count}, {made.variety.hook_count}",
        **made.measures.as_row(),
        "mp4 dBTP": round(made.video_peak, 1),
    }


def build_heard_row(made: Made) -> dict[str, Any]:
    """Build the table row of word and character errors of each kind of sound."""
    errors = {
        kind: f"{heard.word_errors:.2f} {heard.character_errors:.2f}"
        for kind, heard in made.heard.items()
    }
    name = "yes" if made.heard["mix"].name else "no"
    return {
        "order": made.name,
        "language": made.language,
        "voice": made.measures.timbre,
        **errors,
        "name": name,
    }


def format_summary(made: list[Made]) -> str:
    """Format the mixes' means: word errors in English, character errors in Korean."""
    mixes = {
        language: [one.heard["mix"] for one in made if one.language == language]
        for language in LANGUAGES
    }
    english = compute_mean([heard.word_errors for heard in mixes["English"]])
    korean = compute_mean([heard.character_errors for heard in mixes["Korean"]])
    names = sum(heard.name for found in mixes.values() for heard in found)
    return (
        f"mixes: English word errors {english:.2f}, Korean character errors {korean:.2f}, "
        f"the name understood in {names} of {len(made)}"
    )


def build_table(rows: list[dict[str, Any]]) -> Table:
    """Build a table of the rows, with their keys as its head."""
    made = Table()
    for column in rows[0] if rows else ():
        made.add_column(column, justify="left" if column == "order" else "right")
    for row in rows:
        made.add_row(*(str(value) for value in row.values()))
    return made


def format_page(made: list[Made]) -> str:
    """Format a page of all orders: film, frames, spectrograms and what was understood."""
    parts = [
        f"<section><h2>{escape(one.business)} <small>{escape(one.name)}</small></h2>"
        f'<video controls preload="none" src="{one.name}.mp4"></video>'
        f"<p>{escape(one.heard['mix'].text)}</p>"
        + "".join(
            f'<img loading="lazy" alt="" src="{one.name}-{kind}.png">'
            for kind in ("frames", "song", "voice")
        )
        + "</section>"
        for one in made
    ]
    style = (
        "body{font:16px sans-serif;max-width:75rem;margin:auto}video{height:24rem}img{width:100%}"
    )
    return (
        f'<!doctype html><meta charset="utf-8"><title>Showcase</title><style>{style}</style>'
        + "\n".join(parts)
    )
