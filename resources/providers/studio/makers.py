"""The studio as three providers: free, offline, deterministic. A lost job is made again from its order."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from resources.contract.protocol import Json, Product, StageInput
from resources.providers.background_jobs import BackgroundJob
from resources.providers.local_provider import LocalProvider, places_of
from resources.providers.studio.songs import song
from studio.camera.film import FRAMES, Script, film, shots_of
from studio.camera.fonts import find_font
from studio.camera.palettes import colour_of
from studio.camera.shots import FPS, Section, left_out
from studio.camera.text import DEFAULT_LOOK, Contact, Text, call_for
from studio.genres import choose_genre
from studio.lyricist.lyric import Facts, write_lyric
from studio.screenplay import write_transcripts
from studio.timeline import Line

NAME = "studio"
OpenArtifact = Callable[[Mapping[str, Json]], Path]


class StudioLyricist(LocalProvider):
    """Writes lyrics: result title and text."""

    def __init__(self, workdir: Path) -> None:
        super().__init__(NAME, _lyric, workdir, places_of(workdir, "writing"))


class StudioBand(LocalProvider):
    """Plays songs: result seconds, timeline, beat, sections, genre and notes; files song.wav, takes, stems."""

    def __init__(self, workdir: Path) -> None:
        def make(order: StageInput, folder: Path, job: BackgroundJob) -> Product:
            return song(order, folder, workdir / "voice", job.stop)

        super().__init__(NAME, make, workdir, places_of(workdir, "rendering"))


class StudioCamera(LocalProvider):
    """Makes videos: result seconds, width, height, fps and notes; files video.mp4, covers, transcripts.

    `open_artifact` gives the local file of an artifact that an order refers to.
    """

    def __init__(self, open_artifact: OpenArtifact, workdir: Path) -> None:
        def make(order: StageInput, folder: Path, job: BackgroundJob) -> Product:
            return _video(order, folder, job, open_artifact)

        super().__init__(NAME, make, workdir, places_of(workdir, "rendering"))


def _lyric(order: StageInput, folder: Path, job: BackgroundJob) -> Product:
    facts = Facts(
        customer_name=order["customer_name"],
        region=order["region"],
        detail_region_info=order["detail_region_info"],
        language=order["language"],
        genre=order["genre"],
        duration_seconds=order["duration_seconds"],
    )
    lyric = write_lyric(order["seed"], facts)
    return Product({"title": lyric.title, "text": lyric.text})


def script_of(order: StageInput, open_artifact: OpenArtifact) -> Script:
    """The film of an order, with the files that it refers to."""
    genre, _ = choose_genre(order["genre"])
    lines = tuple(map(Line.from_json, order["timeline"]))
    text = Text(
        order["customer_name"],
        order["region"],
        lines,
        call_to_action=order["call_to_action"],
        language=order["language"],
        caption_style=order.get("caption_style", DEFAULT_LOOK),
        contact=Contact(
            *(order.get(name, "") for name in ("phone", "address", "opening_hours", "link"))
        ),
    )
    return Script(
        seed=order["seed"],
        text=replace(text, call_to_action=call_for(text, order["seed"])),
        genre=genre.name,
        song=open_artifact(order["song"]),
        seconds=order["song_seconds"],
        frame=FRAMES[order["orientation"]],
        images=tuple(open_artifact(image) for image in order["images"]),
        song_start=order["song_start"],
        song_fades=order["song_fades"],
        beat_seconds=order["beat_seconds"],
        sections=tuple(Section(**section) for section in order["sections"]),
        about=order["detail_region_info"],
        brand_colours=tuple(map(colour_of, order.get("brand_colors", ()))),
        logo=open_artifact(order["logo"]) if "logo" in order else None,
    )


def _video(
    order: StageInput, folder: Path, job: BackgroundJob, open_artifact: OpenArtifact
) -> Product:
    script = script_of(order, open_artifact)
    made = film(script, folder, lambda done, frames: job.report(done, frames, "frame"), job.stop)
    transcripts = write_transcripts(script.text.lines, folder, order["customer_name"])
    result = {
        "seconds": script.seconds,
        "width": script.frame[0],
        "height": script.frame[1],
        "fps": FPS,
        "notes": [
            *left_out(shots_of(script), len(script.images), script.seconds),
            *find_font().remarks,
        ],
    }
    return Product(result, (*made, *transcripts))
