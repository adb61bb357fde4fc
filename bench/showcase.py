"""Make the showcase's videos with the studio, and show what there is to see and to measure in them.

Leaves in the folder, per order: the video, its twelve frames, the spectrograms of song and voice; a page with all
of them; prints and keeps two tables: what was measured, and what a speech recogniser has understood.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
import yaml
from rich.console import Console
from sqlalchemy import text

from bench.decoded import measure_decoded_peak
from bench.film_measures import count_repeats, measure_light
from bench.listening import Heard, transcribe
from bench.look import draw_contact_sheet, draw_spectrogram
from bench.memory import watch_memory
from bench.showcase_report import (
    Made,
    build_heard_row,
    build_measured_row,
    build_table,
    format_page,
    format_summary,
)
from bench.song_measures import Take, compose_take, measure, sing_dry, speak_words
from bench.variety import count_variety
from pipeline_defs.catalog import get_catalog
from pipeline_defs.song_video.brief import Brief
from pipeline_defs.song_video.products import Lyric, Song
from resources.ledger.db.database import open_database
from resources.process.settings import PROJECT_ROOT
from studio.camera.film import paint
from studio.camera.palettes import choose_palette
from studio.sound import Samples, write_wav
from studio.trades import find_trade

ORDERS = PROJECT_ROOT / "examples" / "showcase"
OUT = PROJECT_ROOT / ".castad" / "showcase"
TABLE = "table.json"
WIDTH = 200
STUDIO = {f"{stage}_PROVIDER": "studio" for stage in ("LYRIC", "SONG", "VIDEO")}
"""No vendor is asked, whatever keys there are."""
ORDERS_OF_A_TRADE = 200
RESULT = text(
    "SELECT result FROM stages JOIN requests ON requests.id = request_id "
    "WHERE task_id = :task_id AND stages.stage = :stage"
)
WITH_PHOTOS = "6-flowers"
PHOTOS = {"flowers": (1600, 900), "sea": (900, 1600), "shopfront": (1200, 1200)}


def showcase(
    names: Annotated[list[str] | None, typer.Argument(help="Orders, such as 1-bakery")] = None,
    to: Annotated[Path, typer.Option(help="The folder, made again")] = OUT,
    photo: Annotated[list[Path] | None, typer.Option(help="For 6-flowers; painted without")] = None,
) -> None:
    """Make the videos one after the other and print the table."""
    _empty(to)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    made = []
    for order in sorted(ORDERS.glob("*.yaml")):
        if not names or order.stem in names:
            photos = (photo or _paint_photos(to)) if order.stem == WITH_PHOTOS else []
            made.append(_make(order, photos, to))
            console.print(f"{made[-1].name}: {made[-1].video}")
    console.print(build_table([build_measured_row(one) for one in made]))
    console.print(build_table([build_heard_row(one) for one in made]))
    console.print(format_summary(made))
    rows = [build_measured_row(one) | build_heard_row(one) for one in made]
    (to / TABLE).write_text(json.dumps(rows, indent=2, ensure_ascii=False))
    (to / "index.html").write_text(format_page(made), "utf-8")


def _empty(folder: Path) -> None:
    """Create or empty the folder; refuse one that holds anything but an earlier showcase."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / TABLE).is_file():
        raise typer.BadParameter(f"{folder} holds other things; expected a new or empty folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / TABLE).write_text("[]")


def _make(order: Path, photos: list[Path], to: Path) -> Made:
    """Order the video by the command line with its own state folder, then measure it."""
    home, name = to / "home", order.stem
    report, megabytes = _make_order(order, photos, home)
    folder = Path(report["path"]).parent
    video = Path(shutil.copy(folder / "video.mp4", to / f"{name}.mp4"))
    brief = get_catalog().default.parse(yaml.safe_load(order.read_text("utf-8")))
    sheet = to / f"{name}-frames.png"
    draw_contact_sheet(video, brief.duration_seconds, sheet)
    draw_spectrogram(folder / "song.wav", to / f"{name}-song.png")
    draw_spectrogram(folder / "stem-vocals.wav", to / f"{name}-voice.png")
    lyric = Lyric.model_validate_json(_read_result(home, name, "lyric"))
    song = Song.model_validate_json(_read_result(home, name, "song"))
    take = compose_take(brief, name, lyric)
    dry = sing_dry(take, to / "voice")
    return Made(
        name,
        brief.customer_name,
        take.language,
        video,
        sum(stage["seconds"] for stage in report["stages"].values()),
        video.stat().st_size / 1e6,
        megabytes,
        " to ".join(f"{measure_light(pictures):.0f}" for pictures in (photos, [sheet]) if pictures),
        count_repeats(brief, name, song, photos),
        count_variety(_find_trade(brief), take.language, ORDERS_OF_A_TRADE),
        measure(take, dry, folder),
        _listen(brief.customer_name, take, dry, folder, to),
        measure_decoded_peak(video),
    )


def _make_order(order: Path, photos: list[Path], home: Path) -> tuple[dict[str, Any], float]:
    """Make the order; return the command line's report and the peak memory of all its processes in MB."""
    with watch_memory(home) as memory:
        done = subprocess.run(
            [sys.executable, "-m", "castad", "make", str(order), "--task-id", order.stem, "--json"]
            + [part for photo in photos for part in ("--image", str(photo))],
            env={**os.environ, **STUDIO, "CASTAD_HOME": str(home)},
            stdout=subprocess.PIPE,
            check=True,
        )
    return json.loads(done.stdout), memory.most


def _read_result(home: Path, task_id: str, stage: str) -> str:
    """Read a stage's product, as the next stage got it."""
    database = open_database(f"sqlite:///{home / 'castad.db'}")
    with database.reading() as connection:
        found = connection.execute(RESULT, {"task_id": task_id, "stage": stage})
        return str(found.scalar_one())


def _find_trade(brief: Brief) -> str:
    """Find the trade of the business; a business without one counts as a cafe."""
    return find_trade(brief.customer_name, brief.detail_region_info) or "cafe"


def _listen(name: str, take: Take, dry: Samples, folder: Path, to: Path) -> dict[str, Heard]:
    """Transcribe the words spoken, sung, sung in the hall, and sung over the band."""
    said, sung = to / "spoken.wav", to / "dry.wav"
    for target, voice in ((said, speak_words(take, to / "voice")), (sung, dry)):
        write_wav(target, np.stack([voice, voice], axis=1))
    sounds = {
        "spoken": said,
        "dry": sung,
        "stem": folder / "stem-vocals.wav",
        "mix": folder / "song.wav",
    }
    words = dict.fromkeys(("spoken", "dry"), take.words)  # in the song the name is spoken, too
    return {
        kind: transcribe(sound, words.get(kind, f"{take.words} {name}"), name, take.language)
        for kind, sound in sounds.items()
    }


def _paint_photos(to: Path) -> list[Path]:
    """Paint pictures such as a customer might send, in other shapes than the film's."""
    palette = choose_palette("ballad", "photos")
    for scene, size in PHOTOS.items():
        paint(scene, 1, palette, size, "photos").picture.save(to / f"{scene}.jpg", quality=90)
    return [to / f"{scene}.jpg" for scene in PHOTOS]


if __name__ == "__main__":
    typer.run(showcase)
