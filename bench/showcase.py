"""Make the showcase's videos with the studio, and show what there is to see and to measure in them.

Leaves in the folder, per order: the video, its twelve frames, the spectrograms of song and voice; prints and
keeps a table of measurements.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml
from rich.console import Console
from rich.table import Table

from bench.look import contact_sheet, spectrogram
from bench.song_measures import Measures, measure
from pipeline_defs.catalog import catalog
from resources.process.settings import PROJECT_ROOT
from studio.camera.palettes import palette_for
from studio.camera.scenery import paint

ORDERS = PROJECT_ROOT / "examples" / "showcase"
OUT = PROJECT_ROOT / ".castad" / "showcase"
TABLE = "table.json"
WIDTH = 140
WITH_PHOTOS = "6-flowers"
PHOTOS = {"flowers": (1600, 900), "sea": (900, 1600), "shopfront": (1200, 1200)}


@dataclass(frozen=True)
class Made:
    """A video of the showcase; `seconds` is how long its three stages took."""

    name: str
    video: Path
    seconds: float
    megabytes: float
    measures: Measures


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
    console.print(_table(made))
    (to / TABLE).write_text(json.dumps([_row(one) for one in made], indent=2))


def _empty(folder: Path) -> None:
    """The folder is there and empty; one that holds anything but an earlier showcase is left alone."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / TABLE).is_file():
        raise typer.BadParameter(f"{folder} holds other things; expected a new or empty folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / TABLE).write_text("[]")


def _make(order: Path, photos: list[Path], to: Path) -> Made:
    """Order it by the command line with a state folder of its own, then look at what came."""
    done = subprocess.run(
        [sys.executable, "-m", "castad", "make", str(order), "--task-id", order.stem, "--json"]
        + [part for photo in photos for part in ("--image", str(photo))],
        env={**os.environ, "CASTAD_HOME": str(to / "home")},
        stdout=subprocess.PIPE,
        check=True,
    )
    told = json.loads(done.stdout)
    seconds = sum(stage["seconds"] for stage in told["stages"].values())
    folder = Path(told["path"]).parent
    video = Path(shutil.copy(folder / "video.mp4", to / f"{order.stem}.mp4"))
    brief = catalog().default.parse(yaml.safe_load(order.read_text("utf-8")))
    contact_sheet(video, brief.duration_seconds, to / f"{order.stem}-frames.png")
    spectrogram(folder / "song.wav", to / f"{order.stem}-song.png")
    spectrogram(folder / "stem-vocals.wav", to / f"{order.stem}-voice.png")
    measures = measure(brief, order.stem, folder)
    return Made(order.stem, video, seconds, video.stat().st_size / 1e6, measures)


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
        "MB": round(made.megabytes, 1),
        **made.measures.as_row(),
    }


def _table(made: list[Made]) -> Table:
    table = Table()
    rows = [_row(one) for one in made]
    for column in rows[0] if rows else ():
        table.add_column(column, justify="left" if column == "order" else "right")
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    return table


if __name__ == "__main__":
    typer.run(showcase)
