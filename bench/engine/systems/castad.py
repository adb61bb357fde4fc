"""castad itself, started as `castad up` starts it: own code server, daemon, worker; the stages are empty."""

import socket
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import yaml
from dagster import DagsterEventType
from sqlalchemy import func, select, text

from bench.engine.crew import Crew
from bench.engine.servers import Servers
from bench.engine.stub import CALLS
from bench.engine.timeline import Span, Timeline
from castad.dagster_storage.home import build_dagster_environment, make_dagster_home
from castad.dagster_storage.pooled_postgres import open_postgres
from castad.dagster_storage.pooled_sqlite import open_sqlite
from castad.engine.on_demand import is_on_demand, worker_lock
from castad.stack.processes import find_free_port
from resources.dagster.internals import SqlEventLogStorage
from resources.ledger.db.database import Database
from resources.ledger.schema.tables import Status, attempts, events, requests, stages
from resources.process.settings import Settings

_MODULE = "bench.engine.empty_work.definitions"
_LOCATION = "castad"
_HOST = "127.0.0.1"
_START_SECONDS = 60.0
_ELSEWHERE = "worker-elsewhere"
_INSERT = text(
    "INSERT INTO requests (task_id, pipeline, payload) VALUES (:task_id, 'empty', :order)"
)


class Castad:
    """One code server, one daemon, as many workers as `castad up` keeps; their home may be another machine."""

    def __init__(
        self,
        folder: Path,
        servers: Servers | None,
        slots: int | None,
        *,
        module: str = _MODULE,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Use Postgres and Redis if `servers` are given, else SQLite and files; None leaves the slots as usual.

        `module` is the module whose definitions are served.
        """
        self._folder = folder
        self._module = module
        self._slots = slots
        self._worker_home = folder / ("home" if servers is None else "worker")
        self._settings = Settings(
            home=folder / "home",
            database_url=None if servers is None else servers.database_url,
            broker_url=None if servers is None else servers.redis.url,
        )
        self._workers = [f"worker-{number}" for number in range(self._settings.worker_processes)]
        self._crew = Crew(
            folder,
            {
                CALLS: str(folder / "calls"),
                **(environment or {}),
                **self._build_environment(folder / "home"),
            },
        )
        self._held = ExitStack()
        self._lock_fds: tuple[int, ...] = ()
        self.ledger = Database(self._settings.ledger_url)
        self._steps = _open_dagster_events(self._settings)

    def start(self) -> None:
        """Start the code server, the worker and the daemon."""
        port = find_free_port()
        code = ("api", "grpc", "--module-name", self._module, "--location-name", _LOCATION)
        address = ("--host", _HOST, "--port", str(port), "--log-level", "warning")
        self._start_python("code", "dagster", *code, *address)
        if is_on_demand(self._settings):
            lock_fd = self._held.enter_context(worker_lock(self._settings))
            self._lock_fds = () if lock_fd is None else (lock_fd,)
        self.start_workers()
        self._wait_for(port)
        workspace = make_dagster_home(self._settings) / "workspace-bench.yaml"
        server = {"host": _HOST, "port": port, "location_name": _LOCATION}
        workspace.write_text(yaml.safe_dump({"load_from": [{"grpc_server": server}]}))
        self._start_python("daemon", "castad", "daemon", "--workspace", str(workspace))

    def submit(self, task_ids: Sequence[str], seconds: float) -> None:
        """Insert the requests by plain INSERT statements."""
        order = f'{{"seconds": {seconds:.0f}}}'
        with self.ledger.writing() as tx:
            tx.execute(_INSERT, [{"task_id": name, "order": order} for name in task_ids])

    @property
    def database_url(self) -> str:
        """The URL of the database of ledger and Dagster."""
        return self._settings.ledger_url

    def count_done(self, task_ids: Sequence[str]) -> int:
        """Count the completed requests among these."""
        wanted = requests.c.task_id.in_(task_ids)
        query = select(func.count()).where(wanted, requests.c.status == Status.COMPLETED)
        with self.ledger.reading() as tx:
            return tx.execute(query).scalar_one()

    def count_begun(self, task_ids: Sequence[str], stage: str) -> int:
        """Count the requests among these that have ever begun this stage."""
        wanted = requests.c.task_id.in_(task_ids)
        begun = select(func.count()).select_from(stages.join(requests))
        with self.ledger.reading() as tx:
            return tx.execute(begun.where(wanted, stages.c.stage == stage)).scalar_one()

    def read_timelines(self, task_ids: Sequence[str]) -> Mapping[str, Timeline]:
        """Read the moments from the ledger's events, and the first op from Dagster's event log."""
        wanted = requests.c.task_id.in_(task_ids)
        columns = (requests.c.task_id, requests.c.created_at, requests.c.completed_at)
        transitions = select(requests.c.task_id, events.c.type, events.c.at).join(events)
        runs = select(requests.c.task_id, attempts.c.run_id).join(attempts)
        with self.ledger.reading() as tx:
            rows = tx.execute(select(*columns).where(wanted)).all()
            told = tx.execute(transitions.where(wanted).order_by(events.c.id)).all()
            first = dict(tx.execute(runs.where(wanted, attempts.c.number == 1)).tuples().all())
        spans: dict[str, list[Span]] = defaultdict(list)
        for name, kind, at in told:
            if kind == "stage_started":
                spans[name].append(Span(at.timestamp()))
            elif kind == "stage_completed":
                spans[name][-1] = Span(spans[name][-1].began, at.timestamp())
        return {
            name: Timeline(
                inserted=created.timestamp(),
                first_op=self._find_first_step(first.get(name)),
                stages=spans[name],
                done=None if completed is None else completed.timestamp(),
            )
            for name, created, completed in rows
        }

    def kill_workers(self) -> None:
        """Kill the workers; leave code server and daemon running."""
        for name in self._workers:
            self._crew.kill(name)

    def start_workers(self) -> None:
        """Start workers in the same home as the last ones."""
        for name in self._workers:
            self._start_worker(name, self._worker_home)

    def start_worker_elsewhere(self) -> None:
        """Start a worker with its own home, as on another machine."""
        self._start_worker(_ELSEWHERE, self._folder / "elsewhere")

    def take_worker_away(self) -> None:
        """Kill the workers and move their home away, as if their machine had failed."""
        self.kill_workers()
        self._worker_home.rename(self._folder / "gone")

    def list_worker_pids(self) -> list[int]:
        """Return the process ids of the workers."""
        return self._crew.list_pids(self._workers)

    def list_pids(self) -> list[int]:
        """Return the process ids of all processes."""
        return self._crew.list_pids()

    def check_alive(self) -> None:
        """Raise RuntimeError if a process has ended."""
        self._crew.check_alive()

    def stop(self) -> None:
        """Stop all processes."""
        self._crew.stop()
        self._held.close()
        self.ledger.close()

    def _build_environment(self, home: Path) -> dict[str, str]:
        here = self._settings.model_copy(update={"home": home})
        return {
            **build_dagster_environment(here),
            "CASTAD_DATABASE_URL": self._settings.database_url or "",
            "CASTAD_BROKER_URL": self._settings.broker_url or "",
        }

    def _start_worker(self, name: str, home: Path) -> None:
        home.mkdir(exist_ok=True)
        slots = () if self._slots is None else ("--concurrency", str(self._slots))
        command = [sys.executable, "-m", "castad", "worker", *slots]
        self._crew.start(name, command, self._build_environment(home), self._lock_fds)

    def _start_python(self, name: str, module: str, *arguments: str) -> None:
        self._crew.start(name, [sys.executable, "-m", module, *arguments])

    def _wait_for(self, port: int) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while True:
            self.check_alive()
            with socket.socket() as probe:
                if probe.connect_ex((_HOST, port)) == 0:
                    return
            if time.monotonic() > deadline:
                raise RuntimeError(
                    f"the code server does not answer:\n{self._crew.read_log('code')}"
                )
            time.sleep(0.1)

    def _find_first_step(self, run_id: str | None) -> float | None:
        if run_id is None:
            return None
        found = self._steps.get_records_for_run(
            run_id, of_type=DagsterEventType.STEP_START, limit=1
        )
        return found.records[0].event_log_entry.timestamp if found.records else None


def _open_dagster_events(config: Settings) -> SqlEventLogStorage:
    make_dagster_home(config)
    if config.database_url is None:
        return open_sqlite(config.home / "dagster")[0]
    return open_postgres(config.database_url)[0]
