"""A process that makes one stage of one order, and stands still right before it would send it."""

import multiprocessing
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing.process import BaseProcess

import psutil

from pipeline_defs.catalog import get_catalog
from resources.contract.protocol import StageInput
from resources.files.artifacts import open_artifact_store
from resources.ledger.db.database import open_database
from resources.ledger.ledger_errors import LeaseLostError
from resources.ledger.transitions.claims import Claimant, claim_request
from resources.ledger.workers.attempt import Attempt
from resources.ledger.workers.worker import Worker
from resources.process.settings import settings
from resources.providers.vendor import make_provider
from tests.eventually import eventually
from tests.song_video import SONG_VIDEO
from tests.stage_contexts import buy

# Nothing is renewed but what is asked for, so that no beat stands still with a lock in its hands.
_CLOCK = {"lease_seconds": 1.0, "beat_seconds": 600.0}
_forks = multiprocessing.get_context("forkserver")


@dataclass(frozen=True)
class Sleeper:
    """The process; it stands still until it is woken."""

    process: BaseProcess

    def wake(self) -> None:
        """It has gone on, to its end."""
        assert self.process.pid is not None
        os.kill(self.process.pid, signal.SIGCONT)
        self.process.join()
        assert self.process.exitcode == 0


@contextmanager
def sleeper(stage: str, task_id: str, job_input: StageInput) -> Iterator[Sleeper]:
    """The job's intent is stored, its lease was looked at for the last time, and the process stands still."""
    environment = {**os.environ, "CASTAD_CRASH": f"{stage}.before_send:STOP"}
    process = _forks.Process(target=_make, args=(environment, stage, task_id, job_input))
    process.start()
    try:
        assert eventually(lambda: _stands_still(process))
        yield Sleeper(process)
    finally:
        process.kill()
        process.join()


def _stands_still(process: BaseProcess) -> bool:
    assert process.is_alive(), "it did not come to the point"
    return bool(psutil.Process(process.pid).status() == psutil.STATUS_STOPPED)


def _make(environment: Mapping[str, str], stage: str, task_id: str, job_input: StageInput) -> None:
    os.environ.update(environment)
    settings.cache_clear()
    clock = settings().model_copy(update=_CLOCK)
    db = open_database(clock.ledger_url)
    worker = Worker(db, clock)
    worker.start()
    claimant = Claimant("run", worker.owner, None)
    seconds, deaths = worker.settings.lease_seconds, worker.settings.poison_deaths
    request, lease = claim_request(
        db, task_id, claimant, lease_seconds=seconds, poison_deaths=deaths
    )
    plan = (
        replace(get_catalog().get_stage_settings(SONG_VIDEO, stage, clock), retry_seconds=0.001),
    )
    with suppress(LeaseLostError):
        buy(
            Attempt(db, request, lease, worker, clock, plan),
            stage,
            make_provider(plan[0].maker, stage, settings()),
            job_input,
            open_artifact_store(settings()),
        )
