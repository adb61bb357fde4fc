"""Dagster's storage: SQLite in the state folder, or the Postgres that the ledger uses."""

import sys
from collections.abc import Mapping
from typing import Any, Self

from dagster import DagsterInstance

from castad.dagster_storage.home import make_dagster_home
from castad.dagster_storage.pooled_postgres import (
    PostgresEvents,
    PostgresRuns,
    PostgresTicks,
    open_postgres,
)
from castad.dagster_storage.pooled_sqlite import SqliteEvents, SqliteRuns, SqliteTicks, open_sqlite
from resources.dagster.internals import ConfigurableClass, DagsterStorage, InstanceRef
from resources.ledger.db.retry import retry_for
from resources.process.file_locks import exclusive_file_lock
from resources.process.settings import Settings, settings

# A code server that does not start leaves the daemon without definitions until it loads the workspace again,
# a minute later (RELOAD_WORKSPACE_INTERVAL of dagster.daemon 1.13).
_CODE_SERVER_WAIT = 20.0


_Storages = (
    tuple[PostgresEvents, PostgresRuns, PostgresTicks]
    | tuple[SqliteEvents, SqliteRuns, SqliteTicks]
)


class CastadStorage(DagsterStorage[Any], ConfigurableClass):
    """The storage class of dagster.yaml; the settings choose the database."""

    def __init__(self, storages: _Storages, inst_data: Any) -> None:
        self._events: PostgresEvents | SqliteEvents = storages[0]
        self._runs: PostgresRuns | SqliteRuns = storages[1]
        self._ticks: PostgresTicks | SqliteTicks = storages[2]
        self._inst_data = inst_data
        super().__init__()  # type: ignore[no-untyped-call] # the library has no types

    @property
    def event_log_storage(self) -> PostgresEvents | SqliteEvents:
        """The storage of events."""
        return self._events

    @property
    def run_storage(self) -> PostgresRuns | SqliteRuns:
        """The storage of runs."""
        return self._runs

    @property
    def schedule_storage(self) -> PostgresTicks | SqliteTicks:
        """The storage of ticks and cursors."""
        return self._ticks

    @classmethod
    def config_type(cls) -> Mapping[str, Any]:
        """Return no options: the settings configure it."""
        return {}

    @classmethod
    def from_config_value(cls, inst_data: Any, config_value: Mapping[str, Any]) -> Self:
        """Open the storage of this process' settings; a code server waits for a database that is unavailable."""
        wait = _CODE_SERVER_WAIT if sys.argv[1:3] == ["api", "grpc"] else 0.0
        return cls(retry_for(_open_storages, wait), inst_data)

    @property
    def inst_data(self) -> Any:
        """This class as configured in dagster.yaml."""
        return self._inst_data


class WorkerStorage(CastadStorage):
    """The storage of a worker: its calls are retried while the database is away, and events are buffered."""

    @classmethod
    def from_config_value(cls, inst_data: Any, config_value: Mapping[str, Any]) -> Self:
        """Open the storage of this process' settings."""
        made = super().from_config_value(inst_data, config_value)
        for storage in (made.event_log_storage, made.run_storage, made.schedule_storage):
            storage.retry_seconds = settings().database_patience
        made.event_log_storage.buffer_events()
        return made


def _open_storages() -> _Storages:
    config = settings()
    if config.database_url is not None:
        return open_postgres(config.database_url)
    with exclusive_file_lock(make_dagster_home(config) / ".opening"):
        return open_sqlite(config.home / "dagster")


def open_worker_instance(config: Settings) -> DagsterInstance:
    """Open Dagster's instance of this state, with `WorkerStorage` in place of the storage of dagster.yaml."""
    custom = {"module": __name__, "class": WorkerStorage.__name__, "config": {}}
    home = str(make_dagster_home(config))
    return DagsterInstance.from_ref(
        InstanceRef.from_dir(home, overrides={"storage": {"custom": custom}})
    )
