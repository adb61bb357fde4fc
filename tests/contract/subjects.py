"""Every provider under one handle: how to have another of it, a valid job input, and its vendor's books."""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from PIL import Image
from pydantic import BaseModel

from pipeline_defs.song_video.brief import Brief
from pipeline_defs.song_video.products import Lyric, Song
from pipeline_defs.song_video.stage_inputs import (
    build_lyric_input,
    build_song_input,
    build_video_input,
)
from resources.contract.protocol import Provider, StageInput
from resources.files.artifacts import ArtifactStore, StoredArtifact
from resources.process.settings import Settings
from resources.providers.background_jobs import AnsweringProvider
from resources.providers.comfyui import answers as comfyui
from resources.providers.comfyui.renderer import ComfyUIRenderer, ProgressFeed
from resources.providers.comfyui.server import ComfyUIServer, Fleet
from resources.providers.creatomate import answers as creatomate
from resources.providers.creatomate.account import CreatomateSettings
from resources.providers.creatomate.camera import CreatomateCamera
from resources.providers.creatomate.render_script import SourceChecker
from resources.providers.local.renderer import LocalRenderer
from resources.providers.openai import answers as openai
from resources.providers.openai.completions import TOKEN_FIELD
from resources.providers.openai.lyricist import OpenAILyricist
from resources.providers.openai.structured import OpenAIStructured
from resources.providers.studio.makers import (
    StudioBand,
    StudioCamera,
    StudioLyricist,
    make_classifier,
)
from resources.providers.suno import answers as suno
from resources.providers.suno.band import SunoBand
from tests.fakes import media
from tests.fakes.comfyui import FakeComfyUI
from tests.fakes.creatomate import FakeCreatomate
from tests.fakes.faults import Fault
from tests.fakes.openai import FakeOpenAI
from tests.fakes.raw import RawServer, answer, say
from tests.fakes.server import FakeVendor
from tests.fakes.suno import FakeSuno

SONG_SECONDS = 10
FILM_SECONDS = 2
PLENTY = 1_000_000_000
PATIENT = 20.0
STATUSES = range(300, 600)
SECRET = "canary0123456789"
KEY = f'{SECRET}"/{SECRET}\\'
"""A key that JSON writes otherwise than it is."""

Make = Callable[[float], Provider]


@dataclass(frozen=True)
class Subject:
    """One provider under test.

    All that it may write is below `folder`. `make` gives a new instance, another process as far as it
    can tell, whose exchanges and downloads take so many seconds at most. `doom` lets the next job fail by
    the maker's own final status, `bury` ends the job as the death of its process would. Of a vendor: `usd` is
    what a unit of its books costs, `token_of` finds the token in a charge, `routes` are asked by each of
    the provider's methods, `refusals` are the statuses by which it says that it took nothing
    (docs/vendors; RFC 9110, 15.4), `enveloped` says a status inside of a body, where it
    does that, and `song_url` is where a vendor that films finds the song. Songs of one that `sings` have words,
    those of the others are played.
    """

    stage: str
    folder: Path
    make: Make
    doom: Callable[[], None]
    bury: Callable[[Provider, str], None] = lambda provider, external_id: None
    vendor: FakeVendor | None = None
    usd: float = 0.0
    token_of: Callable[[Mapping[str, Any]], str] = str
    routes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    refusals: frozenset[int] = frozenset()
    enveloped: Callable[[int], Any] | None = None
    song_url: str | None = None
    sings: bool = False

    def job_input(self, number: int = 1) -> StageInput:
        """A valid job input; those of different numbers differ in what is sung and who is named."""
        return _job_input(self.stage, number, self.song_url, vocals=self.sings)

    def charges(self) -> list[dict[str, Any]]:
        """What the vendor booked, nothing where there is none."""
        return self.vendor.charges() if self.vendor else []

    def charged_tokens(self) -> list[str]:
        """The token of each charge."""
        return [self.token_of(charge) for charge in self.charges()]

    def spent(self) -> int:
        """What all the charges come to, in micro-dollars."""
        return sum(
            math.ceil(round(charge["cost"] * self.usd * 1e6, 6)) for charge in self.charges()
        )

    def calls(self) -> int:
        """How often the vendor was asked for anything."""
        return len(self.vendor.calls) if self.vendor else 0


