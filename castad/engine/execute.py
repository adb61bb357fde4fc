"""Execute one Dagster run in this process, at most once however often the broker delivers it."""

import logging
import sys
import time
from functools import partial

from dagster import DagsterInstance, DagsterRun

from castad.dagster_storage.claim_once import claim_run
from resources.dagster.internals import (
    EngineEventData,
    JobPythonOrigin,
    ReconstructableJob,
    execute_run_iterator,
    recon_job_from_origin,
    serializable_error_info_from_exc_info,
)
from resources.dagster.request_runs import TASK_ID_TAG, WAITING_STATUSES
from resources.ledger.db.retry import retry_for
from resources.process.configure_logging import LOG_FIELDS

_log = logging.getLogger("castad.worker")
_ENDS = {
    "PIPELINE_SUCCESS": "succeeded",
    "PIPELINE_FAILURE": "failed",
    "PIPELINE_CANCELED": "canceled",
}


def execute(instance: DagsterInstance, run_id: str, retry_seconds: float = 0) -> None:
    """The run has been executed to its end, unless another worker claimed it or it was over.

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
        for event in execute_run_iterator(_job_of(run), run, instance):
            last = event.event_type_value
    except BaseException:
        _fail_run(instance, run_id)
        raise
    finally:
        _log_end(run, last, time.monotonic() - started)


def _log_end(run: DagsterRun, last: str | None, seconds: float) -> None:
    """One line in the worker's log; the run's events are in Dagster's."""
    fields = {"task_id": run.tags.get(TASK_ID_TAG), "run_id": run.run_id}
    ended = _ENDS.get(str(last), "interrupted")
    _log.info("run ended: %s after %.1f s", ended, seconds, extra={LOG_FIELDS: fields})


def _job_of(run: DagsterRun) -> ReconstructableJob:
    origin = run.job_code_origin
    if not isinstance(origin, JobPythonOrigin):
        raise TypeError(
            f"run {run.run_id} names no code origin; expected a Python origin of its job"
        )
    return recon_job_from_origin(origin)


def _fail_run(instance: DagsterInstance, run_id: str) -> None:
    """A run whose execution raised without ending it is FAILED."""
    run = instance.get_run_by_id(run_id)
    if run is None or run.is_finished:
        return
    error = serializable_error_info_from_exc_info(sys.exc_info())
    instance.report_engine_event(error.message, run, EngineEventData.engine_error(error))
    instance.report_run_failed(run)
