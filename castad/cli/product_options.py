"""A command that shows a field of what a stage has made, or has a person change it."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from castad.cli.approval import edit_one, show_field, write_field
from pipeline_defs.verbs import Verb
from resources.contract.errors import InvalidInputError


def product_function(verb: Verb) -> Callable[..., None]:
    """What the command does, with its options."""

    def command(
        task_id: Annotated[str, typer.Argument(metavar="TASK_ID", help="The order's name")],
        edit: Annotated[bool, typer.Option("--edit", help="Change it in $EDITOR")] = False,
        text: Annotated[
            Path | None,
            typer.Option(
                "--text", metavar="FILE", help="Replace it by a text; - is standard input"
            ),
        ] = None,
    ) -> None:
        if edit and text is not None:
            raise InvalidInputError("--text", "expected without --edit")
        if edit:
            edit_one(task_id, verb.stage)
        elif text is not None:
            write_field(task_id, verb.stage, verb.field, text)
        else:
            show_field(task_id, verb.stage, verb.field)

    return command
