"""A guard over the whole suite: no write transaction on SQLite spans a call that may take long.

Whoever is stopped inside of one stops everybody: nothing else is to happen there than statements.
"""

import sys
import threading
from typing import Any

from sqlalchemy import Connection, Engine, event

_CALLS = frozenset(
    {
        *("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.fork", "os.posix_spawn"),
        *("shutil.copyfile", "shutil.copytree", "shutil.move", "sqlite3.connect"),
    }
)
_writing = threading.local()


def guard_writes() -> None:
    """From now on such a call inside of a write transaction raises AssertionError where it is made."""
    event.listen(Engine, "begin", _begun)
    event.listen(Engine, "commit", _ended)
    event.listen(Engine, "rollback", _ended)
    sys.addaudithook(_look)


def _begun(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        _writing.now = connection.get_execution_options().get("castad_writes", False)


def _ended(connection: Connection) -> None:
    _writing.now = False


def _look(call: str, arguments: tuple[Any, ...]) -> None:
    if call in _CALLS and getattr(_writing, "now", False):
        raise AssertionError(f"{call} inside of a write transaction on SQLite")
