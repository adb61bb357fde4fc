"""A whole castad under test: vendors, database, broker, workers and a daemon, in processes to be killed."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import psycopg2
from sqlalchemy.engine import make_url

from castad.processes import start_group, stop_groups
from resources.ledger.database import Database
from resources.settings import PROJECT_ROOT
from tests.brokers import Broker, RabbitServer, RedisServer
from tests.chaos.history import History
from tests.chaos.journal import Journal
from tests.chaos.reading import charges, dagster_databases, dagster_runs, files, ledger_rows
from tests.fakes.creatomate import FakeCreatomate
from tests.fakes.openai import FakeOpenAI
from tests.fakes.server import FakeVendor
from tests.fakes.suno import FakeSuno
from tests.postgres_server import PostgresServer

PAIRS = ("sqlite-files", "postgres-redis", "postgres-rabbitmq")
CLOCK = {
    "CASTAD_LEASE_SECONDS": "3",
    "CASTAD_BEAT_SECONDS": "0.5",
    "CASTAD_WATCH_SECONDS": "0.1",
    "CASTAD_POLL_SECONDS": "0.1",
    "CASTAD_POLL_LONGEST": "0.5",
    "CASTAD_DISPATCH_GRACE": "3",
    "CASTAD_RETRY_LYRIC": "0.2",
    "CASTAD_RETRY_SONG": "0.5",
    "CASTAD_RETRY_VIDEO": "1",
    "CASTAD_STEP_RETRY_DELAY": "0.1",
    "CASTAD_UNKNOWN_GRACE": "5",
    "CASTAD_CALL_DEADLINE": "10",
    "CASTAD_CONCURRENT_RUNS": "8",
}
_FOREIGN = ("CASTAD_", "OPENAI_", "SUNO_", "CREATOMATE_", "LYRIC_", "SONG_", "VIDEO_", "DAGSTER_")
_PLENTY = 1_000_000
_STOP_GRACE = 30.0
_LOOK_EVERY = 0.1
_MIGRATING = threading.Lock()
"""Alembic can migrate one database at a time in a process."""


@dataclass
class Stand:
    """What is under test. Everything is started from the main thread and ends with it."""

    folder: Path
    database_url: str | None
    postgres: PostgresServer | None
    broker: Broker | None
    vendors: Mapping[str, FakeVendor]
    journal: Journal
    extra: Mapping[str, str] = field(default_factory=dict)
    workers: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    daemon: "subprocess.Popen[bytes] | None" = None

    @property
    def ledger_url(self) -> str:
        """Where the requests are."""
        return self.database_url or f"sqlite:///{self.home('one') / 'castad.db'}"

    def home(self, name: str) -> Path:
        """The state folder of a part; on SQLite they all share one."""
        return self.folder / ("one" if self.database_url is None else name)

    def start_worker(self, name: str, **extra: str) -> None:
        """A worker of this name takes runs soon."""
        self.workers[name] = self._start(name, ["-m", "castad", "worker"], extra)

    def kill_worker(self, name: str) -> None:
        """It is gone, with what it had started, and could say no last word."""
        _kill(self.workers[name])

    def start_daemon(self) -> None:
        """A daemon hands out what is due, soon."""
        workspace = str(PROJECT_ROOT / "workspace.yaml")
        command = ["-m", "dagster._daemon", "run", "--log-level", "warning", "-w", workspace]
        self.daemon = self._start("daemon", command, {})

    def kill_daemon(self) -> None:
        """It is gone with its code server."""
        assert self.daemon is not None
        _kill(self.daemon)

    def on_demand(self) -> list[psutil.Process]:
        """The workers that were started by need in our state folder: no children of ours."""
        home = str(self.home("one"))
        return [process for process in psutil.process_iter() if _is_worker_of(process, home)]

    def stop(self) -> None:
        """Workers were told to stop and are gone; those started by need leave by themselves."""
        if self.daemon is not None:
            # Told to stop, it would first wait for the ends of its sensors' ticks.
            self.kill_daemon()
        stop_groups(list(self.workers.values()), _STOP_GRACE)
        deadline = time.monotonic() + _STOP_GRACE
        while (left := self.on_demand()) and time.monotonic() < deadline:
            time.sleep(_LOOK_EVERY)
        for process in left:
            process.kill()

    def read(self) -> History:
        """What happened here."""
        homes = [path for path in sorted(self.folder.iterdir()) if (path / "dagster").is_dir()]
        kept, making = files(homes)
        return History(
            **ledger_rows(self.ledger_url),
            placed=self.journal.placed,
            cancels=self.journal.cancels,
            disturbances=self.journal.disturbances,
            charges=charges(self.folder / "books"),
            runs=dagster_runs(dagster_databases(self.home("one"), self.database_url)),
            files=kept,
            leftovers=making,
        )

    def _start(
        self, name: str, arguments: list[str], extra: Mapping[str, str]
    ) -> "subprocess.Popen[bytes]":
        home = self.home(name)
        (home / "dagster").mkdir(parents=True, exist_ok=True)
        with (self.folder / f"{name}.log").open("ab") as log:
            return start_group(
                [sys.executable, *arguments], {**self._environment(home), **extra}, log
            )

    def _environment(self, home: Path) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if _is_ours(name)}
        chosen = {
            "CASTAD_HOME": str(home),
            "CASTAD_PROJECT": str(PROJECT_ROOT),
            "DAGSTER_HOME": str(_dagster_home(home)),
            "PYTHONPATH": str(PROJECT_ROOT),
            "PYTHONWARNINGS": "ignore",
            "PYTHONUNBUFFERED": "1",
            "MALLOC_ARENA_MAX": "1",
        }
        if self.database_url is not None:
            chosen["CASTAD_DATABASE_URL"] = self.database_url
        if self.broker is not None:
            chosen["CASTAD_BROKER_URL"] = self.broker.url
        for vendor, fake in self.vendors.items():
            chosen |= {
                f"{vendor.upper()}_API_KEY": fake.key,
                f"{vendor.upper()}_BASE_URL": fake.url,
            }
        return {**inherited, **CLOCK, **chosen, **self.extra}


@contextmanager
def open_stand(pair: str, folder: Path, extra: Mapping[str, str] | None = None) -> Iterator[Stand]:
    """Databases, brokers and vendors of a pair are there, empty; nothing is left at the end."""
    with ExitStack() as stack:
        postgres: PostgresServer | None = None
        broker: Broker | None = None
        url: str | None = None
        if pair.startswith("postgres"):
            postgres = PostgresServer()
            stack.callback(postgres.stop)
            postgres.start()
            url = postgres.create("chaos")
            _make_commits_durable(url)
        if pair.endswith("redis"):
            broker = stack.enter_context(RedisServer())
        if pair.endswith("rabbitmq"):
            broker = stack.enter_context(RabbitServer())
        vendors = {
            fake.name: stack.enter_context(fake)
            for fake in (kind(folder / "books") for kind in (FakeOpenAI, FakeSuno, FakeCreatomate))
        }
        for fake in vendors.values():
            fake.set(credits=_PLENTY)
        journal = Journal(folder / "journal.jsonl")
        stand = Stand(folder, url, postgres, broker, vendors, journal, extra or {})
        stack.callback(stand.stop)
        (stand.home("one")).mkdir(parents=True, exist_ok=True)
        with _MIGRATING:
            Database(stand.ledger_url).close()
        yield stand


def _make_commits_durable(url: str) -> None:
    """The test server is quick because it acknowledges early; one that is cut off must not have lied."""
    parts = make_url(url)
    connection = psycopg2.connect(
        host=parts.host,
        port=parts.port,
        user=parts.username,
        password=parts.password,
        dbname=parts.database,
    )
    with closing(connection):
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(f'ALTER DATABASE "{parts.database}" SET synchronous_commit = on')


def _dagster_home(home: Path) -> Path:
    folder = home / "dagster"
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / "dagster.yaml"
    if not link.is_symlink():
        link.symlink_to(PROJECT_ROOT / "dagster.yaml")
    return folder


def _kill(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _is_ours(name: str) -> bool:
    return not name.startswith(_FOREIGN)


def _is_worker_of(process: psutil.Process, home: str) -> bool:
    try:
        command = process.cmdline()
        return "--while-needed" in command and process.environ().get("CASTAD_HOME") == home
    except psutil.Error:
        return False
