"""Rows of Dagster's that retention looks at."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

from dagster import DagsterRunStatus


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
        """The run of a row; one that never began ended when it was created."""
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
        """The observation of a row."""
        return cls(key, partition or "", at.replace(tzinfo=UTC))
