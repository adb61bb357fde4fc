"""A whole castad under test: vendors, database, broker, workers and a daemon, in processes to be killed."""

import os
import signal
import socket
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
import yaml
from sqlalchemy.engine import make_url

from castad.stack.processes import find_free_port, start_group, stop_groups
from resources.ledger.db.database import Database
from resources.process.settings import PROJECT_ROOT
from tests.brokers import Broker, RabbitServer, RedisServer
from tests.chaos.environment import RATES, environment_of
from tests.chaos.history import History
from tests.chaos.journal import Journal
from tests.chaos.reading import charges, dagster_databases, dagster_runs, files, ledger_rows
from tests.fakes.comfyui import FakeComfyUI
from tests.fakes.creatomate import FakeCreatomate
from tests.fakes.openai import FakeOpenAI
from tests.fakes.server import PLENTY, FakeVendor
from tests.fakes.suno import FakeSuno
from tests.postgres_server import PostgresServer

PAIRS = ("sqlite-files", "postgres-redis", "postgres-rabbitmq")
_HOST = "127.0.0.1"
_STOP_GRACE = 30.0
_START_SECONDS = 60.0
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
    daemons: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    code_server: "subprocess.Popen[bytes] | None" = None
    code_port: int = field(default_factory=find_free_port)

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

    def start_code_server(self, **extra: str) -> None:
        """A code server answers, on its one address; daemons that are started from now on use it."""
        served = ["--module-name", "pipeline_defs.definitions", "--location-name", "castad"]
        where = ["--host", _HOST, "--port", str(self.code_port), "--log-level", "warning"]
        self.code_server = self._start(
            "code", ["-m", "dagster", "api", "grpc", *served, *where], extra
        )
        deadline = time.monotonic() + _START_SECONDS
        while not _listens(self.code_port):
            if self.code_server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"no code server:\n{(self.folder / 'code.log').read_text()}")
            time.sleep(_LOOK_EVERY)

    def kill_code_server(self) -> None:
        """It is gone in the middle of whatever was asked of it."""
        assert self.code_server is not None
        _kill(self.code_server)

    def start_daemon(self, name: str = "daemon", *, alone: bool = False) -> None:
        """A daemon hands out what is due, soon; `alone`, it keeps a code server of its own."""
        workspace = PROJECT_ROOT / "workspace.yaml"
        if self.code_server is not None and not alone:
            workspace = self._workspace()
        command = ["-m", "castad", "daemon", "--workspace", str(workspace)]
        self.daemons[name] = self._start(name, command, {})

    def kill_daemon(self, name: str = "daemon") -> None:
        """It is gone, with its code server where it keeps one."""
        _kill(self.daemons[name])

    def on_demand(self) -> list[psutil.Process]:
        """The workers that were started by need in our state folder: no children of ours."""
        home = str(self.home("one"))
        return [process for process in psutil.process_iter() if _is_worker_of(process, home)]

    def stop(self) -> None:
        """Workers were told to stop and are gone; those started by need leave by themselves."""
        for daemon in self.daemons.values():
            # Told to stop, it would first wait for the ends of its sensors' ticks.
            _kill(daemon)
        if self.code_server is not None:
            self.kill_code_server()
        stop_groups(list(self.workers.values()), _STOP_GRACE)
        deadline = time.monotonic() + _STOP_GRACE
        while (left := self.on_demand()) and time.monotonic() < deadline:
            time.sleep(_LOOK_EVERY)
        for process in left:
            process.kill()
        if left:
            raise RuntimeError(f"{len(left)} workers outlived all who could launch a run")

    def read(self) -> History:
        """What happened here."""
        homes = [path for path in sorted(self.folder.iterdir()) if (path / "dagster").is_dir()]
        kept, making = files(homes)
        return History(
            **ledger_rows(self.ledger_url),
            placed=self.journal.placed,
            cancels=self.journal.cancels,
            spoilings=self.journal.spoilings,
            deletions=self.journal.deletions,
            disturbances=self.journal.disturbances,
            charges=charges(self.folder / "books"),
            calls={name: fake.called_at() for name, fake in self.vendors.items()},
            runs=dagster_runs(dagster_databases(self.home("one"), self.database_url)),
            files=kept,
            leftovers=making,
        )

    def _workspace(self) -> Path:
        server = {"host": _HOST, "port": self.code_port, "location_name": "castad"}
        path = self.folder / "workspace.yaml"
        path.write_text(yaml.safe_dump({"load_from": [{"grpc_server": server}]}))
        return path

    def _start(
        self, name: str, arguments: list[str], extra: Mapping[str, str]
    ) -> "subprocess.Popen[bytes]":
        broker_url = None if self.broker is None else self.broker.url
        environment = environment_of(self.home(name), self.database_url, broker_url, self.vendors)
        with (self.folder / f"{name}.log").open("ab") as log:
            return start_group(
                [sys.executable, *arguments], {**environment, **self.extra, **extra}, log
            )


_VENDORS: tuple[type[FakeVendor], ...] = (FakeOpenAI, FakeSuno, FakeCreatomate, FakeComfyUI)


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
            for fake in (kind(folder / "books") for kind in _VENDORS)
        }
        for fake in vendors.values():
            fake.set(credits=PLENTY)
        vendors["suno"].set(rate=RATES["suno"])
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


def _kill(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((_HOST, port)) == 0


def _is_worker_of(process: psutil.Process, home: str) -> bool:
    try:
        command = process.cmdline()
        return "--while-needed" in command and process.environ().get("CASTAD_HOME") == home
    except psutil.Error:
        return False
