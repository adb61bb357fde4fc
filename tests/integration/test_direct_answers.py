"""Scans that the API answers itself: the stream, what no database is asked for, and what is kept."""

import io
import json
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import event
from sqlalchemy.engine import Engine

from pipeline_defs.scan.characters.store import list_owned
from resources.delivery.spool import open_spool
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.status import get_request
from resources.ledger.schema.tables import Status
from resources.process.settings import settings
from tests.api_house import House, picture, served, use_ledger
from tests.direct_house import ANSWER, GLASS, STEPS, events_of
from tests.eventually import eventually


def character_url() -> str:
    return f"sqlite:///{settings().home / 'character.db'}"


def is_imported(house: House, task_id: str) -> bool:
    try:
        return get_request(house.db, task_id).status is Status.COMPLETED
    except UnknownRequestError:
        return False


def test_stream_is_exactly_as_the_source_system_has_it(house):
    events = events_of(house.as_("shop"), {**GLASS, "task_id": "s1"})
    progress = [
        {"step": step, "status": status, "progress": 25 * (number + (status == "completed"))}
        for number, step in enumerate(STEPS)
        for status in ("started", "completed")
    ]
    result = events[-1].pop("result")
    assert events == [{"status": "started", "task_id": "s1"}, *progress]
    assert result["reward"]["match_reason"] == "유리병>소주병"
    assert (result["status"], result["error"], result["kept"]) == ("completed", None, True)


def test_failure_ends_the_stream_with_the_step_and_its_error(house):
    files = {"image": ("photo.png", picture()[:100], "image/png")}
    answer = house.as_("shop").post(ANSWER, data={"task_id": "s1"}, files=files)
    last = json.loads(answer.text.strip().rpartition("\n")[2][6:])
    assert last == {
        "step": "vision",
        "status": "failed",
        "error": {
            "code": "invalid_picture",
            "message": "사진을 읽을 수 없습니다. 다른 사진을 보내 주세요. "
            "(picture: the picture is damaged or cut short)",
        },
    }


OTHERS = {
    "HEIC": b"\0\0\0\x18ftypheic",
    "GIF": b"GIF89a",
    "PDF": b"%PDF-1.7",
    "none or is damaged": b"hello",
}


@pytest.mark.parametrize(("name", "content"), OTHERS.items(), ids=OTHERS)
def test_file_of_another_format_is_refused_by_its_name_before_anything_begins(house, name, content):
    files = {"image": ("photo", content, "image/jpeg")}
    refused = house.as_("shop").post(ANSWER, files=files)
    assert (refused.status_code, refused.json()["field"]) == (422, "images[0]")
    assert refused.json()["detail"].endswith(f"and this is {name}")


def test_ordered_answer_is_followed_and_read_at_its_links(house):
    client = house.as_("shop")
    ordered = client.post("/v1/scan", json=GLASS, headers={"Idempotency-Key": "s1"})
    assert (ordered.status_code, ordered.json()["task_id"]) == (202, "s1")
    followed = client.get(ordered.json()["stream_url"])
    assert followed.text.count("id: ") == 9
    result = client.get(ordered.json()["result_url"])
    assert (result.status_code, result.json()["status"]) == (200, "completed")


def test_stream_goes_on_after_the_last_event_that_was_received(house):
    client = house.as_("shop")
    events_of(client, {**GLASS, "task_id": "s1"})
    rest = client.get("/v1/scan/s1/events", headers={"Last-Event-ID": "8"})
    assert rest.text.count("data: ") == 1


def test_stream_that_was_received_to_its_end_is_not_sent_again(house):
    client = house.as_("shop")
    events_of(client, {**GLASS, "task_id": "s1"})
    assert client.get("/v1/scan/s1/events", headers={"Last-Event-ID": "9"}).status_code == 204


def test_same_order_has_the_same_answer_and_another_is_a_conflict(house):
    client = house.as_("shop")
    first = events_of(client, {**GLASS, "task_id": "s1"})
    assert events_of(client, {**GLASS, "task_id": "s1"}) == first
    other = client.post(ANSWER, json={"note": "신문지", "task_id": "s1"})
    assert (other.status_code, other.json()["code"]) == (409, "conflict")


def test_answer_of_another_owner_is_not_found(house):
    events_of(house.as_("shop"), {**GLASS, "task_id": "s1"})
    other = house.as_("other")
    assert other.get("/v1/scan/s1/result").status_code == 404
    assert other.get("/v1/scan/s1/events").status_code == 404


def test_result_is_read_from_the_ledger_by_another_process(house):
    client = house.as_("shop")
    result = events_of(client, {**GLASS, "task_id": "s1"})[-1]["result"]
    assert eventually(lambda: is_imported(house, "s1"))
    with served() as other:
        key = client.headers["Authorization"].removeprefix("Bearer ")
        assert other.client(key).get("/v1/scan/s1/result").json() == result


def test_unknown_answer_is_not_found(house):
    assert house.as_("shop").get("/v1/scan/none/result").status_code == 404


