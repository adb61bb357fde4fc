"""Dagster's storage: SQLite in the state folder, or the Postgres that the ledger uses."""

import inspect
import sys
import threading
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from dagster import DagsterInstance

from castad.dagster_storage.home import dagster_home
from castad.dagster_storage.pooled_postgres import PooledPostgresStorage
from castad.dagster_storage.pooled_sqlite import PooledSqliteStorage
from resources.dagster.internals import (
    ConfigurableClass,
    ConfigurableClassData,
    DagsterStorage,
    EventLogStorage,
    RunStorage,
    ScheduleStorage,
    UserConfigSchema,
)
from resources.ledger.db.retry import retry_for
from resources.process.file_locks import exclusive_file_lock
from resources.process.settings import Settings, settings

# A code server that does not start leaves the daemon without definitions until it loads the workspace again,
# a minute later (RELOAD_WORKSPACE_INTERVAL of dagster.daemon 1.13).
_CODE_SERVER_WAIT = 20.0


class CastadStorage(DagsterStorage[Any], ConfigurableClass):
    """The storage class of dagster.yaml; the settings choose the database."""

    def __init__(
        self, chosen: DagsterStorage[Any], inst_data: ConfigurableClassData | None
    ) -> None:
        self._chosen = chosen
        self._inst_data = inst_data
        super().__init__()  # type: ignore[no-untyped-call] # the library has no types

    @classmethod
    def config_type(cls) -> UserConfigSchema:
        """Empty: the settings configure it."""
        return {}

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> "CastadStorage":
        """The storage of this process' settings; a code server waits for a database that is unavailable."""
        wait = _CODE_SERVER_WAIT if _is_code_server() else 0.0
        return cls(retry_for(lambda: _storage_of(settings()), wait), inst_data)

    @property
    def inst_data(self) -> ConfigurableClassData | None:
        """This class as configured in dagster.yaml."""
        return self._inst_data

    @property
    def event_log_storage(self) -> EventLogStorage[Any]:
        """The storage of events."""
        return self._chosen.event_log_storage

    @property
    def run_storage(self) -> RunStorage[Any]:
        """The storage of runs."""
        return self._chosen.run_storage

    @property
    def schedule_storage(self) -> ScheduleStorage[Any]:
        """The storage of ticks and cursors."""
        return self._chosen.schedule_storage


def _is_code_server() -> bool:
    return sys.argv[1:3] == ["api", "grpc"]


def _storage_of(config: Settings) -> DagsterStorage[Any]:
    if config.database_url is not None:
        return PooledPostgresStorage(config.database_url)
    # Without the lock, two processes that make the files would overwrite each other's.
    with exclusive_file_lock(dagster_home(config) / ".opening"):
        return PooledSqliteStorage(config.home / "dagster")


_NOT_RETRIED = frozenset(
    {"dispose", "end_watch", "optimize_for_webserver", "register_instance", "watch"}
)


def install_storage_retries(instance: DagsterInstance, seconds: float) -> None:
    """From now on, calls of the instance's storages are retried for `seconds` after transient database errors.

    A call whose reply was lost is repeated: Dagster's event log may then hold an event twice, and its readers
    tolerate that; it never lacks one.
    """
    storages: tuple[tuple[object, type], ...] = (
        (instance.event_log_storage, EventLogStorage),
        (instance.run_storage, RunStorage),
        (instance.schedule_storage, ScheduleStorage),
    )
    retrying = threading.local()
    for storage, kind in storages:
        for name, _ in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_") and name not in _NOT_RETRIED:
                # On the object: Dagster requires its own class.
                setattr(storage, name, _with_retries(getattr(storage, name), retrying, seconds))


def _with_retries(
    call: Callable[..., Any], retrying: threading.local, seconds: float
) -> Callable[..., Any]:
    """The call with retries; calls that a storage makes of itself inside one are not retried separately."""

    @wraps(call)
    def retried(*args: Any, **kwargs: Any) -> Any:
        if getattr(retrying, "is_active", False):
            return call(*args, **kwargs)
        retrying.is_active = True
        try:
            return retry_for(lambda: call(*args, **kwargs), seconds)
        finally:
            retrying.is_active = False

    return retried
