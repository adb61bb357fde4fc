"""A castad at work, seen from beside it: its ledger, its Dagster, and the processes that a test may kill."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dagster import DagsterInstance, DagsterRunStatus, RunsFilter
from sqlalchemy import text

from resources.dagster.request_resource import TASK_ID_TAG
from resources.ledger.db.database import Database
from resources.ledger.queries.overview import build_overview
from resources.ledger.queries.status import get_request
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from tests.eventually import eventually
from tests.integration.vendor_house import BRIEF, Vendors
from tests.waiting_make import NEVER

_PATIENCE = 120.0


@dataclass(frozen=True)
class Stack:
    """What works on a state folder, and a second connection to its ledger."""

    home: Path
    db: Database
    instance: DagsterInstance

    def by_sql(self, statement: str, **values: object) -> None:
        with self.db.writing() as tx:
            tx.execute(text(statement), values)

    def order(self, task_id: str, **fields: object) -> None:
        """By plain SQL, with these fields of the brief."""
        self.by_sql(
            "INSERT INTO requests (task_id, payload) VALUES (:task_id, :payload)",
            task_id=task_id,
            payload=json.dumps({**BRIEF, **fields}),
        )

    def request(self, task_id: str) -> Request:
        return get_request(self.db, task_id)

    def attempts_of(self, task_id: str) -> list[str | None]:
        """How each attempt ended, None being the one that is at work or went well."""
        return [view.error_code for view in build_overview(self.db, task_id).attempts]

    def worker_pid(self, task_id: str) -> int:
        """The process that bears the name under which the request is held, as its lock tells."""
        owner = self.request(task_id).lease_owner
        assert owner is not None
        number = owner.split(":")[0].rsplit("-", 1)[1]
        return int((self.home / "workers" / f"{number}.lock").read_text())

    def until(self, what: str, seen: Callable[[], bool]) -> None:
        assert eventually(seen, _PATIENCE), f"waited {_PATIENCE} s for {what}"

    def until_status(self, task_id: str, status: Status) -> None:
        self.until(f"{task_id} {status}", lambda: self.request(task_id).status is status)

    def until_waiting_in(self, task_id: str, stage: str) -> None:
        self.until(f"{task_id} in {stage}", lambda: self._waits_in(task_id, stage))

    def _waits_in(self, task_id: str, stage: str) -> bool:
        with self.db.reading() as tx:
            job = text(
                "SELECT 1 FROM provider_jobs j JOIN requests r ON r.id = j.request_id "
                "WHERE r.task_id = :task_id AND j.stage = :stage AND j.status = 'submitted'"
            )
            return tx.execute(job, {"task_id": task_id, "stage": stage}).first() is not None

    def until_runs_are(self, task_id: str, status: DagsterRunStatus) -> None:
        self.until(f"runs of {task_id} {status}", lambda: self.run_statuses(task_id) == {status})

    def run_statuses(self, task_id: str) -> set[DagsterRunStatus]:
        runs = self.instance.get_runs(RunsFilter(tags={TASK_ID_TAG: task_id}))
        return {run.status for run in runs}

    def assert_made_good_after_a_death(self, task_id: str, stage: str) -> None:
        """Its worker was lost in this stage, which was tried again, and none that was done."""
        self.until_status(task_id, Status.COMPLETED)
        failed = DagsterRunStatus.FAILURE
        self.until(f"{task_id} {failed}", lambda: failed in self.run_statuses(task_id))
        tries = {view.stage: view.attempts for view in build_overview(self.db, task_id).stages}
        assert self.attempts_of(task_id) == ["worker_lost", None]
        assert [name for name, count in tries.items() if count > 1] == [stage]
        assert self.request(task_id).retry_count == 0


@contextmanager
def held_in(vendors: Vendors, stage: str) -> Iterator[None]:
    """What is ordered for this stage is not done before the block ends."""
    vendor = {"song": vendors.suno, "video": vendors.creatomate}[stage]
    vendor.set(delay=NEVER)
    try:
        yield
    finally:
        vendor.set(delay=0)
