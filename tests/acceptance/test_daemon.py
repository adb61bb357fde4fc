"""The whole thing as it runs: a real daemon, real run processes that get killed, orders placed by SQL.

Mostly the vendors are fakes: an order waits in a stage for as long as a test needs it to, and no film is made.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from dagster import DagsterInstance, DagsterRunStatus, RunsFilter
from sqlalchemy import text

from castad.engine.home import dagster_environment, dagster_home
from castad.processes import start_group, stop_groups
from resources.ledger.database import Database
from resources.ledger.moves.orders import cancel
from resources.ledger.overview import overview_of
from resources.ledger.reads import get_request
from resources.ledger.request import Request
from resources.ledger.tables import Status
from resources.request import TASK_ID_TAG
from resources.settings import PROJECT_ROOT, Settings
from sensors.stop_lock import VARIABLE, StopLock
from tests.fakes.server import PLENTY
from tests.integration.vendor_house import Vendors, open_vendors, set_environment
from tests.postgres_server import PostgresServer

FAST = {
    # A busy machine loses none by accident; whoever dies beside others is missed at once.
    "CASTAD_LEASE_SECONDS": "20",
    "CASTAD_BEAT_SECONDS": "0.5",
    "CASTAD_POLL_SECONDS": "0.2",
    "CASTAD_POLL_LONGEST": "0.2",
    "CASTAD_WATCH_SECONDS": "0.2",
    "CASTAD_CONCURRENT_RUNS": "3",
}
PATIENCE_SECONDS = 120
NEVER = 1e6
ORDER = json.dumps({"customer_name": "봄날 베이커리", "region": "전주", "duration_seconds": 10})


@dataclass(frozen=True)
class Stack:
    """A daemon at work on a state folder, and a second connection to its ledger."""

    home: Path
    db: Database
    instance: DagsterInstance

    def by_sql(self, statement: str, **values: object) -> None:
        with self.db.writing() as tx:
            tx.execute(text(statement), values)

    def order(self, task_id: str) -> None:
        self.by_sql(
            "INSERT INTO requests (task_id, payload) VALUES (:task_id, :payload)",
            task_id=task_id,
            payload=ORDER,
        )

    def request(self, task_id: str) -> Request:
        return get_request(self.db, task_id)

    def until(self, what: str, seen: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        pause = threading.Event()
        while not seen():
            assert time.monotonic() < deadline, f"waited {PATIENCE_SECONDS} s for {what}"
            pause.wait(0.1)

    def until_status(self, task_id: str, status: Status) -> None:
        self.until(f"{task_id} {status}", lambda: self.request(task_id).status is status)

    def until_waiting_in(self, task_id: str, stage: str) -> None:
        self.until(f"{task_id} in {stage}", lambda: self._waits_in(task_id, stage))

    def _waits_in(self, task_id: str, stage: str) -> bool:
        with self.db.reading() as tx:
            job = text(
                "SELECT 1 FROM provider_jobs j JOIN requests r ON r.id = j.request_id "
                "WHERE r.task_id = :task_id AND j.stage = :stage AND j.status = 'submitted'"
            )
            return tx.execute(job, {"task_id": task_id, "stage": stage}).first() is not None

    def until_runs_are(self, task_id: str, status: DagsterRunStatus) -> None:
        self.until(f"runs of {task_id} {status}", lambda: self.run_statuses(task_id) == {status})

    def run_statuses(self, task_id: str) -> set[DagsterRunStatus]:
        runs = self.instance.get_runs(RunsFilter(tags={TASK_ID_TAG: task_id}))
        return {run.status for run in runs}


@contextmanager
def start_stack(home: Path, environment: Mapping[str, str]) -> Iterator[Stack]:
    with pytest.MonkeyPatch.context() as patch:
        set_environment(patch, {**FAST, "CASTAD_HOME": str(home), **environment})
        config = Settings()
        db = Database(_made(config))
        with DagsterInstance.from_config(str(dagster_home(config))) as instance:
            command = [sys.executable, "-m", "dagster._daemon", "run"]
            workspace = ["-w", str(PROJECT_ROOT / "workspace.yaml")]
            ticks = StopLock(dagster_home(config))
            environment = {**dagster_environment(config), VARIABLE: ticks.path}
            with (home / "daemon.log").open("wb") as log:
                daemon = start_group([*command, *workspace], environment, log)
            try:
                yield Stack(home, db, instance)
            finally:
                ticks.release()
                stop_groups([daemon], grace=10)
                db.close()


def _made(config: Settings) -> str:
    config.home.mkdir(parents=True, exist_ok=True)
    return config.ledger_url


@pytest.fixture(scope="module")
def vendors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vendors]:
    with open_vendors(tmp_path_factory.mktemp("vendors"), {}) as opened:
        opened.suno.set(credits=PLENTY)
        yield opened


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory, vendors: Vendors) -> Iterator[Stack]:
    """Everything on SQLite."""
    home = tmp_path_factory.mktemp("state folder") / "home"
    with start_stack(home, vendors.environment()) as started:
        yield started


@pytest.fixture
def postgres_stack(
    tmp_path: Path, postgres_server: PostgresServer, vendors: Vendors
) -> Iterator[Stack]:
    """Everything on one Postgres database."""
    url = postgres_server.create("acceptance")
    environment = {"CASTAD_DATABASE_URL": url, **vendors.environment()}
    with start_stack(tmp_path / "home", environment) as started:
        yield started
    postgres_server.drop("acceptance")


@contextmanager
def held_in(vendors: Vendors, stage: str) -> Iterator[None]:
    """What is ordered for this stage is not done before the block ends."""
    vendor = {"song": vendors.suno, "video": vendors.creatomate}[stage]
    vendor.set(delay=NEVER)
    try:
        yield
    finally:
        vendor.set(delay=0)


def worker_pid(stack: Stack, task_id: str) -> int:
    """The process that bears the name under which the request is held, as its lock tells."""
    owner = stack.request(task_id).lease_owner
    assert owner is not None
    slot = owner.split(":")[0].rsplit("-", 1)[1]
    return int((stack.home / "workers" / f"{slot}.lock").read_text())


def test_order_by_plain_sql_becomes_a_video_on_sqlite(stack: Stack) -> None:
    stack.order("sql-1")
    stack.until_status("sql-1", Status.COMPLETED)
    assert [
        view.stage for view in overview_of(stack.db, stack.request("sql-1").task_id).stages
    ] == [
        "lyric",
        "song",
        "video",
    ]


def test_order_by_plain_sql_becomes_a_video_on_postgres_though_its_worker_dies(
    postgres_stack: Stack, vendors: Vendors
) -> None:
    stack = postgres_stack
    with held_in(vendors, "video"):
        stack.order("sql-1")
        stack.until_waiting_in("sql-1", "video")
        os.kill(worker_pid(stack, "sql-1"), signal.SIGKILL)
    assert_made_good_after_a_death(stack, "sql-1", "video")
    finished = {DagsterRunStatus.FAILURE, DagsterRunStatus.SUCCESS, DagsterRunStatus.STARTED}
    assert stack.run_statuses("sql-1") <= finished


@pytest.fixture(scope="module")
def bought_for_the_killed(stack: Stack, vendors: Vendors) -> dict[str, int]:
    """One death took the runs of two orders, each in another stage; what both have cost in the end, by stage."""
    before = vendors.charges()
    with held_in(vendors, "video"):
        stack.order("killed-video")
        stack.until_waiting_in("killed-video", "video")
        with held_in(vendors, "song"):
            stack.order("killed-song")
            stack.until_waiting_in("killed-song", "song")
            os.kill(worker_pid(stack, "killed-song"), signal.SIGKILL)
    for task_id in ("killed-song", "killed-video"):
        stack.until_status(task_id, Status.COMPLETED)
    return {stage: count - before[stage] for stage, count in vendors.charges().items()}


@pytest.mark.parametrize("stage", ["song", "video"])
@pytest.mark.usefixtures("bought_for_the_killed")
def test_killed_run_is_made_good_without_repeating_stages_that_were_done(
    stack: Stack, stage: str
) -> None:
    assert_made_good_after_a_death(stack, f"killed-{stage}", stage)


def test_killed_runs_buy_nothing_again(bought_for_the_killed: dict[str, int]) -> None:
    assert bought_for_the_killed == {"lyric": 2, "song": 2, "video": 2}


def assert_made_good_after_a_death(stack: Stack, task_id: str, stage: str) -> None:
    stack.until_status(task_id, Status.COMPLETED)
    failed = DagsterRunStatus.FAILURE
    stack.until(f"{task_id} {failed}", lambda: failed in stack.run_statuses(task_id))
    request = stack.request(task_id)
    tries = {view.stage: view.attempts for view in overview_of(stack.db, request.task_id).stages}
    assert attempts_of(stack, task_id) == ["worker_lost", None]
    assert [name for name, count in tries.items() if count > 1] == [stage]
    assert request.retry_count == 0


def test_stopped_worker_gives_its_request_back_uncounted(stack: Stack, vendors: Vendors) -> None:
    with held_in(vendors, "video"):
        stack.order("deployed")
        stack.until_waiting_in("deployed", "video")
        os.kill(worker_pid(stack, "deployed"), signal.SIGTERM)
        stack.until("deployed given back", lambda: len(attempts_of(stack, "deployed")) == 2)
    stack.until_status("deployed", Status.COMPLETED)
    request = stack.request("deployed")
    codes = attempts_of(stack, "deployed")
    assert (codes, request.deaths, request.retry_count) == (["released", None], 0, 0)


def attempts_of(stack: Stack, task_id: str) -> list[str | None]:
    """How each attempt ended, None being the one that is at work or went well."""
    return [
        view.error_code for view in overview_of(stack.db, stack.request(task_id).task_id).attempts
    ]


@pytest.mark.parametrize("stage", ["song", "video"])
def test_canceled_request_ends_canceled_in_dagster_too(
    stack: Stack, vendors: Vendors, stage: str
) -> None:
    task_id = f"canceled-{stage}"
    with held_in(vendors, stage):
        stack.order(task_id)
        stack.until_waiting_in(task_id, stage)
        cancel(stack.db, task_id)
        stack.until_status(task_id, Status.CANCELED)
        stack.until_runs_are(task_id, DagsterRunStatus.CANCELED)


def test_operators_sql_stops_a_running_request_and_brings_it_back(
    stack: Stack, vendors: Vendors
) -> None:
    with held_in(vendors, "video"):
        stack.order("by-hand")
        stack.until_waiting_in("by-hand", "video")
        stack.by_sql("UPDATE requests SET status = 'dead' WHERE task_id = 'by-hand'")
        stack.until_runs_are("by-hand", DagsterRunStatus.CANCELED)
    assert stack.request("by-hand").status is Status.DEAD
    stack.by_sql("UPDATE requests SET status = 'pending' WHERE task_id = 'by-hand'")
    stack.until_status("by-hand", Status.COMPLETED)


def execute_in_bare_shell(home: Path, config: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dagster", "job", "execute"]
    job = ["-m", "pipeline_defs.definitions", "-j", "song_video", "-c", str(config)]
    environment = {**os.environ, "CASTAD_HOME": str(home)}
    return subprocess.run(
        [*command, *job], cwd=PROJECT_ROOT, env=environment, capture_output=True, text=True
    )


def test_job_execute_in_a_bare_shell_makes_the_example(
    tmp_path: Path, vendors: Vendors, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_environment(monkeypatch, {**FAST, **vendors.environment()})
    example = PROJECT_ROOT / "examples" / "song_video.yaml"
    assert execute_in_bare_shell(tmp_path / "home", example).returncode == 0


def test_job_execute_names_the_bad_field_in_its_last_line(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("customer_name: 봄날\nregion: 전주\nlanguage: Klingon\n")
    done = execute_in_bare_shell(tmp_path / "home", bad)
    assert done.returncode != 0
    assert "language: expected Korean or English" in done.stderr.strip().splitlines()[-1]
