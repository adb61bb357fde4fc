"""Log the messages of runs, and read ended runs and observations out of Dagster's rows."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

from dagster import (
    DagsterEvent,
    DagsterRunStatus,
    InitLoggerContext,
    colored_console_logger,
    logger,
)

from resources.dagster.request_resource import TASK_ID_TAG
from resources.process.configure_logging import LOG_FIELDS, append_traceback

_log = logging.getLogger("castad.run")
_NOT_FOUND = "DagsterRunNotFoundError"
_CONSOLE = {"log_level": "INFO", "name": "dagster"}


class _OrderFilter(logging.Filter):
    """Messages of stages carry their task_id; Dagster's events are dropped, except for unexpected errors."""

    def filter(self, record: logging.LogRecord) -> bool:
        dagster_meta = getattr(record, "dagster_meta", None)
        if dagster_meta is None:
            return True
        fields = getattr(record, LOG_FIELDS, None) or _get_log_fields(dagster_meta)
        event: DagsterEvent | None = dagster_meta["dagster_event"]
        bug = None if event is None else _find_unexpected_error(event)
        record.msg, record.args = dagster_meta["orig_message"], ()
        if bug is not None and _is_of_deleted_run(bug):
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.msg = "run deleted while it was executed"
        elif bug is not None:
            log = append_traceback(bug.to_string(), f"castad.run {fields}")
            record.msg = f"{bug.message.strip().splitlines()[0]}; the trace is in {log}"
        setattr(record, LOG_FIELDS, fields)
        # Dagster logs the steps that it skips after a failure as errors without an event.
        return bug is not None or (event is None and record.levelno < logging.ERROR)


def _get_log_fields(dagster_meta: Mapping[str, Any]) -> Mapping[str, Any]:
    task_id = dagster_meta["job_tags"].get(TASK_ID_TAG)
    return {"task_id": task_id} if task_id else {"run_id": dagster_meta["run_id"]}


def _find_unexpected_error(event: DagsterEvent) -> Any:
    """Return the error of a run or step that failed without an error of castad's; None elsewhere."""
    data = event.event_specific_data
    if event.is_step_failure and getattr(data, "user_failure_data", None) is None:
        return getattr(data, "error", None)
    if event.is_run_failure and getattr(data, "first_step_failure_event", None) is None:
        return getattr(data, "error", None)
    return None


def _is_of_deleted_run(bug: Any) -> bool:
    """Return whether the error's cause is a run that is no longer in Dagster's storage: a user has deleted it."""
    return bug is not None and (bug.cls_name == _NOT_FOUND or _is_of_deleted_run(bug.cause))


_log.addFilter(_OrderFilter())


@logger(None, "One line per message, with the task_id; Dagster's console where castad has no log")
def run_console(context: InitLoggerContext) -> logging.Logger:
    """Return the logger of a run's messages."""
    if logging.getLogger().handlers:
        return _log
    return colored_console_logger.logger_fn(InitLoggerContext(_CONSOLE))


@dataclass(frozen=True)
class OldRun:
    """A run: when it was created and ended, and the task_id of its order, if it has one."""

    id: int
    run_id: str
    status: DagsterRunStatus
    task_id: str | None
    ended_at: datetime
    created_at: datetime

    @classmethod
    def of(
        cls,
        key: int,
        run_id: str,
        status: DagsterRunStatus,
        task_id: str | None,
        end_time: float | None,
        created: datetime,
    ) -> Self:
        """Read the run of a row; one that never began ended when it was created."""
        at = created.replace(tzinfo=UTC)
        ended = at if end_time is None else datetime.fromtimestamp(end_time, UTC)
        return cls(key, run_id, status, task_id, ended, at)


@dataclass(frozen=True)
class OldObservation:
    """An event of an order in the event log."""

    id: int
    task_id: str
    at: datetime

    @classmethod
    def of(cls, key: int, partition: str | None, at: datetime) -> Self:
        """Read the observation of a row."""
        return cls(key, partition or "", at.replace(tzinfo=UTC))
