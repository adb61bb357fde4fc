"""A Celery chain: one worker of 200 threads, the stages' rows in Postgres; see `chain_app`."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import celery

from bench.engine.crew import Crew
from bench.engine.servers import Servers
from bench.engine.stub import CALLS
from bench.engine.systems.stage_rows import StageRows
from bench.engine.timeline import STAGES, Timeline

_SLOTS = 200
_APP = "bench.engine.systems.chain_app"
_WORKER = "worker"


class CeleryChain:
    """One chain a request, sent by whoever inserts its row."""

    def __init__(self, folder: Path, servers: Servers) -> None:
        database = servers.database_url
        self._rows = StageRows(database)
        self._sender = celery.Celery("sender", broker=servers.redis.url, set_as_current=False)
        environment = {
            "BENCH_DATABASE": database,
            "BENCH_BROKER": servers.redis.url,
            CALLS: str(folder / "calls"),
        }
        self._crew = Crew(folder, environment)

    def start(self) -> None:
        """Create the table and start the worker."""
        self._rows.create()
        self.start_workers()

    def submit(self, task_ids: Sequence[str], seconds: float) -> None:
        """Commit the rows, then send the chains."""
        self._rows.insert(task_ids, seconds)
        for task_id in task_ids:
            links = [
                self._sender.signature("work", args=(task_id, stage, seconds), immutable=True)
                for stage in STAGES
            ]
            celery.chain(*links, app=self._sender).apply_async()

    def count_done(self, task_ids: Sequence[str]) -> int:
        """Count the chains among these that have ended."""
        return self._rows.count_done(task_ids)

    def count_begun(self, task_ids: Sequence[str], stage: str) -> int:
        """Count the requests among these that have begun this stage."""
        return self._rows.count_begun(task_ids, stage)

    def read_timelines(self, task_ids: Sequence[str]) -> Mapping[str, Timeline]:
        """Read the moments from the rows."""
        return self._rows.read_timelines(task_ids)

    def kill_workers(self) -> None:
        """Kill the worker."""
        self._crew.kill(_WORKER)

    def start_workers(self) -> None:
        """Start one worker."""
        options = ("--pool", "threads", "--concurrency", str(_SLOTS), "--hostname", "work@bench")
        command = [sys.executable, "-m", "celery", "--app", _APP, "worker", *options]
        self._crew.start(_WORKER, command)

    def list_worker_pids(self) -> list[int]:
        """Return the worker's process id."""
        return self._crew.list_pids([_WORKER])

    def list_pids(self) -> list[int]:
        """Return the worker's process id."""
        return self._crew.list_pids()

    def check_alive(self) -> None:
        """Raise RuntimeError if the worker has ended."""
        self._crew.check_alive()

    def stop(self) -> None:
        """Stop the worker."""
        self._crew.stop()
        self._rows.close()
