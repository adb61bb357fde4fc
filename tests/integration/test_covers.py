"""A frame of a finished video is chosen as the cover, from the call to the file."""

import io
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from PIL import Image

from resources.files.artifacts import open_artifact_store
from resources.ledger.ledger_errors import IllegalTransitionError, NoVideoError
from resources.ledger.transitions.approval import MOST_COVERS, ensure_cover_allowed
from resources.process.settings import settings
from studio.ffmpeg import find_ffmpeg
from tests.api_house import BRIEF, House, served
from tests.command_line import castad
from tests.ledger_steps import STAGES

SECONDS = 3
SIZE = (540, 960)
CLOSE = 35.0
"""Decibels; another frame of this film is below 20."""


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("film") / "video.mp4"
    source = f"testsrc2=s={SIZE[0]}x{SIZE[1]}:r=30"
    made = ("-f", "lavfi", "-i", source, "-t", str(SECONDS), "-pix_fmt", "yuv420p", str(target))
    subprocess.run([find_ffmpeg(), "-v", "error", *made], check=True)
    return target


@pytest.fixture
def house(sqlite_ledger_url: str, tmp_path: Path, film: Path) -> Iterator[House]:
    """An API with a completed order of `shop` that has a video."""
    with served() as house:
        placed = house.as_("shop").post("/v1/pipeline/start", json={**BRIEF, "task_id": "shop-1"})
        assert placed.status_code == 202
        draft = tmp_path / "video.mp4"
        draft.write_bytes(film.read_bytes())
        video = open_artifact_store(settings()).store_file(draft, "shop-1", "video.mp4")
        lease = house.steps.take("shop-1")
        for stage in STAGES:
            files = [video] if stage == STAGES[-1] else []
            house.steps.complete(lease, house.steps.begin(lease, stage), files=files)
        yield house


def choose(client: httpx.Client, seconds: Any, task_id: str = "shop-1") -> httpx.Response:
    return client.post(f"/v1/pipeline/cover/{task_id}", json={"seconds": seconds})


def picture_at(client: httpx.Client, path: str) -> Image.Image:
    return Image.open(io.BytesIO(client.get(path).raise_for_status().content))


def frame_of(film: Path, seconds: float) -> np.ndarray:
    """The brightness of a film at this moment, found by decoding all of it."""
    shown = ("-vf", f"select=eq(n\\,{round(seconds * 30)})", "-frames:v", "1")
    command = [find_ffmpeg(), "-v", "error", "-i", str(film), *shown, "-f", "rawvideo"]
    found = subprocess.run([*command, "-pix_fmt", "gray", "-"], capture_output=True, check=True)
    return np.frombuffer(found.stdout, np.uint8).reshape(SIZE[1], SIZE[0])


def likeness(picture: Image.Image, frame: np.ndarray) -> float:
    """PSNR of the brightness in decibels."""
    off = np.asarray(picture.convert("L"), float) - frame
    return float(10 * np.log10(255**2 / max(1e-9, (off**2).mean())))


def test_chosen_cover_is_the_frame_of_the_video_at_that_moment(client, film):
    for seconds in (0, 1.5):
        cover = picture_at(client, choose(client, seconds).json()["cover"])
        assert (cover.format, cover.size) == ("JPEG", SIZE)
        assert (
            likeness(cover, frame_of(film, seconds)) > CLOSE > likeness(cover, frame_of(film, 2.5))
        )
    assert choose(client, SECONDS).status_code == 200


def test_cover_is_chosen_as_often_as_one_likes(client):
    first, other, again = (choose(client, seconds).json() for seconds in (0.5, 2, 0.5))
    status = client.get("/v1/pipeline/status/shop-1").json()
    [listed] = client.get("/v1/pipeline").json()["orders"]
    assert (status["cover"], listed["cover"]) == (again["cover"], again["thumbnail"])
    assert len({first["cover"], other["cover"], again["cover"]}) == 3
    contents = [client.get(each["cover"]).content for each in (first, other, again)]
    assert contents[0] == contents[2] != contents[1]


