import json
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from PIL import Image

from resources.contract.errors import PermanentError, SubmissionFailedError, TransientError
from resources.contract.protocol import InProgress, Product, Provider, StageInput, Succeeded
from resources.process.file_locks import Slots
from resources.providers.background_jobs import BackgroundJob, LocalProvider
from resources.providers.studio.makers import StudioBand, StudioCamera, StudioLyricist
from studio.errors import MissingPartError
from studio.genres import get_genre
from tests.tables import read_beside

DEADLINE = 60
FILMED = ["video.mp4", "thumbnail.jpg", "cover.jpg", "lyrics.vtt", "lyrics.srt", "lyrics.lrc"]
STEMS = ["vocals", "lead", "chords", "bass", "drums"]
LYRIC_ORDER = read_beside(__file__)["LYRIC_ORDER"]
SONG_ORDER = read_beside(__file__)["SONG_ORDER"]


def video_order(**changes: Any) -> dict[str, Any]:
    return {
        "seed": "task-1",
        "customer_name": "스테이 머뭄",
        "region": "군산시",
        "detail_region_info": "초원사진관",
        "call_to_action": "",
        "language": "Korean",
        "orientation": "vertical",
        "genre": "pop",
        "song": {"name": "song.wav", "sha256": "0" * 64},
        "song_start": 0.0,
        "song_seconds": 10.0,
        "song_fades": False,
        "timeline": [],
        "beat_seconds": None,
        "sections": [],
        "images": [],
        **changes,
    }


def one_slot(folder: Path) -> Slots:
    return Slots(folder / "slots", 1, look_again=0.01)


class Bench:
    """A maker that a test holds still and lets go, writing one file."""

    def __init__(self) -> None:
        self.begun, self.go = Event(), Event()
        self.folders: list[Path] = []

    def __call__(self, order: StageInput, folder: Path, job: BackgroundJob) -> Product:
        self.folders.append(folder)
        job.report(1, 2, "part")
        self.begun.set()
        while not self.go.wait(0.01):
            if job.stop.is_set():
                break
        (folder / "made.txt").write_text(str(order["seed"]))
        return Product({"seed": order["seed"]}, (folder / "made.txt",))


def finished(provider: LocalProvider, order: StageInput, external_id: str) -> Succeeded:
    """Ask until the job is done."""
    end = time.monotonic() + DEADLINE
    waiting = Event()
    while time.monotonic() < end:
        answer = provider.poll(order, external_id)
        if isinstance(answer, Succeeded):
            return answer
        waiting.wait(0.02)
    raise AssertionError("the job did not end")


def failing(error: Exception) -> Callable[[StageInput, Path, BackgroundJob], Product]:
    def make(order: StageInput, folder: Path, job: BackgroundJob) -> Product:
        raise error

    return make


def product_of(provider: LocalProvider, order: StageInput, folder: Path) -> Product:
    answer = finished(provider, order, provider.submit(order, "token").external_id).answer
    return provider.fetch(order, json.loads(json.dumps(answer)), folder)


def test_the_lyricist_delivers_title_and_text(tmp_path):
    product = product_of(StudioLyricist(tmp_path / "work"), LYRIC_ORDER, tmp_path / "out")
    assert set(product.result) == {"title", "text"}
    assert "스테이 머뭄" in product.result["text"]
    assert product.files == ()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Product:
    folder = tmp_path_factory.mktemp("played")
    order = SONG_ORDER | {"stems": True}
    return product_of(StudioBand(folder / "work"), order, folder / "out")


def test_the_band_delivers_a_song_its_timeline_and_on_request_parts_and_notes(played):
    song, smaller, notes, *stems = played.files
    assert (song.parent.name, song.name, song.is_file()) == ("out", "song.wav", True)
    assert smaller.name == "song.mp3"
    assert (notes.name, notes.read_bytes()[:4]) == ("song.mid", b"MThd")
    assert [path.name for path in stems] == [f"stem-{name}.wav" for name in sorted(STEMS)]
    assert played.result["seconds"] == 10.0
    assert [line["text"] for line in played.result["timeline"]] == [
        "여기는 스테이 머뭄",
        "다 함께 노래해요",
    ]


@pytest.fixture(scope="module")
def two_takes(tmp_path_factory: pytest.TempPathFactory) -> Product:
    folder = tmp_path_factory.mktemp("takes")
    order = SONG_ORDER | {"takes": 2, "stems": True, "vocals": False}
    return product_of(StudioBand(folder / "work"), order, folder / "out")


def test_the_band_delivers_two_takes_with_parts_of_their_own(two_takes):
    names = [path.name for path in two_takes.files]
    assert names[:4] == ["song.wav", "song-b.wav", "song.mp3", "song-b.mp3"]
    assert {name.replace("-b.", ".") for name in names if "-b." in name} == {
        name for name in names if "-b." not in name
    }


def test_the_bands_takes_sing_the_same_words_to_other_music(two_takes):
    first, other = two_takes.files[:2]
    assert first.read_bytes() != other.read_bytes()
    sung = [each["timeline"] for each in (two_takes.result, two_takes.result["songs"][1])]
    assert [line["text"] for line in sung[0]] == [line["text"] for line in sung[1]]