def test_saves_and_import_are_there_afterwards_once_each(house):
    client = house.as_("shop")
    for number in range(3):
        events_of(client, {**GLASS, "task_id": f"s{number}"})
    assert eventually(lambda: not open_spool(settings().home).waiting())
    assert list_owned(character_url(), "user-1") == ["char-glass"]
    assert all(is_imported(house, f"s{number}") for number in range(3))


def test_scan_without_a_user_saves_nothing(house):
    events_of(house.as_("shop"), {"note": "소주병", "task_id": "s1"})
    targets = {each.target for each in open_spool(settings().home).waiting()}
    assert targets <= {"import"}


def test_photograph_is_answered_and_not_kept(house):
    files = {"image": ("photo.png", picture(), "image/png")}
    answer = house.as_("shop").post(ANSWER, data={"language": "English"}, files=files)
    last = json.loads(answer.text.strip().rpartition("\n")[2][6:])
    assert last["result"]["pipeline_result"]["classification_result"]["meta"]["remark"]
    assert not (settings().home / "artifacts" / ".uploads").exists()


def test_picture_of_too_many_pixels_is_refused_by_its_own_sentence(house):
    file = io.BytesIO()
    Image.new("1", (12_001, 8)).save(file, "PNG")
    files = {"image": ("photo.png", file.getvalue(), "image/png")}
    answer = house.as_("shop").post(ANSWER, files=files)
    assert "12,000 pixels" in answer.text


def test_orders_beyond_the_limit_of_a_key_are_told_to_come_again(sqlite_ledger_url, monkeypatch):
    monkeypatch.setenv("CASTAD_DIRECT_PER_KEY", "1")
    settings.cache_clear()
    with served() as house:
        pool = house.app.state.api.direct.pools["scan"]
        pool.job("held", "shop", {})
        refused = house.as_("shop").post(ANSWER, json=GLASS)
        assert (refused.status_code, refused.json()["code"]) == (429, "busy")
        assert refused.headers["Retry-After"]
        assert events_of(house.as_("other"), GLASS)[-1]["result"]


def test_key_that_is_revoked_is_refused_within_seconds(house):
    client = house.as_("shop")
    events_of(client, GLASS)
    house.steps.sql("UPDATE api_keys SET revoked_at = created_at")
    assert eventually(lambda: client.post(ANSWER, json=GLASS).status_code == 401)


def test_deleted_answer_is_gone_from_memory(house):
    client = house.as_("shop")
    events_of(client, {**GLASS, "task_id": "s1"})
    assert eventually(lambda: is_imported(house, "s1"))
    assert client.delete("/v1/pipeline/s1").status_code == 200
    assert client.get("/v1/scan/s1/result").status_code == 404
    assert client.get("/v1/scan/s1/events").status_code == 404


def test_failed_answer_whose_picture_was_not_kept_says_that_it_cannot_be_retried(house):
    files = {"image": ("photo.png", picture()[:100], "image/png")}
    house.as_("shop").post(ANSWER, data={"task_id": "s1"}, files=files)
    assert eventually(lambda: not open_spool(settings().home).waiting())
    assert (get_request(house.db, "s1").error_message or "").endswith(
        "its picture was not kept, so that it cannot be retried: send it again with the picture"
    )


class Statements:
    """Every statement of this process and the thread that executed it."""

    def __init__(self) -> None:
        self.made: list[tuple[str, str]] = []

    def __call__(self, connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        self.made.append((threading.current_thread().name, statement))


@pytest.fixture
def statements() -> Iterator[Statements]:
    heard = Statements()
    event.listen(Engine, "before_cursor_execute", heard)
    yield heard
    event.remove(Engine, "before_cursor_execute", heard)


_BACKGROUND = (
    *("castad-keys", "castad-characters", "castad-save", "castad-broadcaster", "castad-budget"),
)
"""Threads that look at databases whether anybody scans or not."""


def test_no_statement_is_made_for_a_scan_before_its_last_event(ledger_url, statements, monkeypatch):
    use_ledger(ledger_url, monkeypatch)
    with served() as house:
        client = house.as_("shop")
        events_of(client, GLASS)
        statements.made.clear()
        events_of(client, {**GLASS, "task_id": "s2"})
    assert [each for each in statements.made if not each[0].startswith(_BACKGROUND)] == []


@contextmanager
def full_disk() -> Iterator[None]:
    """No file of this process can grow beyond 4 kB while the block runs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_disk_that_is_full_takes_no_answer_away_and_is_counted(house):
    client = house.as_("shop")
    events_of(client, GLASS)
    assert eventually(lambda: not open_spool(settings().home).waiting())
    with full_disk():
        last = events_of(client, GLASS)[-1]
    assert (last["result"]["status"], last["result"]["kept"]) == ("completed", False)
    assert 'castad_direct_not_kept_total{pipeline="scan"} 1.0' in house.admin().get("/metrics").text


def test_spool_is_used_again_once_the_disk_has_room(house):
    client = house.as_("shop")
    with full_disk():
        events_of(client, GLASS)
    assert events_of(client, {**GLASS, "task_id": "s2"})[-1]["result"]["kept"] is True
    assert eventually(lambda: is_imported(house, "s2"))