Open = Callable[[Path], AbstractContextManager[Subject]]


def words(number: int) -> str:
    """What only the job of this number has to do with."""
    return f"머뭄{number}번지"


def _job_input(stage: str, number: int, song_url: str | None, *, vocals: bool) -> StageInput:
    brief = Brief(
        customer_name=f"스테이 {words(number)}",
        region="군산시",
        detail_region_info="초원사진관, 바다가 보이는 방",
        genre="pop",
        duration_seconds=SONG_SECONDS,
        vocals=vocals,
    )
    task = f"task-{number}"
    if stage == "render":
        return _picture_job_input(number)
    if stage == "vision":
        return _question(number)
    if stage == "sight":
        photo = {"name": "images[0]", "where": "task/photo.png"}
        return {"note": f"{words(number)} 소주병", "image": photo, "language": "Korean"}
    if stage == "lyric":
        return build_lyric_input(brief, task, {})
    if stage == "song":
        text = f"[Verse]\n여기는 스테이 {words(number)}\n다 함께 노래해요\n\n[Chorus]\n군산시 (hey) good day"
        return build_song_input(brief, task, {"lyric": Lyric(title=words(number), text=text)})
    return build_video_input(brief, task, {"song": _song(song_url)})


def _picture_job_input(number: int) -> StageInput:
    graph = {
        "1": {"class_type": "LoadImage", "inputs": {"image": "castad-photo.png"}},
        "2": {
            "class_type": "ImageScale",
            "inputs": {
                "image": ["1", 0],
                "upscale_method": "area",
                "width": 16 + number,
                "height": 16,
                "crop": "disabled",
            },
        },
        "3": {
            "class_type": "SaveImage",
            "inputs": {"images": ["2", 0], "filename_prefix": "castad"},
        },
    }
    photo = {"name": "castad-photo.png", "where": "task/castad-photo.png"}
    return {"graph": graph, "inputs": [photo], "pictures": 1, "usd": None}


class Seen(BaseModel):
    """What a model answers to a question about a picture."""

    thing: str
    kind: Literal["유리", "종이"]
    tags: list[Literal["젖음", "깨짐"]]
    remark: str | None
    model: str
    tokens_in: int | None
    tokens_out: int | None
    files: list[StoredArtifact] = []


def _question(number: int) -> StageInput:
    members = {
        "thing": {"type": "string"},
        "kind": {"type": "string", "enum": ["유리", "종이"]},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["젖음", "깨짐"]}},
        "remark": {"type": ["string", "null"]},
    }
    schema = {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }
    return {
        "prompt": {"system": "Say what it is.", "user": f"{words(number)}\nWhat is this?"},
        "schema": {"name": "seen", "schema": schema},
        "image": {"name": "images[0]", "where": "task/photo.png"},
        "most_tokens": 300,
    }


def _photo(folder: Path) -> Path:
    """A picture that every job's graph loads."""
    photo = folder.parent / f"{folder.name}.png"
    Image.new("RGB", (32, 24), "teal").save(photo)
    return photo


def _song(url: str | None = None) -> Song:
    sung = [("여기는 군산", 0.2, 0.9), ("다 함께", 1.0, 1.8)]
    return Song.model_validate(
        {
            "seconds": float(FILM_SECONDS),
            "genre": "pop",
            "timeline": [
                {"text": text, "start": start, "end": end, "chunks": [(text, end - start)]}
                for text, start, end in sung
            ],
            "url": url,
            "files": [
                StoredArtifact(
                    name="song.mp3",
                    sha256="0" * 64,
                    bytes=1,
                    media_type="audio/mpeg",
                    where="task/song.mp3",
                )
            ],
        }
    )


