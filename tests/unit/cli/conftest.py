"""What the tests of the command line share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from resources.ledger.db.database import Database, open_database
from tests import command_line
from tests.command_line import Done

Castad = Callable[..., Done]


@pytest.fixture
def castad() -> Castad:
    """Run `castad` in this process."""
    return command_line.castad


@pytest.fixture
def ledger(sqlite_ledger_url: str) -> Database:
    """The ledger that the command line of this test uses."""
    return open_database(sqlite_ledger_url)


@pytest.fixture
def orders(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write a file of orders."""

    def write(name: str, content: str) -> Path:
        file = tmp_path / name
        file.write_text(content)
        return file

    return write
