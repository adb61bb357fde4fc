"""The studio as three providers: free, offline, deterministic. What is lost is made again from its order."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from resources.providers.protocol import Finished, Json, Order, Product, Receipt, Working
from resources.studio.band.song import play
from resources.studio.band.wav import write_wav
from resources.studio.camera.film import FRAMES, Script, film, shots_of
from resources.studio.camera.shots import FPS, left_out
from resources.studio.camera.subtitles import Text
from resources.studio.genres import choose_genre
from resources.studio.jobs import Job, Maker, Workshop, job_id
from resources.studio.lyricist.lyric import Facts, write_lyric
from resources.studio.places import Places
from resources.studio.samples import RATE
from resources.studio.timeline import Line

OpenArtifact = Callable[[Mapping[str, Json]], Path]


class StudioProvider:
    """What the studio's providers share: no price, ids that follow from the token, jobs in the background."""

    name = "studio"
    usual_seconds = 10.0
    repeatable = True
    rate = None

    def __init__(self, make: Maker, workdir: Path, places: Places) -> None:
        self._workshop = Workshop(make, workdir, places)

    def price(self, order: Order) -> int:
        """Nothing."""
        return 0

    def prepare(self, order: Order) -> None:
        """Nothing has to come before."""

    def submit(self, order: Order, token: str) -> Receipt:
        """Begin the job in the background."""
        return Receipt(self._workshop.start(order, job_id(token)).external_id, cost=0)

    def find(self, token: str) -> str | None:
        """The id that the token's job has or would have."""
        return job_id(token)

    def owns(self, external_id: str, token: str) -> bool | None:
        """Whether the id follows from the token."""
        return external_id == job_id(token)

    def poll(self, order: Order, external_id: str) -> Working | Finished:
        """How the job stands; a job that this process does not know is begun again.

        Raises:
            ProviderError: what went wrong with it.
        """
        return self._workshop.poll(order, external_id)

    def fetch(self, order: Order, answer: Mapping[str, Json], folder: Path) -> Product:
        """The product with its files in `folder`; made again where they are gone.

        Raises:
            ProviderError: what went wrong when it had to be made again.
        """
        return self._workshop.fetch(order, answer, folder)

    def cancel(self, external_id: str) -> None:
        """Stop the job and drop what it made."""
        self._workshop.cancel(external_id)

    def standing(self) -> str:
        """It is always there."""
        return "on this machine, needs no key"


class StudioLyricist(StudioProvider):
    """Writes lyrics: result title and text."""

    def __init__(self, workdir: Path) -> None:
        super().__init__(_lyric, workdir, Places(workdir.parent / "places" / "lyric", cores()))


class StudioBand(StudioProvider):
    """Plays songs: result seconds, timeline, genre and notes; file song.wav."""

    def __init__(self, workdir: Path) -> None:
        super().__init__(_song, workdir, Places(workdir.parent / "places" / "song", cores()))


class StudioCamera(StudioProvider):
    """Makes videos: result seconds, width, height, fps and notes; files video.mp4 and thumbnail.jpg.

    `open_artifact` gives the local file of an artifact that an order refers to.
    """

    def __init__(self, open_artifact: OpenArtifact, workdir: Path) -> None:
        def make(order: Order, folder: Path, job: Job) -> Product:
            return _video(order, folder, job, open_artifact)

        super().__init__(make, workdir, Places(workdir.parent / "places" / "video", cores()))


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _lyric(order: Order, folder: Path, job: Job) -> Product:
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


def _song(order: Order, folder: Path, job: Job) -> Product:
    genre, note = choose_genre(order["genre"])
    song = play(order["lyric"], genre, order["duration_seconds"], order["seed"])
    write_wav(folder / "song.wav", song.samples)
    result = {
        "seconds": len(song.samples) / RATE,
        "timeline": [line.as_json() for line in song.lines],
        "beat_seconds": song.grid.beat,
        "sections": [
            {
                "kind": section.kind,
                "start": section.first_bar * song.grid.bar,
                "end": (section.first_bar + section.bars) * song.grid.bar,
            }
            for section in song.grid.sections
        ],
        "genre": genre.name,
        "notes": [note] if note else [],
    }
    return Product(result, (folder / "song.wav",))


def _video(order: Order, folder: Path, job: Job, open_artifact: OpenArtifact) -> Product:
    genre, _ = choose_genre(order["genre"])
    width, height = FRAMES[order["orientation"]]
    script = Script(
        seed=order["seed"],
        text=Text(
            order["customer_name"], order["region"], tuple(map(Line.from_json, order["timeline"]))
        ),
        genre=genre.name,
        song=open_artifact(order["song"]),
        seconds=order["song_seconds"],
        frame=(width, height),
        images=tuple(open_artifact(image) for image in order["images"]),
        song_start=order.get("song_start", 0.0),
        song_fades=order.get("song_fades", False),
    )
    files = film(
        script, folder, lambda done, frames: job.report(done, frames, "frame"), job.stop
    )
    result = {
        "seconds": script.seconds,
        "width": width,
        "height": height,
        "fps": FPS,
        "notes": left_out(shots_of(script), len(script.images), script.seconds),
    }
    return Product(result, files)
