"""What every command starts from: the options that many share, the ledger, and who acts."""

import getpass
from typing import Annotated

import typer

from resources.contract.errors import CastadError
from resources.ledger.db.database import Database, open_database
from resources.process.settings import settings

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else")]
TaskId = Annotated[str, typer.Argument(metavar="TASK_ID", help="The order's name")]
Attempt = Annotated[
    int | None,
    typer.Option(min=0, help="The last attempt that you have seen: the same act is done once"),
]


def open_ledger() -> Database:
    """Open the ledger of the settings."""
    return open_database(settings().ledger_url)


def acting_person() -> str:
    """Return the name of this machine's user, as events have it; `cli` where it has none."""
    try:
        return f"cli:{getpass.getuser()}"
    except (KeyError, OSError):
        return "cli"


class IncompleteError(CastadError):
    """The request ended without its product; `code` is the request's own."""