@contextmanager
def studio_lyricist(folder: Path) -> Iterator[Subject]:
    yield _of_studio("lyric", folder, lambda _: StudioLyricist(folder / "studio"))


@contextmanager
def studio_band(folder: Path) -> Iterator[Subject]:
    yield _of_studio("song", folder, lambda _: StudioBand(folder / "studio"))


@contextmanager
def studio_camera(folder: Path) -> Iterator[Subject]:
    store = ArtifactStore(folder / "artifacts")
    song = store.root / _song().audio.where
    song.parent.mkdir(parents=True)
    song.write_bytes(media.song(FILM_SECONDS, 440))
    yield _of_studio("video", folder, lambda _: StudioCamera(store.open, folder / "studio"))


@contextmanager
def studio_sight(folder: Path) -> Iterator[Subject]:
    photo = _photo(folder)

    def doom() -> None:
        photo.write_text("no picture")

    yield Subject(
        "sight",
        folder,
        lambda _: AnsweringProvider("studio", make_classifier(lambda _: photo)),
        doom,
        lambda provider, job: provider.cancel(job),
    )


def _of_studio(stage: str, folder: Path, make: Make) -> Subject:
    def doom() -> None:
        (folder / "studio").write_text("no folder")

    return Subject(stage, folder, make, doom, lambda provider, job: provider.cancel(job))


@contextmanager
def openai_lyricist(folder: Path) -> Iterator[Subject]:
    def make(vendor: FakeOpenAI, **server: Any) -> Provider:
        return OpenAILyricist(vendor.key, **server)

    with FakeOpenAI(folder / "vendor", key=KEY) as vendor:
        yield _of_openai("lyric", folder, vendor, make)


@contextmanager
def openai_structured(folder: Path) -> Iterator[Subject]:
    photo = _photo(folder)

    def make(vendor: FakeOpenAI, **server: Any) -> Provider:
        return OpenAIStructured(vendor.key, open_image=lambda _: photo, **server)

    with FakeOpenAI(folder / "vendor", key=KEY) as vendor:
        yield _of_openai("vision", folder, vendor, make)


def _of_openai(
    stage: str, folder: Path, vendor: FakeOpenAI, make: Callable[..., Provider]
) -> Subject:
    usd = 0.5e-6

    def made(seconds: float) -> Provider:
        return make(
            vendor,
            base_url=vendor.url,
            model="gpt-4o-mini",
            usd_in=usd * 1e6,
            usd_out=usd * 1e6,
            store=True,
            deadline_seconds=seconds,
        )

    return Subject(
        stage,
        folder,
        made,
        lambda: vendor.script(Fault("completion", "submit", refusal="I cannot help with that")),
        vendor=vendor,
        usd=usd,
        token_of=lambda charge: str(charge["metadata"][TOKEN_FIELD]),
        routes={
            "submit": ("submit",),
            "find": ("lookup",),
            "owns": ("lookup",),
            "poll": ("lookup",),
            "standing": ("models",),
        },
        refusals=openai.ERRORS.filter_rejections(STATUSES),
    )


@contextmanager
def suno_band(folder: Path) -> Iterator[Subject]:
    usd = 0.005

    def make(seconds: float) -> Provider:
        return SunoBand(
            vendor.key,
            base_url=vendor.url,
            model="V4_5",
            credits=12,
            usd_per_credit=usd,
            public_url="https://castad.example",
            allow_hosts=(),
            gate=lambda: None,
            deadline_seconds=seconds,
            download_seconds=seconds,
        )

    with FakeSuno(folder / "vendor", key=KEY) as vendor:
        vendor.set(credits=PLENTY, song_seconds=float(SONG_SECONDS))
        yield Subject(
            "song",
            folder,
            make,
            lambda: vendor.script(Fault("final_status", "submit", status="GENERATE_AUDIO_FAILED")),
            vendor=vendor,
            usd=usd,
            token_of=lambda charge: str(charge["metadata"]).rpartition("/")[2],
            routes={
                "submit": ("submit",),
                "poll": ("poll",),
                "fetch": ("file", "lyrics"),
                "owns": ("poll",),
                "standing": ("credits",),
            },
            refusals=suno.STATUSES.filter_rejections(STATUSES)
            | suno.ENVELOPES.filter_rejections(STATUSES),
            enveloped=lambda code: {"code": code, "msg": "no", "data": None},
            sings=True,
        )


