"""`castad delete`: an ended order is deleted, after the person was asked."""

import sys

import typer

from castad.cli.person import acting_person
from castad.orders.delete import delete_order
from castad.stack.local_daemon import open_instance
from castad.stack.output import print_json, print_line
from resources.contract.errors import InvalidInputError
from resources.files.artifacts import open_artifact_store
from resources.ledger.db.database import open_database
from resources.process.settings import settings


def delete_one(task_id: str, *, is_sure: bool, as_json: bool) -> None:
    """The order is gone. Raises InvalidInputError where there is no terminal to ask on."""
    if not is_sure:
        if not sys.stdin.isatty():
            raise InvalidInputError("--yes", "expected where there is no terminal to ask on")
        typer.confirm(f"Delete {task_id}, its files and its history for ever?", abort=True)
    config = settings()
    db, store = open_database(config.ledger_url), open_artifact_store(config)
    with open_instance(config) as instance:
        delete_order(db, store, instance, task_id, acting_person())
    if as_json:
        print_json({"task_id": task_id, "deleted": True})
    else:
        print_line(f"{task_id} is deleted")
