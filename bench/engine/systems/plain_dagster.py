"""Plain Dagster as its docs teach: queued coordinator, default launcher, multiprocess executor, stock Postgres."""

import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from sqlalchemy import TextClause, create_engine, make_url, text

from bench.engine.crew import Crew
from bench.engine.servers import Servers
from bench.engine.stub import CALLS
from bench.engine.timeline import STAGES, Span, Timeline

_DEFINITIONS = "bench.engine.systems.plain_definitions"
_DAEMON = "daemon"
_SCHEMA = """CREATE TABLE requests (id bigserial PRIMARY KEY, task_id text NOT NULL UNIQUE,
    seconds float NOT NULL, created_at timestamptz NOT NULL DEFAULT clock_timestamp())"""
_INSERT = text("INSERT INTO requests (task_id, seconds) VALUES (:task_id, :seconds)")
_DONE = text("""SELECT count(*) FROM runs JOIN run_tags AS tags USING (run_id)
    WHERE tags.key = 'task_id' AND tags.value = ANY(:names) AND status = 'SUCCESS'""")
_BEGUN = text("""SELECT count(DISTINCT tags.value) FROM event_logs JOIN run_tags AS tags USING (run_id)
    WHERE tags.key = 'task_id' AND tags.value = ANY(:names)
    AND dagster_event_type = 'STEP_START' AND step_key = :stage""")
_CREATED = text("""SELECT task_id, extract(epoch FROM created_at)::float AS created FROM requests
    WHERE task_id = ANY(:names)""")
_EVENTS = text("""
    SELECT tags.value AS task_id, dagster_event_type AS type, step_key AS stage,
        extract(epoch FROM timestamp)::float AS at
    FROM event_logs JOIN run_tags AS tags ON tags.run_id = event_logs.run_id AND tags.key = 'task_id'
    WHERE tags.value = ANY(:names) AND dagster_event_type IN
        ('STEP_START', 'STEP_SUCCESS', 'PIPELINE_SUCCESS') ORDER BY event_logs.id""")


class PlainDagster:
    """The daemon with its code server; runs are processes below it, and each step is a process of its own."""

    def __init__(self, folder: Path, servers: Servers) -> None:
        database = servers.database_url
        self._engine = create_engine(database)
        self._workspace = folder / "workspace.yaml"
        self._home = folder / "dagster"
        self._home.mkdir()
        environment = {
            "BENCH_DATABASE": database,
            "DAGSTER_HOME": str(self._home),
            CALLS: str(folder / "calls"),
        }
        self._crew = Crew(folder, environment)
        (self._home / "dagster.yaml").write_text(yaml.safe_dump(_build_instance(database)))
        location = {"module_name": _DEFINITIONS, "location_name": "plain"}
        self._workspace.write_text(yaml.safe_dump({"load_from": [{"python_module": location}]}))

    def start(self) -> None:
        """Create the table and start the daemon."""
        with self._engine.begin() as tx:
            tx.exec_driver_sql(_SCHEMA)
        self.start_workers()

    def submit(self, task_ids: Sequence[str], seconds: float) -> None:
        """Insert rows for the sensor to find."""
        with self._engine.begin() as tx:
            tx.execute(_INSERT, [{"task_id": name, "seconds": seconds} for name in task_ids])

    def count_done(self, task_ids: Sequence[str]) -> int:
        """Count the requests among these with a run that succeeded."""
        return self._count("runs", _DONE, names=list(task_ids))

    def count_begun(self, task_ids: Sequence[str], stage: str) -> int:
        """Count the requests among these with a run that has begun this step."""
        return self._count("event_logs", _BEGUN, names=list(task_ids), stage=stage)

    def read_timelines(self, task_ids: Sequence[str]) -> Mapping[str, Timeline]:
        """Read the moments from Dagster's event log."""
        names = {"names": list(task_ids)}
        events: dict[str, list[Any]] = defaultdict(list)
        with self._engine.begin() as tx:
            created = {row.task_id: row.created for row in tx.execute(_CREATED, names)}
            for row in tx.execute(_EVENTS, names):
                events[row.task_id].append(row)
        return {name: _build_timeline(moment, events[name]) for name, moment in created.items()}

    def kill_workers(self) -> None:
        """Kill the daemon with its runs and steps, which are its descendants."""
        self._crew.kill(_DAEMON)

    def start_workers(self) -> None:
        """Start the daemon, which starts its code server and the runs."""
        command = ("-m", "dagster._daemon", "run", "--log-level", "warning")
        self._crew.start(_DAEMON, [sys.executable, *command, "-w", str(self._workspace)])

    def list_worker_pids(self) -> list[int]:
        """Return the process ids of the daemon's tree."""
        return self._crew.list_pids()

    def list_pids(self) -> list[int]:
        """Return the process ids of the daemon's tree."""
        return self._crew.list_pids()

    def check_alive(self) -> None:
        """Raise RuntimeError if the daemon has ended."""
        self._crew.check_alive()

    def stop(self) -> None:
        """Stop the daemon."""
        self._crew.stop()
        self._engine.dispose()

    def _count(self, table: str, query: TextClause, **values: Any) -> int:
        with self._engine.begin() as tx:
            # Dagster makes its tables when it first needs them.
            if tx.execute(text("SELECT to_regclass(:name)"), {"name": table}).scalar() is None:
                return 0
            return int(tx.execute(query, values).scalar_one())


def _build_instance(database: str) -> dict[str, Any]:
    url = make_url(database)
    account = {"username": url.username, "password": url.password, "db_name": url.database}
    address = {"hostname": url.host, "port": url.port, "scheme": "postgresql+psycopg2"}
    return {
        "storage": {"postgres": {"postgres_db": {**account, **address}}},
        "run_coordinator": {
            "module": "dagster._core.run_coordinator",
            "class": "QueuedRunCoordinator",
        },
        "run_monitoring": {"enabled": True},
        "run_retries": {"enabled": True, "max_retries": 3},
        "telemetry": {"enabled": False},
    }


def _build_timeline(created: float, events: Sequence[Any]) -> Timeline:
    moments = {(event.type, event.stage): event.at for event in events}
    begun = [stage for stage in STAGES if ("STEP_START", stage) in moments]
    spans = [
        Span(moments["STEP_START", stage], moments.get(("STEP_SUCCESS", stage))) for stage in begun
    ]
    return Timeline(
        inserted=created,
        first_op=spans[0].began if spans else None,
        stages=spans,
        done=moments.get(("PIPELINE_SUCCESS", None)),
    )
