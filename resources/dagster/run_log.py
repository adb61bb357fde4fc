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
    """A log filter that lets pass the messages of stages, and of Dagster's events only unexpected errors."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is logged; rewrite its message and fields."""
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
    """Return the task_id of a message's run as log fields; the run id if the run has no task_id."""
    task_id = dagster_meta["job_tags"].get(TASK_ID_TAG)
    return {"task_id": task_id} if task_id else {"run_id": dagster_meta["run_id"]}


def _find_unexpected_error(event: DagsterEvent) -> Any:
    """Return the error of a run or step that failed without an error of castad's; None for any other event."""
    data = event.event_specific_data
    if event.is_step_failure and getattr(data, "user_failure_data", None) is None:
        return getattr(data, "error", None)
    if event.is_run_failure and getattr(data, "first_step_failure_event", None) is None:
        return getattr(data, "error", None)
    return None


def _is_of_deleted_run(bug: Any) -> bool:
    """Return whether the error's cause is that a user has deleted the run from Dagster's storage."""
    return bug is not None and (bug.cls_name == _NOT_FOUND or _is_of_deleted_run(bug.cause))


_log.addFilter(_OrderFilter())


@logger(None, "One line per message, with the task_id; Dagster's console where castad has no log")
def run_console(context: InitLoggerContext) -> logging.Logger:
    """Return the logger of a run's messages.

    It is castad's logger, or Dagster's console logger if no log handler is configured.
    """
    if logging.getLogger().handlers:
        return _log
    return colored_console_logger.logger_fn(InitLoggerContext(_CONSOLE))


@dataclass(frozen=True)
class OldRun:
    """A Dagster run: when it was created and ended, and the task_id of its order, None if it has none."""

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
        """Build the run from a row's values; a run that never began counts as ended when it was created.

        `created` is in UTC without a time zone, `end_time` in seconds since the epoch.
        """
        at = created.replace(tzinfo=UTC)
        ended = at if end_time is None else datetime.fromtimestamp(end_time, UTC)
        return cls(key, run_id, status, task_id, ended, at)


@dataclass(frozen=True)
class OldObservation:
    """An observation of an order's event in Dagster's event log."""

    id: int
    task_id: str
    at: datetime

    @classmethod
    def of(cls, key: int, partition: str | None, at: datetime) -> Self:
        """Build the observation from a row's values.

        `at` is in UTC without a time zone. The partition is the task_id.
        """
        return cls(key, partition or "", at.replace(tzinfo=UTC))
