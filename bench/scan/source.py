"""The source design, running: its API, a worker for the four stages, one for the characters; see `source_app`."""

import sys
from collections.abc import Sequence
from pathlib import Path

from bench.engine.crew import Crew
from bench.scan.clients import send_answered_scan
from bench.scan.lines import Scan
from bench.scan.source_queues import CHARACTER_QUEUES, STAGE_QUEUES
from bench.scan.waiting import wait_for
from castad.stack.processes import find_free_port
from tests.brokers import Broker, RabbitServer, RedisServer, _script, has_rabbitmq

_APP = "bench.scan.source_app"


def name_broker() -> str:
    """Return the title of this machine's broker for the page."""
    if not has_rabbitmq():
        return "Valkey (RabbitMQ, which is the documented one, is not installed here)"
    # …/rabbitmq_server-3.10.8/sbin/rabbitmqctl
    release = Path(_script("rabbitmqctl")).parent.parent.name
    return f"RabbitMQ {release.rpartition('-')[2]}, with Valkey for Celery's results"


class SourceDesign:
    """On RabbitMQ where this machine has it, as documented, else on Valkey."""

    database_port: int | None = None

    def __init__(self, folder: Path, model_url: str, slots: int) -> None:
        self._slots = slots
        self._broker = RabbitServer() if has_rabbitmq() else RedisServer()
        self.broker_port: int | None = self._broker.port
        # Celery 5.7's rpc backend has a queue of replies a thread, and listens to the first thread's only.
        self._results = RedisServer() if isinstance(self._broker, RabbitServer) else self._broker
        environment = {
            "BENCH_BROKER": self._broker.url,
            "BENCH_BACKEND": self._results.url,
            "BENCH_MODEL": model_url,
        }
        self._port = find_free_port()
        self._crew = Crew(folder, environment)

    def start(self) -> None:
        """Start the broker, both workers and the API."""
        for server in self._servers:
            server.start()
        self._start_worker("stages", STAGE_QUEUES)
        self._start_worker("characters", CHARACTER_QUEUES)
        api = [sys.executable, "-m", "bench.scan.source_api", str(self._port)]
        self._crew.start("api", api)
        wait_for(self._port, "/healthz", self._crew)

    async def scan(self, task_id: str, patience: float) -> Scan:
        """Send one scan and read its stream to the end."""
        return await send_answered_scan(self._port, "", task_id, patience)

    def list_serving_pids(self) -> Sequence[int]:
        """Return the API's process ids."""
        return self._crew.list_pids(["api"])

    def check_alive(self) -> None:
        """Raise RuntimeError if a process has ended by itself."""
        self._crew.check_alive()

    def stop(self) -> None:
        """Stop all processes."""
        self._crew.stop()
        for server in self._servers:
            server.stop()

    @property
    def _servers(self) -> Sequence[Broker]:
        return list(dict.fromkeys((self._broker, self._results)))

    def _start_worker(self, name: str, queues: Sequence[str]) -> None:
        command = [sys.executable, "-m", "celery", "--app", _APP, "worker", "--task-events"]
        pool = [
            "--pool",
            "threads",
            "--concurrency",
            str(self._slots),
            "--queues",
            ",".join(queues),
        ]
        quiet = ["--without-gossip", "--without-mingle", "--hostname", f"{name}@bench"]
        self._crew.start(name, [*command, *pool, *quiet])