def test_the_bands_first_take_is_the_song_of_an_order_of_one(two_takes, tmp_path):
    alone = product_of(
        StudioBand(tmp_path / "work"), SONG_ORDER | {"vocals": False}, tmp_path / "o"
    )
    song, _smaller = alone.files
    assert song.read_bytes() == two_takes.files[0].read_bytes()
    assert {**two_takes.result, "songs": []} == {**alone.result, "songs": []}


def test_the_bands_takes_are_the_same_whenever_they_are_played(two_takes, tmp_path):
    order = SONG_ORDER | {"takes": 2, "vocals": False}
    again = product_of(StudioBand(tmp_path / "work"), order, tmp_path / "out")
    assert again.files[1].read_bytes() == two_takes.files[1].read_bytes()
    assert again.result == two_takes.result


def test_the_band_plays_without_a_singer_on_request(tmp_path):
    order = SONG_ORDER | {"stems": True, "vocals": False}
    product = product_of(StudioBand(tmp_path / "work"), order, tmp_path / "out")
    assert "stem-vocals.wav" not in [path.name for path in product.files]


def test_the_band_tells_beat_and_form(played):
    assert 0.4 < played.result["beat_seconds"] < 0.7
    sections = played.result["sections"]
    assert (sections[0]["kind"], sections[-1]["kind"]) == ("intro", "outro")
    assert (sections[0]["start"], sections[-1]["end"]) == (0.0, 10.0)


def test_the_band_says_which_genre_it_played(played):
    assert played.result["genre"] == get_genre("trot").name


def test_the_band_says_which_genre_it_did_not_play(played):
    notes = [note for note in played.result["notes"] if "'polka' is not played" in note]
    assert len(notes) == 1


@dataclass(frozen=True)
class Filmed:
    """A film of eight pictures in four seconds, and what was left where it was made."""

    product: Product
    left: list[Path]


@pytest.fixture(scope="module")
def filmed(played: Product, tmp_path_factory: pytest.TempPathFactory) -> Filmed:
    folder = tmp_path_factory.mktemp("filmed")
    own = folder / "own.png"
    Image.new("RGB", (90, 160), "teal").save(own)
    told = {name: played.result[name] for name in ("timeline", "beat_seconds", "sections")}
    order = video_order(images=[{"name": own.name}] * 8, song_seconds=4.0, **told)
    camera = StudioCamera(
        lambda artifact: own if artifact["name"] == own.name else played.files[0], folder / "work"
    )
    product = product_of(camera, order, folder / "out")
    return Filmed(product, list((folder / "work").iterdir()))


def test_the_camera_delivers_a_video_covers_and_transcripts(filmed):
    assert [path.name for path in filmed.product.files] == FILMED
    shape = {"seconds": 4.0, "width": 1080, "height": 1920, "fps": 30}
    assert filmed.product.result == {**shape, "notes": filmed.product.result["notes"]}


def test_the_cover_is_of_the_films_size(filmed):
    [cover] = [path for path in filmed.product.files if path.name == "cover.jpg"]
    with Image.open(cover) as picture:
        assert (picture.format, picture.size) == ("JPEG", (1080, 1920))
    assert cover.stat().st_size < 600_000


def test_the_camera_leaves_nothing_where_it_worked(filmed):
    assert filmed.left == []


def test_the_camera_says_how_many_pictures_it_could_not_show(filmed):
    notes = filmed.product.result["notes"]
    assert notes == ["only the first 2 of 8 pictures fit into 4 seconds"]


def test_the_camera_refuses_a_picture_for_good(tmp_path):
    Image.new("RGB", (9, 9)).save(tmp_path / "own.gif")
    camera = StudioCamera(lambda artifact: tmp_path / str(artifact["name"]), tmp_path / "work")
    order = video_order(images=[{"name": "own.gif"}])
    with pytest.raises(PermanentError, match=r"images\[0\]: expected a JPEG"):
        product_of(camera, order, tmp_path / "out")


def test_the_studio_is_free_and_speaks_the_protocol(tmp_path):
    providers: list[Provider] = [StudioLyricist(tmp_path), StudioBand(tmp_path)]
    assert [(provider.name, provider.price({})) for provider in providers] == [("studio", 0)] * 2


def test_a_job_has_the_id_that_its_token_finds(tmp_path):
    bench = Bench()
    bench.go.set()
    provider = LocalProvider("studio", bench, tmp_path / "work", one_slot(tmp_path))
    assert provider.submit({"seed": 1}, "token").external_id == provider.find("token")


def test_a_job_tells_its_progress(tmp_path):
    bench = Bench()
    provider = LocalProvider("studio", bench, tmp_path / "work", one_slot(tmp_path))
    external_id = provider.submit({"seed": 1}, "token").external_id
    assert bench.begun.wait(DEADLINE)
    assert provider.poll({"seed": 1}, external_id) == InProgress(0.5, "part 1 of 2")
    bench.go.set()


