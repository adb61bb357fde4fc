"""Make the showcase's videos with the studio, and show what there is to see and to measure in them.

Leaves in the folder, per order: the video, its twelve frames, the spectrograms of song and voice; a page with all
of them; prints and keeps two tables: what was measured, and what a speech recogniser has understood.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
import yaml
from rich.console import Console
from rich.table import Table
from sqlalchemy import text

from bench.decoded import decoded_peak
from bench.film_measures import Repeats, light_of, repeats_of
from bench.listening import Heard, listened, mean
from bench.look import contact_sheet, spectrogram
from bench.memory import memory_of
from bench.song_measures import Measures, Take, dry_voice, measure, spoken_voice, take_of
from bench.variety import Variety, variety_of
from pipeline_defs.catalog import catalog
from pipeline_defs.song_video.brief import Brief
from pipeline_defs.song_video.products import Song
from resources.ledger.db.database import open_database
from resources.process.settings import PROJECT_ROOT
from studio.band.wav import write_wav
from studio.camera.palettes import palette_for
from studio.camera.scenery import paint
from studio.samples import Samples
from studio.singer.voices import VOICES
from studio.trades import trade_of

ORDERS = PROJECT_ROOT / "examples" / "showcase"
OUT = PROJECT_ROOT / ".castad" / "showcase"
TABLE = "table.json"
LANGUAGES = ("English", "Korean")
WIDTH = 200
STUDIO = {f"{stage}_PROVIDER": "studio" for stage in ("LYRIC", "SONG", "VIDEO")}
"""No vendor is asked, whatever keys there are."""
ORDERS_OF_A_TRADE = 200
SONG_RESULT = text(
    "SELECT result FROM stages JOIN requests ON requests.id = request_id "
    "WHERE task_id = :task_id AND stages.stage = 'song'"
)
WITH_PHOTOS = "6-flowers"
PHOTOS = {"flowers": (1600, 900), "sea": (900, 1600), "shopfront": (1200, 1200)}


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


def showcase(
    names: Annotated[list[str] | None, typer.Argument(help="Orders, such as 1-bakery")] = None,
    to: Annotated[Path, typer.Option(help="The folder, made anew")] = OUT,
    photo: Annotated[list[Path] | None, typer.Option(help="For 6-flowers; painted without")] = None,
) -> None:
    """Make the videos one after the other and print the table."""
    _empty(to)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    made = []
    for order in sorted(ORDERS.glob("*.yaml")):
        if not names or order.stem in names:
            photos = (photo or _painted(to)) if order.stem == WITH_PHOTOS else []
            made.append(_make(order, photos, to))
            console.print(f"{made[-1].name}: {made[-1].video}")
    console.print(_table([_row(one) for one in made]))
    console.print(_table([_heard(one) for one in made]))
    console.print(_summary(made))
    rows = [_row(one) | _heard(one) for one in made]
    (to / TABLE).write_text(json.dumps(rows, indent=2, ensure_ascii=False))
    (to / "index.html").write_text(_page(made), "utf-8")


def _empty(folder: Path) -> None:
    """The folder is there and empty; one that holds anything but an earlier showcase is left alone."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / TABLE).is_file():
        raise typer.BadParameter(f"{folder} holds other things; expected a new or empty folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / TABLE).write_text("[]")


def _make(order: Path, photos: list[Path], to: Path) -> Made:
    """Order it by the command line with a state folder of its own, then look at what came."""
    home = to / "home"
    with memory_of(home) as memory:
        done = subprocess.run(
            [sys.executable, "-m", "castad", "make", str(order), "--task-id", order.stem, "--json"]
            + [part for photo in photos for part in ("--image", str(photo))],
            env={**os.environ, **STUDIO, "CASTAD_HOME": str(home)},
            stdout=subprocess.PIPE,
            check=True,
        )
    report = json.loads(done.stdout)
    seconds = sum(stage["seconds"] for stage in report["stages"].values())
    folder = Path(report["path"]).parent
    video = Path(shutil.copy(folder / "video.mp4", to / f"{order.stem}.mp4"))
    brief = catalog().default.parse(yaml.safe_load(order.read_text("utf-8")))
    sheet = to / f"{order.stem}-frames.png"
    contact_sheet(video, brief.duration_seconds, sheet)
    spectrogram(folder / "song.wav", to / f"{order.stem}-song.png")
    spectrogram(folder / "stem-vocals.wav", to / f"{order.stem}-voice.png")
    take = take_of(brief, order.stem)
    dry = dry_voice(take, to / "voice")
    measures = measure(take, dry, folder)
    heard = _listened(brief.customer_name, take, dry, folder, to)
    return Made(
        order.stem,
        brief.customer_name,
        take.language,
        video,
        seconds,
        video.stat().st_size / 1e6,
        memory.most,
        " to ".join(f"{light_of(pictures):.0f}" for pictures in (photos, [sheet]) if pictures),
        repeats_of(brief, order.stem, _song_of(home, order.stem), photos),
        variety_of(_trade(brief), take.language, ORDERS_OF_A_TRADE),
        measures,
        heard,
        decoded_peak(video),
    )


def _song_of(home: Path, task_id: str) -> Song:
    """The song that the order got, as its video was made of it."""
    database = open_database(f"sqlite:///{home / 'castad.db'}")
    with database.reading() as connection:
        found = connection.execute(SONG_RESULT, {"task_id": task_id}).scalar_one()
    return Song.model_validate_json(found)


def _trade(brief: Brief) -> str:
    """The trade whose lines it is sung in; those of cafes count for a business without one."""
    return trade_of(brief.customer_name, brief.detail_region_info) or "cafe"


def _listened(name: str, take: Take, dry: Samples, folder: Path, to: Path) -> dict[str, Heard]:
    """What is understood of the words when they are spoken, sung, sung in the hall, and sung over the band."""
    said, sung = to / "spoken.wav", to / "dry.wav"
    for target, voice in ((said, spoken_voice(take, to / "voice")), (sung, dry)):
        write_wav(target, np.stack([voice, voice], axis=1))
    sounds = {
        "spoken": said,
        "dry": sung,
        "stem": folder / "stem-vocals.wav",
        "mix": folder / "song.wav",
    }
    words = dict.fromkeys(("spoken", "dry"), take.words)  # in the song the name is spoken, too
    return {
        kind: listened(sound, words.get(kind, f"{take.words} {name}"), name, take.language)
        for kind, sound in sounds.items()
    }


def _painted(to: Path) -> list[Path]:
    """Pictures as a customer might send them, in other shapes than the film's."""
    palette = palette_for("ballad", "photos")
    for scene, size in PHOTOS.items():
        paint(scene, 1, palette, size, "photos").picture.save(to / f"{scene}.jpg", quality=90)
    return [to / f"{scene}.jpg" for scene in PHOTOS]


def _row(made: Made) -> dict[str, Any]:
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


def _heard(made: Made) -> dict[str, Any]:
    """Word and character errors of each kind of sound."""
    errors = {
        kind: f"{heard.word_errors:.2f} {heard.character_errors:.2f}"
        for kind, heard in made.heard.items()
    }
    name = "yes" if made.heard["mix"].name else "no"
    return {
        "order": made.name,
        "language": made.language,
        "voice": VOICES[made.measures.genre].timbre,
        **errors,
        "name": name,
    }


def _summary(made: list[Made]) -> str:
    """The means of the mixes: word errors in English, character errors in Korean."""
    mixes = {
        language: [one.heard["mix"] for one in made if one.language == language]
        for language in LANGUAGES
    }
    english = mean([heard.word_errors for heard in mixes["English"]])
    korean = mean([heard.character_errors for heard in mixes["Korean"]])
    names = sum(heard.name for found in mixes.values() for heard in found)
    return (
        f"mixes: English word errors {english:.2f}, Korean character errors {korean:.2f}, "
        f"the name understood in {names} of {len(made)}"
    )


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table()
    for column in rows[0] if rows else ():
        table.add_column(column, justify="left" if column == "order" else "right")
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    return table


def _page(made: list[Made]) -> str:
    """All orders one below the other: film, frames, spectrograms and what was understood."""
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


if __name__ == "__main__":
    typer.run(showcase)
