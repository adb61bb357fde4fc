"""The clock of a SQLite ledger that is held: every statement sees the same moment."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, event


@contextmanager
def held_clock(at: datetime) -> Iterator[None]:
    """Hold the clock of every SQLite ledger at this moment until the block ends."""
    text = at.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    with closing(sqlite3.connect(":memory:")) as sums:

        def strftime(*arguments: Any) -> Any:
            given = [text if each == "now" else each for each in arguments]
            marks = ", ".join("?" * len(given))
            return sums.execute(f"SELECT strftime({marks})", given).fetchone()[0]

        def hold(connection: Connection) -> None:
            driver = connection.connection.driver_connection
            assert isinstance(driver, sqlite3.Connection)
            driver.create_function("strftime", -1, strftime, deterministic=True)

        event.listen(Engine, "begin", hold)
        try:
            yield
        finally:
            event.remove(Engine, "begin", hold)
