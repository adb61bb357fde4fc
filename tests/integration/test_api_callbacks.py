"""What vendors call back, as it comes over the wire."""

from collections.abc import Iterator

import pytest

from tests.api_house import House, served

TOKEN = "token of r"


@pytest.fixture
def house(sqlite_ledger_url: str) -> Iterator[House]:
    """An API whose one order has lost its submission to `vendor`, which is Suno here."""
    with served() as house:
        house.steps.lost()
        house.steps.sql("UPDATE provider_jobs SET provider = 'suno'")
        yield house


def said(house: House, path: str, body: bytes = b"{}") -> tuple[int, str]:
    answer = house.client(None).post(path, content=body)
    return answer.status_code, answer.json().get("code", "")


def test_callback_that_names_the_job_brings_the_order_back(house):
    body = b'{"code": 200, "data": {"task_id": "x1", "callbackType": "complete"}}'
    assert said(house, f"/callbacks/suno/{TOKEN}", body) == (200, "")
    assert house.steps.row().status == "pending"


def test_callback_that_nobody_waits_for_is_unknown_and_changes_nothing(house):
    before = house.steps.row()
    paths = ["suno/forged", "creatomate/token of r", "nobody/x", "openai/token of r"]
    for path in (*paths, "suno/%00", "suno/%ff%fe"):
        assert said(house, f"/callbacks/{path}") == (404, "unknown_callback"), path
    assert house.steps.row() == before


def test_callback_that_cannot_be_read_is_taken_and_names_nothing(house):
    for body in (b"", b"<html>", b"\xff", b"[" * 10_000, b'{"data": null}', b"1"):
        assert said(house, f"/callbacks/suno/{TOKEN}", body) == (200, "")
    assert house.steps.row().status == "failed"


def test_callback_that_is_too_long_is_refused(house):
    body = b" " * 256_001
    assert said(house, f"/callbacks/suno/{TOKEN}", body) == (413, "too_large")
