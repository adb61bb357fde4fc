"""Dagster's own daemon on Postgres, with a worker that nobody starts; an order by SQL, and its worker killed."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from dagster import DagsterInstance, DagsterRunStatus

from castad.dagster_storage.home import build_dagster_environment, make_dagster_home
from castad.stack.processes import start_group, stop_groups
from resources.ledger.db.database import Database
from resources.process.setting_types import STOP_LOCK_VARIABLE
from resources.process.settings import PROJECT_ROOT, Settings
from sensors.dispatch_waiter import StopLock
from tests.acceptance.stack import Stack, held_in
from tests.integration.vendor_house import Vendors, open_vendors, set_environment

pytestmark = pytest.mark.processes

CLOCK = {
    # A busy machine loses none by accident.
    "CASTAD_LEASE_SECONDS": "20",
    "CASTAD_BEAT_SECONDS": "0.5",
    "CASTAD_POLL_SECONDS": "0.2",
    "CASTAD_POLL_LONGEST": "0.2",
    "CASTAD_WATCH_SECONDS": "0.2",
}


@pytest.fixture
def vendors(tmp_path: Path) -> Iterator[Vendors]:
    with open_vendors(tmp_path, {}) as opened:
        yield opened


@pytest.fixture
def stack(
    tmp_path: Path, postgres_url: str, vendors: Vendors, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Stack]:
    """A daemon at work on a state whose ledger and Dagster are one Postgres database."""
    home = tmp_path / "home"
    database = {"CASTAD_HOME": str(home), "CASTAD_DATABASE_URL": postgres_url}
    set_environment(monkeypatch, {**CLOCK, **database, **vendors.environment()})
    db = Database(postgres_url)
    folder = make_dagster_home(Settings())
    with DagsterInstance.from_config(str(folder)) as instance, stock_daemon(folder):
        yield Stack(home, db, instance)
    db.close()


@contextmanager
def stock_daemon(folder: Path) -> Iterator[None]:
    command = [sys.executable, "-m", "dagster._daemon", "run"]
    workspace = ["-w", str(PROJECT_ROOT / "workspace.yaml")]
    ticks = StopLock(folder)
    environment = {**build_dagster_environment(Settings()), STOP_LOCK_VARIABLE: ticks.path}
    with (folder / "daemon.log").open("wb") as log:
        daemon = start_group([*command, *workspace], environment, log)
    try:
        yield
    finally:
        ticks.release()
        stop_groups([daemon], grace=10)


def test_order_by_plain_sql_becomes_a_video_on_postgres_though_its_worker_dies(stack, vendors):
    with held_in(vendors, "video"):
        stack.order("sql-1")
        stack.until_waiting_in("sql-1", "video")
        os.kill(stack.worker_pid("sql-1"), signal.SIGKILL)
    stack.assert_made_good_after_a_death("sql-1", "video")
    finished = {DagsterRunStatus.FAILURE, DagsterRunStatus.SUCCESS, DagsterRunStatus.STARTED}
    assert stack.run_statuses("sql-1") <= finished
