"""A guard over the whole suite: no write transaction on SQLite spans a call that may take long.

Whoever is stopped inside of one stops everybody: nothing else is to happen there than statements.
The calls are wrapped. An audit hook would see them too, but Python's `sys.settrace`, which coverage calls in
each new thread, fails where a hook lets another thread run meanwhile ("Cannot install a trace function while
another trace function is being installed").
"""

import functools
import os
import shutil
import socket
import sqlite3
import subprocess
import threading
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Engine, event

_CALLS = (
    *((socket.socket, "connect"), (socket, "getaddrinfo"), (subprocess.Popen, "__init__")),
    *(
        (os, "fork"),
        (os, "posix_spawn"),
        (shutil, "copyfile"),
        (shutil, "copytree"),
        (shutil, "move"),
    ),
    *((sqlite3, "connect"), (sqlite3.dbapi2, "connect")),
)
_writing = threading.local()


def guard_writes() -> None:
    """From now on such a call inside of a write transaction raises AssertionError where it is made."""
    event.listen(Engine, "begin", _begun)
    event.listen(Engine, "commit", _ended)
    event.listen(Engine, "rollback", _ended)
    for owner, name in _CALLS:
        setattr(owner, name, _guarded(f"{owner.__name__}.{name}", getattr(owner, name)))


def _begun(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        _writing.now = connection.get_execution_options().get("castad_writes", False)


def _ended(connection: Connection) -> None:
    _writing.now = False


def _guarded(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        if getattr(_writing, "now", False):
            raise AssertionError(f"{name} inside of a write transaction on SQLite")
        return call(*args, **kwargs)

    return guarded
