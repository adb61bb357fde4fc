"""The database and the broker of a system under measurement, each on a free port of 127.0.0.1."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from castad.stack.processes import start_group
from tests.brokers import RedisServer
from tests.postgres_server import PostgresServer, _binary

_LOOPBACK = ("listen_addresses=127.0.0.1", "unix_socket_directories=")


class DurablePostgres(PostgresServer):
    """Postgres as it comes: what was committed is on disk."""

    @property
    def pid(self) -> int:
        """The server's process id; each of its connections is a child process."""
        if self._process is None:
            raise RuntimeError("it was never started")
        return self._process.pid

    def _launch(self) -> None:
        listed = [part for setting in _LOOPBACK for part in ("-c", setting)]
        data = ("-D", self._data, "-p", str(self._port))
        command = [*self._prefix, _binary("postgres"), *data, *listed]
        with self._log().open("ab") as log:
            self._process = start_group([str(part) for part in command], {}, log)


@dataclass(frozen=True)
class Servers:
    """A database of the system's own on the shared Postgres, and a Valkey of its own."""

    postgres: DurablePostgres
    redis: RedisServer
    database: str

    @property
    def database_url(self) -> str:
        """The URL of the system's database."""
        return self.postgres.url(self.database)

    @property
    def pids(self) -> list[int]:
        """The process ids of the servers."""
        return [self.postgres.pid, self.redis._running.pid]


@contextmanager
def run_postgres() -> Iterator[DurablePostgres]:
    """Start a fresh Postgres with its defaults; stop it on exit."""
    postgres = DurablePostgres()
    try:
        postgres.start()
        yield postgres
    finally:
        postgres.stop()


@contextmanager
def run_servers(postgres: DurablePostgres, name: str) -> Iterator[Servers]:
    """Create a database of this name and an empty broker; remove both on exit."""
    with RedisServer() as redis:
        postgres.create(name)
        try:
            yield Servers(postgres, redis, name)
        finally:
            postgres.drop(name)
