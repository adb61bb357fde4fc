"""A Dagster of a test's own, and what an instance without a dagster.yaml needs lest it write to ~/.dagster."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from dagster import DagsterInstance
from dagster._core.instance import InstanceType
from dagster._core.launcher.sync_in_memory_run_launcher import SyncInMemoryRunLauncher
from dagster._core.run_coordinator import DefaultRunCoordinator
from dagster._core.storage.noop_compute_log_manager import NoOpComputeLogManager
from dagster._core.storage.root import LocalArtifactStorage

from castad.dagster_storage.instance import CastadInstance
from castad.dagster_storage.pooled_sqlite import open_sqlite

NO_TELEMETRY = {"telemetry": {"enabled": False}}


@contextmanager
def quiet_instance(folder: Path) -> Iterator[DagsterInstance]:
    """As `DagsterInstance.ephemeral`, on files.

    Dagster's own keeps its tables in memory with one cache for all threads, and nobody waits for that cache's
    locks: "database table is locked".
    """
    if not folder.exists():
        _copy_tables(folder)
    with _instance(folder) as instance:
        yield instance


def _copy_tables(folder: Path) -> None:
    for name, content in _empty_tables().items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


@cache
def _empty_tables() -> Mapping[Path, bytes]:
    """The files of an instance without a run: to make them takes six times as long as to open them."""
    with TemporaryDirectory() as made:
        folder = Path(made)
        with _instance(folder):
            pass
        return {file.relative_to(folder): file.read_bytes() for file in folder.rglob("*.db")}


@contextmanager
def _instance(folder: Path) -> Iterator[DagsterInstance]:
    events, runs, ticks = open_sqlite(folder)
    with CastadInstance(
        instance_type=InstanceType.EPHEMERAL,
        local_artifact_storage=LocalArtifactStorage(str(folder)),
        run_storage=runs,
        event_storage=events,
        schedule_storage=ticks,
        compute_log_manager=NoOpComputeLogManager(),
        run_coordinator=DefaultRunCoordinator(),
        run_launcher=SyncInMemoryRunLauncher(),
        settings=NO_TELEMETRY,
    ) as instance:
        yield instance