def test_history_says_who_chose_which_moment(house, client):
    chosen = choose(client, 1.5).json()
    event = house.steps.last("shop-1")
    assert (event.type, event.before, event.after) == ("cover_chosen", "completed", "completed")
    assert event.data["by"] == "shop"
    assert event.data["moment"] == 1.5
    assert chosen["cover"].endswith(event.data["files"][1])


def test_moment_that_is_none_of_the_video_is_refused(house, client):
    times = ("1e999", "-0.1", "1e18", "3.2", '"1"', "true", "null", "[]", "1" + "0" * 400)
    no_bodies = (
        '{"seconds": NaN}',
        '{"seconds": -Infinity}',
        '{"seconds": 1, "seconds": 2}',
        "[1]",
    )
    refused = dict.fromkeys(no_bodies, "the body") | {"{}": "seconds"}
    refused |= {f'{{"seconds": {time}}}': "seconds" for time in times}
    refused |= {'{"seconds": 1, "by": "me"}': "by"}
    asked = {body: client.post("/v1/pipeline/cover/shop-1", content=body) for body in refused}
    assert {body: answer.json()["field"] for body, answer in asked.items()} == refused
    assert {answer.status_code for answer in asked.values()} == {422}
    assert house.steps.last("shop-1").type == "completed"


def test_order_without_a_video_of_ones_own_has_no_cover(house, client):
    client.post("/v1/pipeline/start", json={**BRIEF, "task_id": "new"})
    assert choose(house.as_("other"), 1).status_code == 404
    unfinished = choose(client, 1, "new")
    assert (unfinished.status_code, unfinished.json()["code"]) == (409, "not_completed")
    house.steps.sql("DELETE FROM artifacts")
    answer = choose(client, 1)
    assert (answer.status_code, answer.json()["code"]) == (409, "no_video")


@pytest.mark.parametrize("spoil", [Path.unlink, lambda file: file.write_bytes(b"no film")])
def test_video_that_is_lost_or_damaged_is_said_so(client, spoil):
    spoil(settings().home / "artifacts" / "shop-1" / "video.mp4")
    assert choose(client, 1).json()["code"] in ("artifact_missing", "artifact_damaged")


def test_command_prints_the_path_of_the_cover(house):
    path = Path(castad("cover", "shop-1", "--at", "1.5").stdout.strip())
    with Image.open(path) as picture:
        assert picture.size == SIZE


def test_cover_of_a_video_that_is_not_the_newest_is_refused(steps):
    video = steps.filmed(name="video.mp4")
    steps.sql("UPDATE artifacts SET name = 'video.2.mp4'")
    with pytest.raises(IllegalTransitionError, match="another video"):
        steps.choose_cover(video)


def test_hundred_covers_of_one_order_are_chosen_at_most(steps):
    video = steps.filmed()
    for _ in range(MOST_COVERS):
        steps.choose_cover(video)
    for refused in (
        lambda: steps.choose_cover(video),
        lambda: ensure_cover_allowed(steps.db, steps.row()),
    ):
        with pytest.raises(IllegalTransitionError, match="covers chosen"):
            refused()


def test_cover_is_not_chosen_where_the_files_are_gone(steps):
    video = steps.filmed()
    steps.sql("DELETE FROM artifacts")
    with pytest.raises(NoVideoError):
        steps.choose_cover(video)


def test_video_of_another_order_is_none_of_this_one(steps):
    video = steps.filmed()
    steps.filmed("other", "other.mp4")
    assert len(steps.choose_cover(video)) == 1


def test_other_covers_and_other_events_leave_room_for_a_cover(steps):
    video, other = steps.filmed(), steps.filmed("other")
    for _ in range(MOST_COVERS):
        steps.choose_cover(other, "other")
    steps.sql(
        f"WITH RECURSIVE n(i) AS (SELECT 1001 UNION ALL SELECT i + 1 FROM n WHERE i < {1001 + MOST_COVERS}) "
        'INSERT INTO events (request_id, seq, type, "to", data, at, mirrored) '
        "SELECT id, i, 'noted', 'completed', '{}', CURRENT_TIMESTAMP, true FROM n, requests WHERE task_id = 'r'"
    )
    ensure_cover_allowed(steps.db, steps.row())
    assert len(steps.choose_cover(video)) == 1
