"""The source design: Celery Beat, a state machine in Postgres, a queue a stage; see `source_app`."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.engine.crew import Crew
from bench.engine.servers import Servers
from bench.engine.stub import CALLS
from bench.engine.systems.stage_rows import StageRows
from bench.engine.timeline import Timeline

_QUEUES = {"lyric": 2, "song": 2, "video": 1}
_APP = "bench.engine.systems.source_app"


class SourceDesign:
    """Beat, a scheduler and three queues of prefork workers."""

    def __init__(self, folder: Path, servers: Servers, tick_seconds: float) -> None:
        self._folder = folder
        database = servers.database_url
        self._rows = StageRows(database)
        environment = {
            "BENCH_DATABASE": database,
            "BENCH_BROKER": servers.redis.url,
            "BENCH_TICK": str(tick_seconds),
            CALLS: str(folder / "calls"),
        }
        self._crew = Crew(folder, environment)

    def start(self) -> None:
        """Create the table; start Beat, the scheduler and the workers."""
        self._rows.create()
        self._start_celery("beat", "beat", "--schedule", str(self._folder / "beat.db"))
        self._start_worker("scheduler", 1)
        self.start_workers()

    def submit(self, task_ids: Sequence[str], seconds: float) -> None:
        """Insert a row for each request: this alone starts a pipeline."""
        self._rows.insert(task_ids, seconds)

    def count_done(self, task_ids: Sequence[str]) -> int:
        """Count the completed pipelines among these."""
        return self._rows.count_done(task_ids)

    def count_begun(self, task_ids: Sequence[str], stage: str) -> int:
        """Count the requests among these of which a worker took a row of this stage."""
        return self._rows.count_begun(task_ids, stage)

    def read_timelines(self, task_ids: Sequence[str]) -> Mapping[str, Timeline]:
        """Read the moments from the rows."""
        return self._rows.read_timelines(task_ids)

    def kill_workers(self) -> None:
        """Kill the workers; leave Beat and the scheduler running."""
        for stage in _QUEUES:
            self._crew.kill(stage)

    def start_workers(self) -> None:
        """Start the workers of the three queues."""
        for stage, slots in _QUEUES.items():
            self._start_worker(stage, slots)

    def list_worker_pids(self) -> list[int]:
        """Return the process ids of workers, scheduler and Beat: a waiting request needs all of them."""
        return self._crew.list_pids()

    def list_pids(self) -> list[int]:
        """Return the process ids of all processes."""
        return self._crew.list_pids()

    def check_alive(self) -> None:
        """Raise RuntimeError if a process has ended."""
        self._crew.check_alive()

    def stop(self) -> None:
        """Stop all processes."""
        self._crew.stop()
        self._rows.close()

    def _start_worker(self, queue: str, slots: int) -> None:
        options = ("--queues", queue, "--concurrency", str(slots), "--hostname", f"{queue}@bench")
        self._start_celery(queue, "worker", *options)

    def _start_celery(self, name: str, *command: str) -> None:
        self._crew.start(name, [sys.executable, "-m", "celery", "--app", _APP, *command])
