"""Dagster's storage: SQLite in the state folder, or the Postgres that the ledger uses."""

import fcntl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from dagster._config import UserConfigSchema
from dagster._core.storage.base_storage import DagsterStorage
from dagster._core.storage.event_log.base import EventLogStorage
from dagster._core.storage.runs.base import RunStorage
from dagster._core.storage.schedules.base import ScheduleStorage
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
from dagster._serdes import ConfigurableClass, ConfigurableClassData
from dagster_postgres import DagsterPostgresStorage

from castad.engine.home import dagster_home
from resources.settings import Settings, settings


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
    with _one_at_a_time(config):
        if config.database_url is None:
            return DagsterSqliteStorage.from_local(base_dir=str(config.home / "dagster"))
        return DagsterPostgresStorage(config.database_url, should_autocreate_tables=True)


@contextmanager
def _one_at_a_time(config: Settings) -> Iterator[None]:
    """Two processes that make Dagster's tables at once spoil them: "more than one head"."""
    with (dagster_home(config) / ".opening").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
