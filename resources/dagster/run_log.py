"""A run's log lines outside of Dagster's event log: in a worker, castad's own lines with the request's task_id."""

import logging
from collections.abc import Mapping
from typing import Any

from dagster import DagsterEvent, InitLoggerContext, colored_console_logger, logger

from resources.dagster.request_runs import TASK_ID_TAG
from resources.process.configure_logging import LOG_FIELDS
from resources.process.traceback_log import append_traceback

_log = logging.getLogger("castad.run")
_NOT_FOUND = "DagsterRunNotFoundError"
_CONSOLE = {"log_level": "INFO", "name": "dagster"}


class _OrderFilter(logging.Filter):
    """Messages of stages carry their task_id; Dagster's events are dropped, except for unexpected errors."""

    def filter(self, record: logging.LogRecord) -> bool:
        dagster_meta = getattr(record, "dagster_meta", None)
        if dagster_meta is None:
            return True
        fields = getattr(record, LOG_FIELDS, None) or _log_fields_of(dagster_meta)
        event: DagsterEvent | None = dagster_meta["dagster_event"]
        bug = None if event is None else _unexpected_error(event)
        record.msg, record.args = dagster_meta["orig_message"], ()
        if bug is not None and _says_deleted(bug):
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.msg = "run deleted while it was executed"
        elif bug is not None:
            log = append_traceback(bug.to_string(), f"castad.run {fields}")
            record.msg = f"{bug.message.strip().splitlines()[0]}; the trace is in {log}"
        setattr(record, LOG_FIELDS, fields)
        # Dagster logs the steps that it skips after a failure as errors without an event.
        return bug is not None or (event is None and record.levelno < logging.ERROR)


def _log_fields_of(dagster_meta: Mapping[str, Any]) -> Mapping[str, Any]:
    task_id = dagster_meta["job_tags"].get(TASK_ID_TAG)
    return {"task_id": task_id} if task_id else {"run_id": dagster_meta["run_id"]}


def _unexpected_error(event: DagsterEvent) -> Any:
    """The error of a run or step that failed without an error of castad's; None elsewhere."""
    data = event.event_specific_data
    if event.is_step_failure and getattr(data, "user_failure_data", None) is None:
        return getattr(data, "error", None)
    if event.is_run_failure and getattr(data, "first_step_failure_event", None) is None:
        return getattr(data, "error", None)
    return None


def _says_deleted(bug: Any) -> bool:
    """Whether the error's cause is a run that is no longer in Dagster's storage: a user has deleted it."""
    return bug is not None and (bug.cls_name == _NOT_FOUND or _says_deleted(bug.cause))


_log.addFilter(_OrderFilter())


@logger(None, "One line per message, with the task_id; Dagster's console where castad has no log")
def run_console(context: InitLoggerContext) -> logging.Logger:
    """The logger of a run's messages."""
    if logging.getLogger().handlers:
        return _log
    return colored_console_logger.logger_fn(InitLoggerContext(_CONSOLE))
