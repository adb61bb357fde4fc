"""Commands of a person for whom an order waits: approve, reject, choose, edit; and what a stage has made."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, TypeVar

import typer
import yaml

from castad.cli.context import AsJson, TaskId, acting_person, open_ledger
from castad.orders.approval import (
    apply_choice,
    approve_order,
    read_revisable,
    reject_order,
    revise_order,
)
from castad.stack.output import print_json, print_line, print_status
from pipeline_defs.verbs import Verb
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database
from resources.ledger.request import Request

_STANDARD_INPUT = Path("-")
_EDITOR = "vi"
_FIELD = "the edited text"
T = TypeVar("T")
_Stage = Annotated[
    str | None,
    typer.Option("--stage", help="The stage that is meant; that which the order waits for"),
]
_Generation = Annotated[
    int | None,
    typer.Option(min=1, help="The generation of --stage that you have seen, as the status has it"),
]
app = typer.Typer(add_completion=False)


@app.command(epilog="castad approve order-1a2b3c\n\ncastad approve order-1a2b3c --stage lyric")
def approve(
    task_id: TaskId,
    stage: _Stage = None,
    generation: _Generation = None,
    as_json: AsJson = False,
) -> None:
    """Approve what a stage has made: the order that waits for it goes on."""
    by = acting_person()
    _act(lambda db: approve_order(db, task_id, stage, by, generation), as_json=as_json)


@app.command(epilog='castad reject order-1a2b3c --reason "not our shop"')
def reject(
    task_id: TaskId,
    reason: Annotated[str | None, typer.Option(help="Why; the order shows it")] = None,
    as_json: AsJson = False,
) -> None:
    """Cancel an order that waits for an approval; a retry waits for it again."""
    _act(lambda db: reject_order(db, task_id, acting_person(), reason), as_json=as_json)


@app.command(epilog="castad choose order-1a2b3c b")
def choose(
    task_id: TaskId,
    choice: Annotated[str, typer.Argument(metavar="CHOICE", help="Its id, as the status lists it")],
    stage: _Stage = None,
    generation: _Generation = None,
    as_json: AsJson = False,
) -> None:
    """Use another one of what was paid for together; the order still waits for the approval."""
    _act(
        lambda db: apply_choice(db, task_id, stage, choice, acting_person(), generation).request,
        as_json=as_json,
    )


@app.command(epilog="castad edit order-1a2b3c\n\nEDITOR=nano castad edit order-1a2b3c lyric")
def edit(
    task_id: TaskId,
    stage: Annotated[
        str | None,
        typer.Argument(metavar="STAGE", help="The stage; that which the order waits for"),
    ] = None,
) -> None:
    """Change what a stage has made, in $EDITOR; the order still waits for the approval."""
    db = open_ledger()
    found = read_revisable(db, task_id, stage)

    def revised_to(given: Mapping[str, Any]) -> Request:
        by = acting_person()
        return revise_order(db, task_id, found.stage, given, by, found.generation).request

    revised = edit_fields(found.fields, revised_to)
    if revised is None:
        print_status("nothing was changed")
    else:
        _print_outcome(revised, as_json=False)


def make_product_function(verb: Verb) -> Callable[..., None]:
    """Make the function of a command that shows a field of a stage's product, or has a person change it."""

    def command(
        task_id: TaskId,
        edited: Annotated[bool, typer.Option("--edit", help="Change it in $EDITOR")] = False,
        text: Annotated[
            Path | None,
            typer.Option(
                "--text", metavar="FILE", help="Replace it by a text; - is standard input"
            ),
        ] = None,
    ) -> None:
        if edited and text is not None:
            raise InvalidInputError("--text", "expected without --edit")
        if edited:
            edit(task_id, verb.stage)
        elif text is not None:
            write_field(task_id, verb.stage, verb.field, text)
        else:
            show_field(task_id, verb.stage, verb.field)

    return command


def show_field(task_id: str, stage: str, field: str) -> None:
    """Print this field of what the stage has made."""
    print_line(str(read_revisable(open_ledger(), task_id, stage).fields[field]))


def write_field(task_id: str, stage: str, field: str, file: Path) -> None:
    """Replace this field of the stage's product by the text of the file; `-` is the standard input."""
    try:
        text = sys.stdin.buffer.read() if file == _STANDARD_INPUT else file.read_bytes()
        fields = {field: text.decode("utf-8-sig")}
    except (OSError, UnicodeDecodeError):
        raise InvalidInputError("--text", "expected a readable file of UTF-8 text") from None
    revised = revise_order(open_ledger(), task_id, stage, fields, acting_person()).request
    _print_outcome(revised, as_json=False)


def _act(transition: Callable[[Database], Request], *, as_json: bool) -> None:
    _print_outcome(transition(open_ledger()), as_json=as_json)


def _print_outcome(request: Request, *, as_json: bool) -> None:
    name, held = request.task_id, request.held_stage
    if as_json:
        print_json({"task_id": name, "status": str(request.status), "waits_for": request.waits_for})
    elif held is not None:
        print_line(f"{name} waits for a person to approve the {held}: `castad approve {name}`")
    elif request.is_terminal:
        print_line(f"{name} is {request.status}")
    else:
        print_line(f"{name} is {request.status}; `castad watch {name}` continues it")


def edit_fields(fields: Mapping[str, Any], accept: Callable[[Mapping[str, Any]], T]) -> T | None:
    """Let a person edit the fields as YAML; return what `accept` returns for them, None if nothing was changed.

    Fields that it refuses are shown again with the reason. Raises that InvalidInputError where they are left so.
    """
    text = yaml.dump(dict(fields), Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=1000)
    refusal: InvalidInputError | None = None
    while True:
        remark = "" if refusal is None else f"# {' '.join(refusal.message.split())}\n"
        edited = _edit_text(f"{remark}{text}")
        if edited.startswith("# ") and "\n" in edited:
            edited = edited.split("\n", 1)[1]
        if edited == text and refusal is not None:
            raise refusal
        if edited == text:
            return None
        try:
            return accept(_parse_yaml(edited))
        except InvalidInputError as error:
            text, refusal = edited, error


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as they are read, line by line."""


_Dumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    ),
)


def _edit_text(text: str) -> str:
    """Open the text in the person's editor, and return what it saves. Raises InvalidInputError if it fails."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or _EDITOR
    with TemporaryDirectory(prefix="castad-") as folder:
        file = Path(folder) / "edit.yaml"
        file.write_text(text, "utf-8")
        try:
            subprocess.run([*shlex.split(editor), str(file)], check=True)
            return file.read_text("utf-8-sig")
        except (OSError, ValueError, subprocess.CalledProcessError):
            raise InvalidInputError("EDITOR", "expected an editor that starts and saves") from None


def _parse_yaml(text: str) -> Mapping[str, Any]:
    try:
        fields = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        raise InvalidInputError(_FIELD, "expected YAML") from None
    if not isinstance(fields, dict):
        raise InvalidInputError(_FIELD, "expected fields with their values")
    return {str(name): value for name, value in fields.items()}
