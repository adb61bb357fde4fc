"""The suite's guard over write transactions on SQLite reports what it is there for."""

import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return create_engine(f"sqlite:///{tmp_path / 'guarded.db'}")


@pytest.mark.parametrize(
    "call",
    [
        lambda: sqlite3.connect(":memory:"),
        lambda: socket.getaddrinfo("127.0.0.1", 80),
        lambda: subprocess.run([sys.executable, "-c", ""], check=True),
    ],
    ids=["connect", "getaddrinfo", "subprocess"],
)
def test_guard_reports_a_slow_call_inside_of_a_write_transaction(engine, call):
    with (
        engine.connect().execution_options(castad_writes=True) as connection,
        connection.begin(),
        pytest.raises(AssertionError, match="inside of a write transaction"),
    ):
        call()


def test_guard_lets_a_slow_call_pass_outside_of_a_write_transaction(engine):
    with engine.connect().execution_options(castad_writes=True) as connection, connection.begin():
        pass

    sqlite3.connect(":memory:").close()
