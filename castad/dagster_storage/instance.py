"""Dagster's instance, safe for many runs in one process."""

import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

from dagster import (
    DagsterEventType,
    DagsterInstance,
    DagsterInvalidSubsetError,
    DagsterRun,
    DagsterRunNotFoundError,
    EventLogEntry,
)

from resources.dagster.internals import DagsterRunAlreadyExists, InstanceRef, ReexecutionStrategy

_ENDS = {DagsterEventType.RUN_CANCELED, DagsterEventType.RUN_FAILURE, DagsterEventType.RUN_SUCCESS}
_NOTHING_TO_RESUME = (DagsterRunNotFoundError, DagsterInvalidSubsetError)
"""What Dagster raises where its event log does not show which steps are left."""
_NOT_AFTER_AN_END = _ENDS | {DagsterEventType.RUN_CANCELING}
_SCHEDULED_RUNS = UUID("281ae03a-9cd4-4fe9-a092-b3687953cd9a")
_SCHEDULE_TAG = "dagster/schedule_name"
_SCHEDULED_AT_TAG = ".dagster/scheduled_execution_time"
_RUN_KEY_TAG = "dagster/run_key"


def _get_scheduled_id(job: str, tags: Mapping[str, Any]) -> str | None:
    """Return the id of the one run of this job for this time of its schedule; None without a schedule."""
    schedule, at = tags.get(_SCHEDULE_TAG), tags.get(_SCHEDULED_AT_TAG)
    if not schedule or not at:
        return None
    return str(uuid5(_SCHEDULED_RUNS, "\0".join((job, schedule, at, tags.get(_RUN_KEY_TAG, "")))))


class CastadInstance(DagsterInstance):
    """The instance class of dagster.yaml.

    The stock class reconfigures Python's logging for every run as soon as dagster.yaml has any log setting; two
    runs that start in one process at the same time then deadlock.
    """

    @classmethod
    def config_schema(cls) -> Mapping[str, Any]:
        """Return no settings beyond Dagster's own."""
        return {}

    @classmethod
    def config_defaults(cls, base_dir: str) -> Mapping[str, Any]:
        """Return Dagster's own defaults."""
        return InstanceRef.config_defaults(base_dir)

    def get_yaml_python_handlers(self) -> Sequence[logging.Handler]:
        """Return no handlers: dagster.yaml configures none."""
        return []

    def dispose(self) -> None:
        """Close all storages; the stock class omits the schedule storage."""
        super().dispose()
        if self.schedule_storage is not None:
            self.schedule_storage.dispose()

    def handle_new_event(self, event: EventLogEntry, *, batch_metadata: Any = None) -> None:
        """Store the event, unless it ends a run that has ended in the log: the first end counts.

        A worker that was declared lost ends its run too, as soon as it finds its lease lost.
        """
        if event.dagster_event_type in _NOT_AFTER_AN_END:
            found = self.event_log_storage.get_records_for_run(event.run_id, of_type=_ENDS, limit=1)
            if found.records:
                self._close_row(found.records[0].event_log_entry)
                return
        super().handle_new_event(event, batch_metadata=batch_metadata)

    def _close_row(self, ended: EventLogEntry) -> None:
        """Write the logged end to the run's row: a process may have died between the two writes."""
        run = self.get_run_by_id(ended.run_id)
        if run is not None and not run.is_finished and ended.dagster_event is not None:
            at = datetime.fromtimestamp(ended.timestamp, UTC)
            self.run_storage.handle_run_event(ended.run_id, ended.dagster_event, at)

    def create_run(
        self, *, run_id: str | None, tags: Mapping[str, Any] | None, **known: Any
    ) -> DagsterRun:
        """Create a run; where another daemon has created it for the same time of a schedule, return that one.

        Dagster's scheduler looks whether the run exists and creates it later, so that two daemons would both.
        """
        scheduled = run_id is None and known.get("parent_run_id") is None
        own_id = _get_scheduled_id(known["job_name"], tags or {}) if scheduled else None
        try:
            return super().create_run(run_id=own_id or run_id, tags=tags, **known)
        except DagsterRunAlreadyExists:
            found = None if own_id is None else self.get_run_by_id(own_id)
            if found is None:
                raise
            return found

    def create_reexecuted_run(self, *, strategy: ReexecutionStrategy, **known: Any) -> DagsterRun:
        """Create the run that executes another one again.

        Where Dagster cannot determine the steps that are left, because a parent run was deleted, the run has all
        steps; completed stages are reused from the ledger.
        """
        try:
            return super().create_reexecuted_run(strategy=strategy, **known)
        except _NOTHING_TO_RESUME:
            return super().create_reexecuted_run(strategy=ReexecutionStrategy.ALL_STEPS, **known)
