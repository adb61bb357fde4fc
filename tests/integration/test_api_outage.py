"""What happens to the API when others wait, hang up, or send without end."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from castad.api.app import build_app
from pipeline_defs.catalog import get_catalog
from resources.process.settings import settings
from tests.api_house import House, picture, served, stream, use_ledger
from tests.eventually import eventually
from tests.ledger_steps import Steps
from tests.postgres_server import PostgresServer


def test_calls_that_wait_for_a_lock_are_told_to_come_again_and_stop_nobody(
    postgres_ledger_url, monkeypatch
):
    use_ledger(postgres_ledger_url, monkeypatch)
    engine = create_engine(postgres_ledger_url)
    with served() as house, engine.connect() as operator, ThreadPoolExecutor(16) as pool:
        house.steps.order()
        operator.execute(text("SELECT * FROM requests FOR UPDATE"))
        client = house.admin()
        waiting = [pool.submit(client.post, "/v1/pipeline/cancel/r") for _ in range(16)]
        assert house.client(None).get("/readyz").status_code == 200
        assert not any(each.done() for each in waiting)
        assert {each.result().status_code for each in waiting} == {503}
    engine.dispose()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[PostgresServer]:
    server = PostgresServer(tmp_path)
    server.start()
    yield server
    server.stop()


def test_stream_goes_on_where_the_database_was_away(own_server, monkeypatch):
    use_ledger(own_server.create("away"), monkeypatch)
    with served() as house:
        steps = Steps(house.db.with_retry_budget(60))
        steps.order()
        with stream(house.admin(), "/v1/pipeline/events/r") as each:
            seen = [next(each), next(each)]
            own_server.restart(3)
            steps.cancel()
            seen += list(each)
    assert [frame.event for frame in seen] == ["snapshot", "message", "message", "end"]


def raw(house: House) -> socket.socket:
    host, _, port = house.url.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)))


def test_client_that_hangs_up_is_no_fault_of_ours(house, caplog):
    caplog.set_level("INFO", "castad.api")
    with raw(house) as client:
        client.sendall(b"POST /callbacks/suno/x HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{")
    assert eventually(lambda: " 499 in " in caplog.text)
    assert not (settings().home / "logs" / "castad.log").exists()


def test_address_with_a_slash_too_many_is_not_found_and_leads_nowhere(house):
    answer = house.client(None).get("/v1/pipeline/", headers={"Host": "evil.example"})
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert "location" not in answer.headers


def test_disk_that_refuses_an_upload_is_said_so(house):
    (settings().home / "artifacts").write_bytes(b"")
    answer = house.as_("shop").post("/v1/pipeline/images", content=picture())
    assert (answer.status_code, answer.json()["code"]) == (503, "disk_error")


def test_task_id_that_is_none_is_not_logged(house, caplog):
    caplog.set_level("INFO", "castad.api")
    house.admin().get("/v1/pipeline/status/x%20key=forged%20200")
    # A line is written when the answer is already on its way.
    assert eventually(lambda: "/pipeline/status" in caplog.text)
    lines = [record for record in caplog.records if "/pipeline/status" in record.getMessage()]
    assert [record.facts["task_id"] for record in lines] == [None]  # type: ignore[attr-defined]


def test_description_is_told_without_a_ledger():
    assert "/v1/pipeline/start" in build_app(get_catalog()).openapi()["paths"]
    assert not settings().home.exists()
