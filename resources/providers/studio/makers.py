"""The studio as three providers: free, offline, deterministic. A lost job is made again from its input."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from resources.contract.protocol import Json, Product, StageInput
from resources.providers.background_jobs import BackgroundJob
from resources.providers.local_provider import LocalProvider, slots_of
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
        super().__init__(NAME, _lyric, workdir, slots_of(workdir, "writing"))


class StudioBand(LocalProvider):
    """Plays songs: result seconds, timeline, beat, sections, genre and notes; files song.wav, takes, stems."""

    def __init__(self, workdir: Path) -> None:
        def make(job_input: StageInput, folder: Path, job: BackgroundJob) -> Product:
            return song(job_input, folder, workdir / "voice", job.stop)

        super().__init__(NAME, make, workdir, slots_of(workdir, "rendering"))


class StudioCamera(LocalProvider):
    """Makes videos: result seconds, width, height, fps and notes; files video.mp4, covers, transcripts.

    `open_artifact` gives the local file of an artifact that a job's input refers to.
    """

    def __init__(self, open_artifact: OpenArtifact, workdir: Path) -> None:
        def make(job_input: StageInput, folder: Path, job: BackgroundJob) -> Product:
            return _video(job_input, folder, job, open_artifact)

        super().__init__(NAME, make, workdir, slots_of(workdir, "rendering"))


def _lyric(job_input: StageInput, folder: Path, job: BackgroundJob) -> Product:
    facts = Facts(
        customer_name=job_input["customer_name"],
        region=job_input["region"],
        detail_region_info=job_input["detail_region_info"],
        language=job_input["language"],
        genre=job_input["genre"],
        duration_seconds=job_input["duration_seconds"],
    )
    lyric = write_lyric(job_input["seed"], facts)
    return Product({"title": lyric.title, "text": lyric.text})


def script_of(job_input: StageInput, open_artifact: OpenArtifact) -> Script:
    """The film of a job, with the files that it refers to."""
    genre, _ = choose_genre(job_input["genre"])
    lines = tuple(map(Line.from_json, job_input["timeline"]))
    text = Text(
        job_input["customer_name"],
        job_input["region"],
        lines,
        call_to_action=job_input["call_to_action"],
        language=job_input["language"],
        caption_style=job_input.get("caption_style", DEFAULT_LOOK),
        contact=Contact(
            *(job_input.get(name, "") for name in ("phone", "address", "opening_hours", "link"))
        ),
    )
    return Script(
        seed=job_input["seed"],
        text=replace(text, call_to_action=call_for(text, job_input["seed"])),
        genre=genre.name,
        song=open_artifact(job_input["song"]),
        seconds=job_input["song_seconds"],
        frame=FRAMES[job_input["orientation"]],
        images=tuple(open_artifact(image) for image in job_input["images"]),
        song_start=job_input["song_start"],
        song_fades=job_input["song_fades"],
        beat_seconds=job_input["beat_seconds"],
        sections=tuple(Section(**section) for section in job_input["sections"]),
        about=job_input["detail_region_info"],
        brand_colours=tuple(map(colour_of, job_input.get("brand_colors", ()))),
        logo=open_artifact(job_input["logo"]) if "logo" in job_input else None,
    )


def _video(
    job_input: StageInput, folder: Path, job: BackgroundJob, open_artifact: OpenArtifact
) -> Product:
    script = script_of(job_input, open_artifact)
    made = film(script, folder, lambda done, frames: job.report(done, frames, "frame"), job.stop)
    transcripts = write_transcripts(script.text.lines, folder, job_input["customer_name"])
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
