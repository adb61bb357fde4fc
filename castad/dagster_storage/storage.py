"""Dagster's storage: SQLite in the state folder, or the Postgres that the ledger uses."""

from collections.abc import Mapping
from typing import Any, Self

from dagster import DagsterInstance

from castad.dagster_storage.event_log import BatchEventLogStorage
from castad.dagster_storage.home import dagster_home
from castad.dagster_storage.pooled_postgres import PooledPostgresStorage
from castad.dagster_storage.pooled_sqlite import PooledSqliteStorage
from castad.dagster_storage.tables import JoinedStorage, RetryingStorage
from resources.dagster.internals import (
    ConfigurableClass,
    ConfigurableClassData,
    InstanceRef,
    UserConfigSchema,
)
from resources.ledger.db.retry import retry_for
from resources.process.file_locks import exclusive_file_lock
from resources.process.settings import Settings, settings
from resources.process.slots import is_code_server

# A code server that does not start leaves the daemon without definitions until it loads the workspace again,
# a minute later (RELOAD_WORKSPACE_INTERVAL of dagster.daemon 1.13).
_CODE_SERVER_WAIT = 20.0


class CastadStorage(JoinedStorage, ConfigurableClass):
    """The storage class of dagster.yaml; the settings choose the database."""

    def __init__(self, chosen: JoinedStorage, inst_data: ConfigurableClassData | None) -> None:
        super().__init__(chosen.event_log_storage, chosen.run_storage, chosen.schedule_storage)
        self._inst_data = inst_data

    @classmethod
    def config_type(cls) -> UserConfigSchema:
        """Empty: the settings configure it."""
        return {}

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> Self:
        """The storage of this process' settings; a code server waits for a database that is unavailable."""
        wait = _CODE_SERVER_WAIT if is_code_server() else 0.0
        return cls(retry_for(lambda: _storage_of(settings()), wait), inst_data)

    @property
    def inst_data(self) -> ConfigurableClassData | None:
        """This class as configured in dagster.yaml."""
        return self._inst_data


class WorkerStorage(CastadStorage):
    """The storage of a worker: its calls are retried while the database is away, and events are buffered."""

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> Self:
        """The storage of this process' settings."""
        made = super().from_config_value(inst_data, config_value)
        for storage in (made.event_log_storage, made.run_storage, made.schedule_storage):
            if isinstance(storage, RetryingStorage):
                storage.retry_seconds = settings().database_patience
        if isinstance(made.event_log_storage, BatchEventLogStorage):
            made.event_log_storage.buffer_events()
        return made


def _storage_of(config: Settings) -> JoinedStorage:
    if config.database_url is not None:
        return PooledPostgresStorage(config.database_url)
    # Without the lock, two processes that make the files would overwrite each other's.
    with exclusive_file_lock(dagster_home(config) / ".opening"):
        return PooledSqliteStorage(config.home / "dagster")


def open_worker_instance(config: Settings) -> DagsterInstance:
    """Dagster's instance of this state, with `WorkerStorage` in place of the storage of dagster.yaml."""
    custom = {"module": __name__, "class": WorkerStorage.__name__, "config": {}}
    home = str(dagster_home(config))
    return DagsterInstance.from_ref(
        InstanceRef.from_dir(home, overrides={"storage": {"custom": custom}})
    )