@contextmanager
def creatomate_camera(folder: Path) -> Iterator[Subject]:
    usd = 0.02

    def make(seconds: float) -> Provider:
        own = CreatomateSettings(api_key=vendor.key, base_url=vendor.url, usd_per_credit=usd)
        settings = Settings(call_deadline=seconds, download_deadline=seconds)
        sources = SourceChecker(None, lambda image: None, (songs.netloc,), (), seconds)
        return CreatomateCamera(own, settings, sources, lambda: None)

    content = answer(media.song(FILM_SECONDS, 440))
    with RawServer(say(content)) as songs, FakeCreatomate(folder / "vendor", key=KEY) as vendor:
        vendor.set(credits=PLENTY)
        yield Subject(
            "video",
            folder,
            make,
            lambda: vendor.script(
                Fault(
                    "final_status", "submit", status="failed", error_message="The renderer failed."
                )
            ),
            vendor=vendor,
            usd=usd,
            token_of=lambda charge: str(charge["metadata"]),
            routes={
                "prepare": ("dry_run",),
                "submit": ("submit",),
                "owns": ("poll",),
                "poll": ("poll",),
                "fetch": ("file",),
                "standing": ("dry_run",),
            },
            refusals=creatomate.ERRORS.filter_rejections(STATUSES),
            song_url=songs.url,
        )


@contextmanager
def local_renderer(folder: Path) -> Iterator[Subject]:
    photo = _photo(folder)
    yield _of_studio("render", folder, lambda _: LocalRenderer(lambda _: photo, folder / "studio"))


@contextmanager
def comfyui_renderer(folder: Path) -> Iterator[Subject]:
    usd, photo = 0.25, _photo(folder)

    def make(seconds: float) -> Provider:
        server = ComfyUIServer(vendor.url, KEY, deadline_seconds=seconds, download_seconds=seconds)
        fleet = Fleet([server], list, lost_seconds=60.0, sleep=lambda seconds: None)
        return ComfyUIRenderer(fleet, ProgressFeed(), lambda _: photo, usd)

    with FakeComfyUI(folder / "vendor", key=KEY, executes=True) as vendor:
        # An older server takes any text as an id, as these tests have them.
        vendor.set(credits=PLENTY, generation="old")
        yield Subject(
            "render",
            folder,
            make,
            lambda: vendor.script(Fault("node_error", "submit")),
            vendor=vendor,
            usd=usd,
            token_of=lambda charge: str(charge["prompt_id"]),
            routes={
                "prepare": ("upload",),
                "submit": ("submit",),
                "find": ("queue", "history"),
                "owns": ("queue",),
                "poll": ("queue", "history"),
                "fetch": ("file",),
                "standing": ("stats",),
            },
            refusals=comfyui.ERRORS.filter_rejections(STATUSES),
        )


STUDIO: Mapping[str, Open] = {
    "StudioLyricist": studio_lyricist,
    "StudioBand": studio_band,
    "StudioCamera": studio_camera,
    "StudioSight": studio_sight,
    "LocalRenderer": local_renderer,
}
VENDORS: Mapping[str, Open] = {
    "OpenAILyricist": openai_lyricist,
    "OpenAIStructured": openai_structured,
    "SunoBand": suno_band,
    "CreatomateCamera": creatomate_camera,
    "ComfyUIRenderer": comfyui_renderer,
}
SUBJECTS = {**STUDIO, **VENDORS}
