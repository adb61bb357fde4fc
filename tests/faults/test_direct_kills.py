"""The API killed at every step of an answer: asked again it answers, and what was answered is kept once."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from castad.direct.pool import list_targets
from castad.stack.processes import find_free_port
from pipeline_defs.catalog import get_catalog
from pipeline_defs.scan.characters.store import build_sqlite_url, list_owned
from resources.delivery.spool import deliver_spool, open_spool
from resources.ledger.db.database import open_database
from resources.ledger.queries.status import get_request
from resources.ledger.schema.tables import Status
from resources.process.settings import settings
from tests.direct_house import ANSWER, GLASS, STEPS
from tests.eventually import eventually

ORDER = {**GLASS, "task_id": "s1"}
POINTS = [f"{step}.{point}" for step in STEPS for point in ("before_stage", "after_fetch")]
POINTS += ["save.after_fetch", "save.after_keep"]


@contextmanager
def api(crash: str) -> Iterator[str]:
    """The address of an API that crashes there; it is gone after the block."""
    port = find_free_port()
    command = [sys.executable, "-m", "castad", "api", "--port", str(port)]
    environment = {**os.environ, "CASTAD_CRASH": crash}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    try:
        assert eventually(lambda: _answers(f"http://127.0.0.1:{port}"))
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz").status_code == 200
    except httpx.HTTPError:
        return False


def asked(url: str) -> str:
    """What came of the stream."""
    key = (settings().home / "admin.key").read_text().strip()
    headers = {"Authorization": f"Bearer {key}"}
    lines = []
    try:
        with httpx.stream("POST", f"{url}{ANSWER}", headers=headers, json=ORDER) as response:
            lines += list(response.iter_lines())
    except httpx.HTTPError:
        pass
    return "\n".join(lines)


@pytest.mark.parametrize("point", POINTS)
def test_kill_amid_an_answer_loses_nothing_that_was_answered_and_saves_nothing_twice(
    sqlite_ledger_url, point
):
    with api(f"{point}:KILL") as url:
        assert '"result"' not in asked(url)
    assert list(settings().home.glob("crash-*")), "the point was never passed"
    with api("") as url:
        assert '"result"' in asked(url)
    assert eventually(_all_delivered)
    db = open_database(sqlite_ledger_url)
    assert get_request(db, "s1").status is Status.COMPLETED
    assert list_owned(build_sqlite_url(settings().home, "character"), "user-1") == ["char-glass"]
    db.close()


def _all_delivered() -> bool:
    spool = open_spool(settings().home)
    deliver_spool(spool, list_targets(get_catalog()))
    return not spool.waiting()
