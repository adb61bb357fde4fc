"""How a run ends CANCELED, and not FAILURE, by castad's own decision."""

import logging

from dagster import DagsterInstance, DagsterRun, DagsterRunStatus

from resources.dagster.exit_message import set_exit_message
from resources.dagster.request_runs import FINISHED_STATUSES
from resources.process.configure_logging import LOG_FIELDS

_log = logging.getLogger("castad.run")


def report_canceling(
    instance: DagsterInstance, run: DagsterRun, task_id: str | None, sentence: str
) -> None:
    """The run is CANCELING; the sentence is in its event log and the worker's log, and the last that is printed.

    It ends CANCELED when its steps or its resource raise.
    """
    now = instance.get_run_by_id(run.run_id)
    if now is not None and now.status not in (DagsterRunStatus.CANCELING, *FINISHED_STATUSES):
        instance.report_run_canceling(now, message=sentence)
    fields = {"task_id": task_id, "run_id": run.run_id}
    _log.info("run canceled: %s", sentence, extra={LOG_FIELDS: fields})
    set_exit_message(sentence)
