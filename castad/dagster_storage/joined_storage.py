"""A storage of Dagster's that consists of one for events, one for runs and one for ticks."""

from typing import Any

from resources.dagster.internals import DagsterStorage, EventLogStorage, RunStorage, ScheduleStorage


class JoinedStorage(DagsterStorage[Any]):
    """The storage that consists of these three."""

    def __init__(
        self,
        events: EventLogStorage[Any],
        runs: RunStorage[Any],
        ticks: ScheduleStorage[Any],
    ) -> None:
        self._events, self._runs, self._ticks = events, runs, ticks
        super().__init__()  # type: ignore[no-untyped-call] # the library has no types

    @property
    def event_log_storage(self) -> EventLogStorage[Any]:
        """The storage of events."""
        return self._events

    @property
    def run_storage(self) -> RunStorage[Any]:
        """The storage of runs."""
        return self._runs

    @property
    def schedule_storage(self) -> ScheduleStorage[Any]:
        """The storage of ticks and cursors."""
        return self._ticks
