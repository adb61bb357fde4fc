"""Execute one Dagster run in this process, at most once however often it is delivered."""

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

_log = logging.getLogger("castad.worker")
_ENDS = {
    "PIPELINE_SUCCESS": "succeeded",
    "PIPELINE_FAILURE": "failed",
    "PIPELINE_CANCELED": "was canceled",
}


def execute(instance: DagsterInstance, run_id: str, retry_seconds: float = 0) -> None:
    """The run has been executed to its end, unless somebody else had it before or it was over.

    The database may be away for `patience` seconds meanwhile. Where the reply to the taking itself is lost,
    the run counts as somebody else's: `rescue_sensor` gives its request another one.
    """
    run = instance.get_run_by_id(run_id)
    if run is None or run.status not in WAITING_STATUSES:
        _log.info("run %s is over or at work: nothing to do", run_id)
        return
    if not retry_for(partial(claim_run, instance, run_id), retry_seconds):
        _log.info("run %s was taken by somebody else: nothing to do", run_id)
        return
    began, last = time.monotonic(), None
    try:
        # As it was read before it was taken: Dagster starts only what stands at STARTING.
        for event in execute_run_iterator(_job_of(run), run, instance):
            last = event.event_type_value
    except BaseException:
        _fail_run(instance, run_id)
        raise
    finally:
        _log_end(run, last, time.monotonic() - began)


def _log_end(run: DagsterRun, last: str | None, seconds: float) -> None:
    """A line in the worker's log; what happened in the run stands in Dagster's."""
    facts = {"task_id": run.tags.get(TASK_ID_TAG), "run_id": run.run_id}
    ended = _ENDS.get(str(last), "broke off")
    _log.info("run %s after %.1f s", ended, seconds, extra={"facts": facts})


def _job_of(run: DagsterRun) -> ReconstructableJob:
    origin = run.job_code_origin
    if not isinstance(origin, JobPythonOrigin):
        raise TypeError(f"run {run.run_id} does not say where its job's code is")
    return recon_job_from_origin(origin)


def _fail_run(instance: DagsterInstance, run_id: str) -> None:
    """A run that could not even end by itself is a failed one."""
    run = instance.get_run_by_id(run_id)
    if run is None or run.is_finished:
        return
    error = serializable_error_info_from_exc_info(sys.exc_info())
    instance.report_engine_event(error.message, run, EngineEventData.engine_error(error))
    instance.report_run_failed(run)
