"""Launch runs on workers."""

import logging
import time
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from celery import Celery
from dagster import DagsterRun, DagsterRunStatus
from dagster_celery.launcher import CeleryRunLauncher
from kombu.exceptions import OperationalError

from castad.engine.app import make_app, publish
from castad.engine.on_demand import ensure_worker
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import CastadError
from resources.dagster.internals import CheckRunHealthResult, WorkerStatus
from resources.dagster.request_resource import PIPELINE_TAG, TASK_ID_TAG, get_dispatched_attempt
from resources.ledger.db.database import Database, open_database
from resources.ledger.limits import DEFAULT_QUEUE
from resources.ledger.queries.health import (
    RunHealth,
    assess_run_health,
    read_newest_attempt,
    read_open_run_ids,
)
from resources.ledger.queries.status import find_task_id_of_run, get_request
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.orders import DAGSTER, cancel_request
from resources.process.configure_logging import LOG_FIELDS
from resources.process.settings import settings

_log = logging.getLogger("castad.launcher")
_WORKING_RUNS_TTL = 2.0


class CastadRunLauncher(CeleryRunLauncher):
    """Dagster-celery's launcher with castad's app and task, and the ledger in place of a result backend.

    A run's Celery task id is its run id. While the broker is unreachable the run stays STARTING and
    `rescue_sensor` publishes it again: an outage fails no run.
    """

    def __init__(self, inst_data: Any = None) -> None:
        self._inst_data = inst_data
        self._working: frozenset[str] = frozenset()
        self._working_read_at = 0.0
        # Skips the stock launcher's constructor, which makes another app with further tasks.
        super(CeleryRunLauncher, self).__init__()  # type: ignore[no-untyped-call] # the library has no types

    @classmethod
    def config_type(cls) -> Mapping[str, Any]:
        """Return an empty schema: the settings configure the launcher."""
        return {}

    @classmethod
    def from_config_value(
        cls, inst_data: Any, config_value: Mapping[str, Any]
    ) -> "CastadRunLauncher":
        """Make a launcher for the broker of this process' settings."""
        return cls(inst_data)

    @cached_property
    def celery(self) -> Celery:
        """The Celery app, made at first use."""
        return make_app(settings(), get_catalog().queues)

    def launch_run(self, context: Any) -> None:
        """Publish the run; while the broker is unreachable it stays STARTING and is published again later."""
        run: DagsterRun = context.dagster_run
        self.ensure_worker()
        if not self.publish_run(run.run_id):
            self._instance.report_engine_event(
                "The broker cannot be reached; the run waits and is published again.",
                run,
                cls=self.__class__,
            )

    def publish_run(self, run_id: str) -> bool:
        """Publish the run, and return whether the broker accepted it; publishing it twice does no harm."""
        try:
            app = self.celery
        except OSError as error:  # the broker's folder cannot be made
            return _log_unpublished(run_id, error)
        try:
            publish(app, run_id, self._get_queue(run_id))
        except _list_broker_errors(app) as error:
            return _log_unpublished(run_id, error)
        return True

    def _get_queue(self, run_id: str) -> str:
        """Get the queue of the run's pipeline; with one queue, no run is read."""
        if get_catalog().queues == (DEFAULT_QUEUE,):
            return DEFAULT_QUEUE
        run = self._instance.get_run_by_id(run_id)
        return DEFAULT_QUEUE if run is None else get_catalog().get_queue(run.job_name)

    def ensure_worker(self) -> None:
        """Start a worker if workers are started on demand and none is alive."""
        ensure_worker(settings())

    def terminate(self, run_id: str) -> bool:
        """Cancel the run and its request; a run without work in progress ends at once."""
        run = self._instance.get_run_by_id(run_id)
        if run is None or run.is_finished:
            return False
        if run.status is not DagsterRunStatus.CANCELING:
            self._instance.report_run_canceling(run, message=_explain_way_back(run))
        if not self._cancel_request(run):
            self._instance.report_run_canceled(run)
        return True

    def _cancel_request(self, run: DagsterRun) -> bool:
        """Cancel the run's request; returns whether a worker executes the run and will end it."""
        db = self._open_ledger()
        task_id = run.tags.get(TASK_ID_TAG) or find_task_id_of_run(db, run.run_id)
        if task_id is None:
            return run.status is DagsterRunStatus.STARTED
        try:
            request = get_request(db, task_id)
            if _is_superseded(run, request):
                return False
            return cancel_request(db, task_id, DAGSTER).status is Status.PROCESSING
        except CastadError as error:
            fields = {"task_id": task_id, "run_id": run.run_id}
            _log.info("nothing to cancel: %s", error.message, extra={LOG_FIELDS: fields})
            return False

    @property
    def supports_resume_run(self) -> bool:
        """False, because a lost run's request is dispatched again and reuses completed stages."""
        return False

    def resume_run(self, context: Any) -> None:
        """Raise NotImplementedError."""
        raise NotImplementedError("a lost run is not resumed; its request is dispatched again")

    def check_run_worker_health(self, run: DagsterRun) -> CheckRunHealthResult:
        """Check the run's health by the ledger's leases; a run of any other job counts as running."""
        if PIPELINE_TAG not in run.tags or run.run_id in self._read_working_runs():
            return CheckRunHealthResult(WorkerStatus.RUNNING)
        health = assess_run_health(
            read_newest_attempt(self._open_ledger(), run.run_id),
            age=self._measure_age(run),
            grace=settings().lease_seconds,
        )
        if health is RunHealth.ALIVE:
            return CheckRunHealthResult(WorkerStatus.RUNNING)
        return CheckRunHealthResult(WorkerStatus.NOT_FOUND, health.value)

    def get_run_worker_debug_info(
        self, run: DagsterRun, include_container_logs: bool | None = True
    ) -> str | None:
        """Name the worker that last executed the run."""
        attempt = read_newest_attempt(self._open_ledger(), run.run_id)
        return None if attempt is None else f"worker {attempt.worker}"

    def _read_working_runs(self) -> frozenset[str]:
        """Read the ids of all open runs, cached: run monitoring checks all runs at about the same time."""
        if time.monotonic() - self._working_read_at > _WORKING_RUNS_TTL:
            self._working = read_open_run_ids(self._open_ledger())
            self._working_read_at = time.monotonic()
        return self._working

    def _measure_age(self, run: DagsterRun) -> float:
        record = self._instance.get_run_record_by_id(run.run_id)
        return 0.0 if record is None else time.time() - record.update_timestamp.timestamp()

    def _open_ledger(self) -> Database:
        return open_database(settings().ledger_url)


def _is_superseded(run: DagsterRun, request: Request) -> bool:
    """Check whether the request continues, or is about to continue, with another run."""
    if request.status is Status.PROCESSING:
        return request.run_id != run.run_id
    is_other_attempt = get_dispatched_attempt(run) not in (None, request.attempt)
    return request.status is Status.DISPATCHED and is_other_attempt


def _explain_way_back(run: DagsterRun) -> str | None:
    """Explain how to bring the run's request back; None, for Dagster's message, without a request."""
    task_id = run.tags.get(TASK_ID_TAG)
    if task_id is None:
        return None
    return (
        f"canceling the run and request {task_id}; executing the run again here, or `castad retry {task_id}`, "
        "brings it back"
    )


def _log_unpublished(run_id: str, error: BaseException) -> bool:
    fields = {"run_id": run_id, "error": type(error).__name__}
    _log.warning("run not published", extra={LOG_FIELDS: fields})
    return False


def _list_broker_errors(app: Celery) -> tuple[type[BaseException], ...]:
    """List kombu's errors for a broker that is down or hangs, and its transports' errors for a refusal."""
    broker = app.connection_for_write()
    return OperationalError, OSError, *broker.connection_errors, *broker.channel_errors
