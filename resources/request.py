"""The Dagster resource `request`: a run claims its request at the start and hands the ops their attempt."""

import json
import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from dagster import ConfigurableResource, DagsterInstance, DagsterRun, InitResourceContext
from dagster._core.errors import DagsterExecutionInterruptedError
from dagster._core.storage.dagster_run import DagsterRunStatus

from resources.crash import crash_point
from resources.errors import CastadError
from resources.last_words import last_words
from resources.ledger.database import Database, open_database
from resources.ledger.lease import Attempt, Worker
from resources.ledger.moves.attempts import Claimant, NewOrder, claim
from resources.ledger.reads import get_request, task_id_of_run
from resources.ledger.request import Request, check_task_id
from resources.ledger.run_end import end_unfinished
from resources.settings import Settings, settings

_log = logging.getLogger("castad.request")

TASK_ID_TAG = "castad/task_id"
ATTEMPT_TAG = "castad/attempt"
RETRY_TAG = "castad/retry"


class RequestResource(ConfigurableResource[Attempt]):
    """Claims the run's request, or ends the run CANCELED with one sentence and nothing touched.

    `order` is the normalized payload as JSON text: never a config of str fields, which would let
    `{env: NAME}` print a secret into an order.
    """

    pipeline: str
    task_id: str | None = None
    order: str

    def same_order(self, stored: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
        """Whether two payloads mean the same."""
        return dict(stored) == dict(given)

    @contextmanager
    def yield_for_execution(self, context: InitResourceContext) -> Iterator[Attempt]:
        """Yield the attempt; whatever is still claimed at the end is given up."""
        instance, run = context.instance, context.dagster_run
        if instance is None or run is None:
            raise CastadError("the resource `request` works only inside a Dagster run")
        with _worker_of(settings()) as (db, worker):
            # `dagster job execute` opens the resources a second time after the run has ended.
            if _is_over(instance, run):
                yield Attempt(
                    db, get_request(db, self._task_id_of(db, run)), None, worker, settings()
                )
                return
            attempt = self._claim(instance, run, db, worker)
            try:
                instance.add_run_tags(run.run_id, _tags_of(attempt.request))
                crash_point("claim.after_claim")
                yield attempt
            finally:
                if attempt.lease is not None and not attempt.is_given_up:
                    stopped = _has_status(instance, run, DagsterRunStatus.CANCELING)
                    end_unfinished(attempt, canceled=stopped)

    def _claim(
        self, instance: DagsterInstance, run: DagsterRun, db: Database, worker: Worker
    ) -> Attempt:
        try:
            task_id = self._task_id_of(db, run)
            request, lease = claim(
                db,
                task_id,
                Claimant(run.run_id, worker.owner, _dispatched_as(run)),
                lease_seconds=worker.lease_seconds,
                poison_deaths=worker.poison_deaths,
                order=self._brought_order(run),
            )
        except CastadError as error:
            end_canceled(instance, run.run_id, error.message)
            last_words(error.message)
            raise DagsterExecutionInterruptedError(error.message) from None
        return Attempt(db, request, lease, worker, settings())

    def _task_id_of(self, db: Database, run: DagsterRun) -> str:
        """From the run's tag, its config, the request that its ancestors worked on, or its root run."""
        ancestors = [ancestor for ancestor in (run.parent_run_id, run.root_run_id) if ancestor]
        known = run.tags.get(TASK_ID_TAG) or self.task_id
        for ancestor in ancestors:
            known = known or task_id_of_run(db, ancestor)
        return check_task_id(known or f"run-{(run.root_run_id or run.run_id)[:8]}")

    def _brought_order(self, run: DagsterRun) -> NewOrder | None:
        """A run of the sensor and a re-execution work on the row as it stands, whatever their config."""
        if _dispatched_as(run) is not None or run.parent_run_id is not None:
            return None
        return NewOrder(self.pipeline, json.loads(self.order), self.same_order)


def _tags_of(request: Request) -> dict[str, str]:
    return {TASK_ID_TAG: request.task_id, ATTEMPT_TAG: str(request.attempt)}


def _dispatched_as(run: DagsterRun) -> int | None:
    attempt = run.tags.get(ATTEMPT_TAG)
    # A re-execution inherits its parent's tag; it is an attempt of its own.
    return int(attempt) if attempt and run.parent_run_id is None else None


def end_canceled(instance: DagsterInstance, run_id: str, sentence: str) -> None:
    """What ends the run from here on ends it CANCELED, with this sentence in its log."""
    run = instance.get_run_by_id(run_id)
    if run is not None and run.status is not DagsterRunStatus.CANCELING:
        instance.report_run_canceling(run, message=sentence)


def _is_over(instance: DagsterInstance, run: DagsterRun) -> bool:
    now = instance.get_run_by_id(run.run_id)
    return now is not None and now.is_finished


def _has_status(instance: DagsterInstance, run: DagsterRun, status: DagsterRunStatus) -> bool:
    now = instance.get_run_by_id(run.run_id)
    return now is not None and now.status is status


class _SharedWorker:
    """One worker for all runs of this process, beating while there is one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._worker: Worker | None = None

    @contextmanager
    def use(self, config: Settings) -> Iterator[tuple[Database, Worker]]:
        db = open_database(config.ledger_url)
        with self._lock:
            if self._worker is None:
                worker = Worker(db, config)
                worker.start()
                self._worker = worker
            self._users += 1
            worker = self._worker
        try:
            yield db, worker
        finally:
            with self._lock:
                self._users -= 1
                if self._users == 0:
                    self._worker = None
                    worker.stop()


_worker_of = _SharedWorker().use
