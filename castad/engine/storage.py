"""Dagster's storage: SQLite in the state folder, or the Postgres that the ledger uses."""

from collections.abc import Mapping
from typing import Any

from dagster._config import UserConfigSchema
from dagster._core.storage.base_storage import DagsterStorage
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
from dagster._serdes import ConfigurableClass, ConfigurableClassData
from dagster_postgres import DagsterPostgresStorage

from resources.settings import settings


class CastadStorage(ConfigurableClass):
    """What dagster.yaml names, so that it needs no environment variable to be set."""

    @classmethod
    def config_type(cls) -> UserConfigSchema:
        """Nothing to configure: the settings decide."""
        return {}

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> DagsterStorage:
        """The storage of this process' settings."""
        config = settings()
        if config.database_url is not None:
            return DagsterPostgresStorage(
                postgres_url=config.database_url,
                should_autocreate_tables=True,
                inst_data=inst_data,
            )
        return DagsterSqliteStorage.from_local(
            base_dir=str(config.home / "dagster"), inst_data=inst_data
        )

    @property
    def inst_data(self) -> ConfigurableClassData | None:
        """Unused: no object of this class is ever made."""
        return None