def test_a_job_without_a_free_slot_waits(tmp_path):
    bench = Bench()
    provider = LocalProvider("studio", bench, tmp_path / "work", one_slot(tmp_path))
    provider.submit({"seed": 1}, "first")
    assert bench.begun.wait(DEADLINE)
    second = provider.submit({"seed": 2}, "second").external_id
    assert provider.poll({"seed": 2}, second) == InProgress(note="waits for a free slot, 1 at once")
    bench.go.set()
    assert finished(provider, {"seed": 2}, second).answer["result"] == {"seed": 2}


def test_a_job_that_is_submitted_twice_runs_once(tmp_path):
    bench = Bench()
    bench.go.set()
    provider = LocalProvider("studio", bench, tmp_path / "work", one_slot(tmp_path))
    provider.submit({"seed": 1}, "token")
    finished(provider, {"seed": 1}, provider.submit({"seed": 1}, "token").external_id)
    assert len(bench.folders) == 1


def test_a_job_that_died_with_its_process_is_made_again(tmp_path):
    bench = Bench()
    bench.go.set()
    left = tmp_path / "work" / "studio-lost-abc"
    left.mkdir(parents=True)
    provider = LocalProvider("studio", bench, tmp_path / "work", one_slot(tmp_path))
    assert finished(provider, {"seed": 1}, "studio-lost").answer["result"] == {"seed": 1}
    assert not left.exists()


def test_a_product_that_is_gone_is_made_again_at_the_fetch(tmp_path):
    bench = Bench()
    bench.go.set()
    first = LocalProvider("studio", bench, tmp_path / "work", one_slot(tmp_path))
    answer = finished(first, {"seed": 1}, first.submit({"seed": 1}, "token").external_id).answer
    shutil.rmtree(tmp_path / "work")
    product = LocalProvider("studio", bench, tmp_path / "work", one_slot(tmp_path)).fetch(
        {"seed": 1}, answer, tmp_path / "out"
    )
    assert product.files[0].read_text() == "1"


def test_a_product_can_be_fetched_twice(tmp_path):
    bench = Bench()
    bench.go.set()
    provider = LocalProvider("studio", bench, tmp_path / "work", one_slot(tmp_path))
    answer = finished(
        provider, {"seed": 1}, provider.submit({"seed": 1}, "token").external_id
    ).answer
    first = provider.fetch({"seed": 1}, answer, tmp_path / "one")
    second = provider.fetch({"seed": 1}, answer, tmp_path / "two")
    assert first.files[0].read_text() == second.files[0].read_text()


def test_nothing_is_left_behind_after_the_fetch(tmp_path):
    bench = Bench()
    bench.go.set()
    product_of(
        LocalProvider("studio", bench, tmp_path / "work", one_slot(tmp_path)),
        {"seed": 1},
        tmp_path / "out",
    )
    assert list((tmp_path / "work").iterdir()) == []


def test_a_cancelled_job_stops_and_leaves_nothing(tmp_path):
    bench = Bench()
    provider = LocalProvider("studio", bench, tmp_path / "work", one_slot(tmp_path))
    external_id = provider.submit({"seed": 1}, "token").external_id
    assert bench.begun.wait(DEADLINE)
    provider.cancel(external_id)
    assert list((tmp_path / "work").iterdir()) == []


def test_cancelling_an_unknown_job_is_no_error(tmp_path):
    LocalProvider("studio", Bench(), tmp_path, one_slot(tmp_path)).cancel("studio-unknown")


@pytest.mark.parametrize(
    ("raised", "expected", "code"),
    [
        (OSError(28, "No space left on device"), SubmissionFailedError, "disk_full"),
        (OSError(5, "Input/output error"), SubmissionFailedError, "studio_file"),
        (MemoryError(), SubmissionFailedError, "studio_memory"),
        (ZeroDivisionError("a bug"), PermanentError, "studio_error"),
        (MissingPartError("no font", code="font_missing"), PermanentError, "font_missing"),
    ],
)
def test_whatever_goes_wrong_is_said_as_a_provider_error(raised, expected, code, tmp_path):
    provider = LocalProvider("studio", failing(raised), tmp_path / "work", one_slot(tmp_path))
    with pytest.raises(expected) as caught:
        finished(provider, {}, provider.submit({}, "token").external_id)
    assert caught.value.code == code
    assert list((tmp_path / "work").iterdir()) == []


def test_a_job_that_failed_may_be_begun_anew(tmp_path):
    tries: list[int] = []

    def make(order: StageInput, folder: Path, job: BackgroundJob) -> Product:
        tries.append(1)
        if len(tries) == 1:
            raise TransientError("busy")
        return Product({"tries": len(tries)})

    provider = LocalProvider("studio", make, tmp_path, one_slot(tmp_path))
    external_id = provider.submit({}, "token").external_id
    with pytest.raises(SubmissionFailedError):
        finished(provider, {}, external_id)
    assert finished(provider, {}, external_id).answer["result"] == {"tries": 2}
