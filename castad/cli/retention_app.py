"""The options of `castad retention`; `retention.py` does the work and is imported on demand."""

from typing import Annotated

import typer

from castad.cli.key_app import AsJson
from resources.contract.errors import InvalidInputError


def add_retention(app: typer.Typer) -> None:
    """The command line has the command."""
    app.command(epilog="castad retention --dry-run\n\ncastad retention --shrink --json")(retention)


def retention(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count what would be removed")
    ] = False,
    gently: Annotated[
        bool, typer.Option("--gently", help="Rest between batches, as the hourly schedule does")
    ] = False,
    shrink: Annotated[
        bool,
        typer.Option(
            "--shrink",
            help="Afterwards give the room of removed rows back to the disk: locks every table for minutes",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Remove what has ended long ago, as the hourly schedule does, until nothing is left (CASTAD_KEEP_…)."""
    from castad.cli.retention import run_retention

    if shrink and dry_run:
        raise InvalidInputError("--shrink", "expected no --dry-run beside it: it removes nothing")

    run_retention(dry_run=dry_run, gently=gently, shrink=shrink, as_json=as_json)
