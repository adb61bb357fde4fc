"""castad, running: its API alone, which answers scans itself, or with sensors and workers that make orders."""

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from bench.engine.crew import Crew
from bench.engine.servers import run_postgres, run_servers
from bench.engine.systems.castad import Castad
from bench.scan.clients import send_answered_scan, send_ordered_scan
from bench.scan.lines import Scan
from bench.scan.waiting import wait_for
from castad.dagster_storage.home import build_dagster_environment
from castad.stack.processes import find_free_port
from resources.ledger.db.database import Database
from resources.ledger.queries.access import Scope, Secret
from resources.ledger.transitions.access import create_key
from resources.process.settings import Settings

_DEFINITIONS = "pipeline_defs.definitions"


class CastadSide:
    """On Postgres and Valkey of its own; `makes_orders` starts what `castad up` does, without Dagster's UI."""

    def __init__(self, folder: Path, model_url: str, *, makes_orders: bool) -> None:
        self._folder = folder
        self._makes_orders = makes_orders
        self._environment = {"OPENAI_API_KEY": "sk-fake", "OPENAI_BASE_URL": model_url}
        self._port = find_free_port()
        self._secret = Secret.new()
        self._opened = ExitStack()
        self._crew = Crew(folder, {})
        self._engine: Castad | None = None
        self.broker_port: int | None = None
        self.database_port: int | None = None

    def start(self) -> None:
        """Start the API, and the engine if this side makes orders."""
        postgres = self._opened.enter_context(run_postgres())
        servers = self._opened.enter_context(run_servers(postgres, "scan"))
        self.broker_port, self.database_port = servers.redis.port, postgres.port
        database, broker = servers.database_url, servers.redis.url
        self._create_key(database)
        if self._makes_orders:
            environment = self._environment
            self._engine = Castad(
                self._folder, servers, None, module=_DEFINITIONS, environment=environment
            )
            self._engine.start()
        settings = Settings(
            home=self._folder / "home", database_url=database, broker_url=broker, _env_file=None
        )
        urls = {"CASTAD_DATABASE_URL": database, "CASTAD_BROKER_URL": broker}
        command = [sys.executable, "-m", "castad", "api", "--port", str(self._port)]
        environment = {**build_dagster_environment(settings), **urls, **self._environment}
        self._crew.start("api", command, environment)
        wait_for(self._port, "/healthz", self._crew)

    async def scan(self, task_id: str, patience: float) -> Scan:
        """Send one scan and read its stream to the end."""
        scan = send_ordered_scan if self._makes_orders else send_answered_scan
        return await scan(self._port, self._secret.text, task_id, patience)

    def list_serving_pids(self) -> Sequence[int]:
        """Return the API's process ids."""
        return self._crew.list_pids(["api"])

    def check_alive(self) -> None:
        """Raise RuntimeError if a process has ended by itself."""
        self._crew.check_alive()
        if self._engine is not None:
            self._engine.check_alive()

    def stop(self) -> None:
        """Stop all processes."""
        self._crew.stop()
        if self._engine is not None:
            self._engine.stop()
        self._opened.close()

    def _create_key(self, url: str) -> None:
        db = Database(url)
        try:
            create_key(db, self._secret, name="bench", owner="bench", scopes=[Scope.ADMIN])
        finally:
            db.close()
