"""What the tests of the command line share."""

import os
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest

from castad.boundary import run
from castad.cli import app
from resources.ledger.database import Database, open_database
from resources.settings import settings


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


Castad = Callable[..., Done]


@pytest.fixture
def castad() -> Castad:
    """Run `castad` with these arguments as `main` does; bytes are what a shell may hand over."""

    def run_command(*arguments: str | bytes) -> Done:
        settings.cache_clear()
        with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
            status = run(app, [os.fsdecode(argument) for argument in arguments])
        return Done(status, out.getvalue(), err.getvalue())

    return run_command


@pytest.fixture
def ledger() -> Database:
    """The ledger that the command line of this test uses."""
    return open_database(settings().ledger_url)


@pytest.fixture
def orders(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write a file of orders."""

    def write(name: str, content: str) -> Path:
        file = tmp_path / name
        file.write_text(content)
        return file

    return write
