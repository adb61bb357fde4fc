"""Dagster's storage: SQLite in the state folder, or the Postgres that the ledger uses."""

import inspect
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


class CastadStorage(DagsterStorage[Any], ConfigurableClass):
    """What dagster.yaml names, so that it needs no environment variable to be set."""

    def __init__(
        self, chosen: DagsterStorage[Any], inst_data: ConfigurableClassData | None
    ) -> None:
        self._chosen = chosen
        self._inst_data = inst_data
        super().__init__()

    @classmethod
    def config_type(cls) -> UserConfigSchema:
        """Nothing to configure: the settings decide."""
        return {}

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> "CastadStorage":
        """The storage of this process' settings."""
        return cls(_storage_of(settings()), inst_data)

    @property
    def inst_data(self) -> ConfigurableClassData | None:
        """How dagster.yaml named this class."""
        return self._inst_data

    @property
    def event_log_storage(self) -> EventLogStorage[Any]:
        """Where events are kept."""
        return self._chosen.event_log_storage

    @property
    def run_storage(self) -> RunStorage[Any]:
        """Where runs are kept."""
        return self._chosen.run_storage

    @property
    def schedule_storage(self) -> ScheduleStorage[Any]:
        """Where ticks and cursors are kept."""
        return self._chosen.schedule_storage


def _storage_of(config: Settings) -> DagsterStorage[Any]:
    if config.database_url is not None:
        return PooledPostgresStorage(config.database_url)
    # Of two that make Dagster's files at once, one would put its own in the place of those that the other writes.
    with exclusive_file_lock(dagster_home(config) / ".opening"):
        return PooledSqliteStorage(config.home / "dagster")


_NOT_RETRIED = frozenset(
    {"dispose", "end_watch", "optimize_for_webserver", "register_instance", "watch"}
)


def install_storage_retries(instance: DagsterInstance, seconds: float) -> None:
    """From now on, whatever is asked of the instance's storages waits so long for the weather to clear.

    A call whose reply was lost is made again: Dagster's log may then hold an event twice, and its readers
    bear that; it never lacks one.
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
                # On the object, since Dagster insists on its own classes.
                setattr(storage, name, _with_retries(getattr(storage, name), retrying, seconds))


def _with_retries(
    ask: Callable[..., Any], retrying: threading.local, seconds: float
) -> Callable[..., Any]:
    """Only who is asked from outside waits: what a storage asks of itself is part of one question."""

    @wraps(ask)
    def retried(*args: Any, **kwargs: Any) -> Any:
        if getattr(retrying, "already", False):
            return ask(*args, **kwargs)
        retrying.already = True
        try:
            return retry_for(lambda: ask(*args, **kwargs), seconds)
        finally:
            retrying.already = False

    return retried
