"""Run a worker process: threads of Celery's pool execute whole Dagster runs on one shared instance."""

import logging
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from celery import Celery, signals
from dagster import DagsterInstance, DagsterRun

from castad.dagster_storage.event_log import claim_run
from castad.dagster_storage.storage import open_worker_instance
from castad.direct.pool import list_targets
from castad.engine.app import EXECUTE_RUN, get_broker_name, make_app, raise_if_broker_refuses
from castad.engine.on_demand import wait_until_idle
from pipeline_defs.catalog import Catalog, get_catalog
from resources.dagster.internals import (
    EngineEventData,
    JobPythonOrigin,
    execute_run_iterator,
    recon_job_from_origin,
    serializable_error_info_from_exc_info,
)
from resources.dagster.request_resource import TASK_ID_TAG, WAITING_STATUSES, worker_process
from resources.delivery.spool import make_spool_loop, open_spool
from resources.ledger.db.retry import retry_for
from resources.ledger.workers.worker import Worker
from resources.process.configure_logging import LOG_FIELDS, configure_logging
from resources.process.settings import Settings

_log = logging.getLogger("castad.worker")
_ENDS = {
    "PIPELINE_SUCCESS": "succeeded",
    "PIPELINE_FAILURE": "failed",
    "PIPELINE_CANCELED": "canceled",
}
_COULD_NOT_STOP = 70  # EX_SOFTWARE of sysexits.h


def execute(instance: DagsterInstance, run_id: str, retry_seconds: float = 0) -> None:
    """Execute the run to its end, unless another worker claimed it or it has ended.

    The claim is retried for `retry_seconds` while the database does not answer. Where its reply is lost, the run
    counts as claimed by another worker, and `rescue_sensor` rescues its request.
    """
    run = instance.get_run_by_id(run_id)
    if run is None or run.status not in WAITING_STATUSES:
        _log.info("run skipped: it has started or ended", extra={LOG_FIELDS: {"run_id": run_id}})
        return
    if not retry_for(partial(claim_run, instance, run_id), retry_seconds):
        _log.info("run skipped: another worker claimed it", extra={LOG_FIELDS: {"run_id": run_id}})
        return
    started, last = time.monotonic(), None
    try:
        # The run as read before the claim: Dagster executes only runs in a status before STARTED.
        for event in execute_run_iterator(_load_job(run), run, instance):
            last = event.event_type_value
    except BaseException:
        _fail_run(instance, run_id)
        raise
    finally:
        _log_end(run, last, time.monotonic() - started)


def _log_end(run: DagsterRun, last: str | None, seconds: float) -> None:
    """Log the end of a run in one line; its events are in Dagster's log."""
    fields = {"task_id": run.tags.get(TASK_ID_TAG), "run_id": run.run_id}
    ended = _ENDS.get(str(last), "interrupted")
    _log.info("run ended: %s after %.1f s", ended, seconds, extra={LOG_FIELDS: fields})


def _load_job(run: DagsterRun) -> Any:
    origin = run.job_code_origin
    if not isinstance(origin, JobPythonOrigin):
        raise TypeError(
            f"run {run.run_id} names no code origin; expected a Python origin of its job"
        )
    return recon_job_from_origin(origin)


def _fail_run(instance: DagsterInstance, run_id: str) -> None:
    """Mark a run as FAILED if its execution raised without ending it."""
    run = instance.get_run_by_id(run_id)
    if run is None or run.is_finished:
        return
    error = serializable_error_info_from_exc_info(sys.exc_info())
    instance.report_engine_event(error.message, run, EngineEventData.engine_error(error))
    instance.report_run_failed(run)


def run_worker(
    settings: Settings, slots: int, queues: Collection[str] = (), *, while_needed: bool
) -> int:
    """Consume runs of these queues, or of all, until a stop request; return the exit code.

    With `while_needed` it stops once no process that could launch a run is left. It waits for a broker that is
    down. Raises BrokerRefusesError, and InvalidInputError for a queue that does not exist.
    """
    get_catalog().resolve_stage_settings(settings)
    served = [get_catalog().check_queue(queue) for queue in queues]
    raise_if_broker_refuses(settings)
    _configure_logs()
    instance = open_worker_instance(settings)
    app = make_app(settings, served or get_catalog().queues)

    @app.task(name=EXECUTE_RUN)  # type: ignore[untyped-decorator] # the library has no types
    def execute_run(run_id: str) -> None:
        execute(instance, run_id, settings.database_patience)

    limits = _load_pipelines().collect_limits(settings)
    delivery = make_spool_loop(open_spool(settings.home), list_targets(get_catalog()))
    with (
        worker_process.shared_worker(settings, slots, limits, served or None) as (_, worker),
        _drain_on_shutdown(worker, settings.stop_grace),
    ):
        fields = {"worker": worker.name, "slots": slots, "broker": get_broker_name(settings)}
        _log.info("worker started", extra={LOG_FIELDS: fields})
        delivery.stay_awake()
        if while_needed:
            threading.Thread(target=_stop_when_idle, args=(settings,), daemon=True).start()
        try:
            return _run_celery_worker(app, slots)
        finally:
            delivery.rest()


def _configure_logs() -> None:
    warnings.simplefilter("ignore")
    configure_logging()
    # Every event of a run is in Dagster's event log; this log would repeat it.
    logging.getLogger("dagster").setLevel(logging.CRITICAL)


def _load_pipelines() -> Catalog:
    """Load the pipelines and everything that runs import, so that the first run does not wait for it."""
    from pipeline_defs.definitions import defs

    defs()
    return get_catalog()


def _run_celery_worker(app: Celery, slots: int) -> int:
    celery_worker = app.Worker(
        pool="threads",
        concurrency=slots,
        loglevel=logging.WARNING,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        quiet=True,
    )
    celery_worker.start()
    return int(celery_worker.exitcode or 0)


@contextmanager
def _drain_on_shutdown(worker: Worker, grace: float) -> Iterator[None]:
    """Drain the worker's attempts on a stop request, and exit after the grace at the latest."""

    def drain(**known: Any) -> None:
        worker.drain()
        last = threading.Timer(grace, _exit_after_grace, args=(grace,))
        last.daemon = True
        last.start()

    signals.worker_shutting_down.connect(drain)
    try:
        yield
    finally:
        signals.worker_shutting_down.disconnect(drain)


def _exit_after_grace(grace: float) -> None:
    _log.error(
        "stop grace exceeded; unfinished requests are rescued", extra={LOG_FIELDS: {"grace": grace}}
    )
    logging.shutdown()
    os._exit(_COULD_NOT_STOP)


def _stop_when_idle(settings: Settings) -> None:
    if wait_until_idle(settings, threading.Event()):
        os.kill(os.getpid(), signal.SIGTERM)
