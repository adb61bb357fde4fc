"""The commands of a person for whom an order waits: approve, reject, choose, edit; and what a stage has made."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from castad.cli.editor import edit_fields
from castad.cli.person import acting_person
from castad.orders.approval import (
    approve_order,
    choose_order,
    product_to_revise,
    reject_order,
    revise_order,
)
from castad.stack.output import print_json, print_line, print_status
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database, open_database
from resources.ledger.request import Request
from resources.process.settings import settings

_STANDARD_INPUT = Path("-")


def approve_one(task_id: str, stage: str | None, generation: int | None, *, as_json: bool) -> None:
    """The stage that the order waits for is approved, and the order is due."""
    by = acting_person()
    _act(lambda db: approve_order(db, task_id, stage, by, generation), as_json=as_json)


def reject_one(task_id: str, reason: str | None, *, as_json: bool) -> None:
    """The order is canceled, with the reason."""
    _act(lambda db: reject_order(db, task_id, acting_person(), reason), as_json=as_json)


def choose_one(
    task_id: str, choice: str, stage: str | None, generation: int | None, *, as_json: bool
) -> None:
    """This one of what was paid for is the one that is used."""
    _act(
        lambda db: choose_order(db, task_id, stage, choice, acting_person(), generation).request,
        as_json=as_json,
    )


def edit_one(task_id: str, stage: str | None) -> None:
    """The person has edited the fields of the stage's product; raises what `edit_fields` and a revision raise."""
    db = _ledger()
    found = product_to_revise(db, task_id, stage)

    def revised_to(given: Mapping[str, Any]) -> Request:
        by = acting_person()
        return revise_order(db, task_id, found.stage, given, by, found.generation).request

    revised = edit_fields(found.fields, revised_to)
    if revised is None:
        print_status("nothing was changed")
    else:
        _tell(revised, as_json=False)


def show_field(task_id: str, stage: str, field: str) -> None:
    """This field of what the stage has made was printed."""
    print_line(str(product_to_revise(_ledger(), task_id, stage).fields[field]))


def write_field(task_id: str, stage: str, field: str, file: Path) -> None:
    """This field of the stage's product is the text of the file, or of the standard input where that is `-`."""
    fields = {field: _text_of(file)}
    _act(
        lambda db: revise_order(db, task_id, stage, fields, acting_person()).request,
        as_json=False,
    )


def _act(transition: Callable[[Database], Request], *, as_json: bool) -> None:
    _tell(transition(_ledger()), as_json=as_json)


def _tell(request: Request, *, as_json: bool) -> None:
    name, held = request.task_id, request.held_stage
    if as_json:
        print_json({"task_id": name, "status": str(request.status), "waits_for": request.waits_for})
    elif held is not None:
        print_line(f"{name} waits for a person to approve the {held}: `castad approve {name}`")
    elif request.is_terminal:
        print_line(f"{name} is {request.status}")
    else:
        print_line(f"{name} is {request.status}; `castad watch {name}` continues it")


def _ledger() -> Database:
    return open_database(settings().ledger_url)


def _text_of(file: Path) -> str:
    try:
        text = sys.stdin.buffer.read() if file == _STANDARD_INPUT else file.read_bytes()
        return text.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise InvalidInputError("--text", "expected a readable file of UTF-8 text") from None
