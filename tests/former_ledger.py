"""The ledgers that earlier castads have left: those of their revisions wrote the dumps in `tests/fixtures`."""

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg2
from sqlalchemy import make_url

_DUMPS = Path(__file__).parent / "fixtures"


def leave_ledger(url: str, revision: str) -> str:
    """The empty database holds the ledger of that revision."""
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        with closing(sqlite3.connect(str(address.database))) as file:
            file.executescript((_DUMPS / f"{revision}.sqlite.sql").read_text("utf-8"))
    else:
        with closing(psycopg2.connect(url.replace("+psycopg2", ""))) as server, server:
            server.cursor().execute((_DUMPS / f"{revision}.postgres.sql").read_text("utf-8"))
    return url
