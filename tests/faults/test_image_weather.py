"""Pictures while servers restart, lose replies, run out of memory and go silent, and workers are killed."""

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import select

from resources.ledger.schema.tables import JobStatus, Status, provider_jobs, requests
from tests.eventually import eventually
from tests.fakes.comfyui import FakeComfyUI
from tests.fakes.faults import Fault
from tests.faults.picture_stack import picture_stack

pytestmark = pytest.mark.timeout(900)

ORDERS = 80
SERVERS = 3
WORKER_KILLS = 3
RUN_SECONDS = 0.15
PATIENCE_SECONDS = 240.0
VARIABLES = {
    "CASTAD_LEASE_SECONDS": "3",
    "CASTAD_BEAT_SECONDS": "0.5",
    "CASTAD_POLL_SECONDS": "0.1",
    "CASTAD_POLL_LONGEST": "0.3",
    "CASTAD_STEP_RETRY_DELAY": "0.1",
    "CASTAD_RETRY_RENDER": "0.5",
    "CASTAD_DISPATCH_GRACE": "2",
    "COMFYUI_LOST_SECONDS": "5",
}
EATEN = {"vanished", "interrupted", "out_of_memory", "submission_lost"}
"""Why a job may be made under another id: its server has lost it, or has failed at it."""
WEATHER = (
    ("restart", "submit", {}),
    ("lose_reply", "submit", {}),
    ("reset_after", "submit", {}),
    ("status_after", "submit", {"code": 502}),
    ("interrupted", "submit", {}),
    ("out_of_memory", "submit", {}),
    ("status", "job", {"code": 503}),
    ("missing", "job", {}),
    ("truncate", "file", {}),
    ("html", "file", {}),
    ("renamed", "upload", {}),
)


@pytest.fixture
def fakes(tmp_path: Path) -> Iterator[list[FakeComfyUI]]:
    with ExitStack() as opened:
        servers = [FakeComfyUI(tmp_path / f"server-{number}") for number in range(SERVERS)]
        for fake in servers:
            opened.enter_context(fake)
            fake.set(delay=RUN_SECONDS)
        yield servers


def blow(fakes: list[FakeComfyUI], over: threading.Event) -> None:
    """Faults of all kinds, one after the other, until it is over."""
    chance = random.Random(18)
    while not over.wait(0.4):
        kind, route, details = chance.choice(WEATHER)
        fake = chance.choice(fakes)
        fake.set(is_stalled=chance.random() < 0.5)
        if not fake.unused():
            fake.script(Fault(kind, route, **details))


def test_every_picture_is_made_and_no_job_runs_twice(tmp_path, fakes):
    over = threading.Event()
    weather = threading.Thread(target=blow, args=(fakes, over))
    with picture_stack(tmp_path, fakes, VARIABLES) as stack:
        stack.order(ORDERS)
        weather.start()
        try:
            for kill in range(1, WORKER_KILLS + 1):
                passed = ORDERS * kill // (WORKER_KILLS + 2)
                assert eventually(lambda passed=passed: stack.ended() >= passed, PATIENCE_SECONDS)
                stack.kill_worker()
            fakes[0].kill()
            wait_for_lost(fakes[0])
            fakes[0].revive()
            last = ORDERS - SERVERS
            assert eventually(lambda: stack.ended() >= last, PATIENCE_SECONDS)
        finally:
            over.set()
            weather.join()
        assert eventually(lambda: stack.ended() == ORDERS, PATIENCE_SECONDS)
        with stack.db.reading() as tx:
            jobs = tx.execute(
                select(
                    requests.c.task_id,
                    requests.c.status,
                    provider_jobs.c.token,
                    provider_jobs.c.status.label("job"),
                    provider_jobs.c.error_code,
                ).select_from(requests.join(provider_jobs))
            ).all()
    ran = Counter(prompt_id for fake in fakes for prompt_id in fake.runs())
    assert set(ran.values()) == {1}
    wrong = {job.error_code for job in jobs if job.job == JobStatus.FAILED} - EATEN
    assert wrong == set()
    # A job that runs out of memory is tried once more only.
    short = Counter(job.task_id for job in jobs if job.error_code == "out_of_memory")
    completed = {job.task_id for job in jobs if job.status == Status.COMPLETED}
    given_up = {task for task, count in short.items() if count > 1}
    delivered = Counter(job.task_id for job in jobs if job.job == JobStatus.SUCCEEDED)
    assert len(completed | given_up) == ORDERS
    assert set(delivered.values()) == {1}


def wait_for_lost(fake: FakeComfyUI) -> None:
    """Long enough that its jobs count as lost."""
    until = time.monotonic() + 2 * float(VARIABLES["COMFYUI_LOST_SECONDS"])
    assert eventually(lambda: time.monotonic() > until)
