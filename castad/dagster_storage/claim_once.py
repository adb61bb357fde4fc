"""A run is claimed by one worker, once, and its later RUN_START event does not overwrite its status."""

from datetime import UTC, datetime

from dagster import DagsterEvent, DagsterEventType, DagsterInstance, DagsterRunStatus
from sqlalchemy import bindparam, update

from resources.dagster.internals import RunsTable, SqlRunStorage
from resources.dagster.request_runs import WAITING_STATUSES

_CLAIM_RUN = (
    update(RunsTable)
    .where(
        RunsTable.c.run_id == bindparam("of_id"),
        RunsTable.c.status.in_([status.value for status in WAITING_STATUSES]),
        RunsTable.c.start_time.is_(None),
    )
    .values(
        status=DagsterRunStatus.STARTED.value,
        start_time=bindparam("start_time"),
        update_timestamp=bindparam("update_timestamp"),
    )
)


def claim_run(instance: DagsterInstance, run_id: str) -> bool:
    """Whether this caller claimed the run: it went from waiting to STARTED, with a start time.

    Stock Dagster reads the status and writes it later, so two workers with the same run would both execute it.
    The start time makes the claim final: a daemon that was killed before it launched the run launches it after
    its restart and overwrites the status.
    """
    storage = instance.run_storage
    if not isinstance(storage, SqlRunStorage):
        raise TypeError(
            f"expected an SQL run storage in dagster.yaml, got {type(storage).__name__}"
        )
    now = datetime.now(UTC)
    values = {"of_id": run_id, "start_time": now.timestamp(), "update_timestamp": now}
    with storage.connect() as connection:
        return connection.execute(_CLAIM_RUN, values).rowcount == 1


class ClaimOnceRunStorage(SqlRunStorage):
    """A run storage in which a run starts once."""

    def handle_run_event(
        self, run_id: str, event: DagsterEvent, update_timestamp: datetime | None = None
    ) -> None:
        """The run's row has the status of the event; a RUN_START changes only an unclaimed run.

        The claim has set the status already, and the run may have been terminated since.
        """
        if event.event_type is DagsterEventType.RUN_START:
            run = self._get_run_by_id(run_id)
            if run is not None and run.status not in WAITING_STATUSES:
                return
        super().handle_run_event(run_id, event, update_timestamp)
