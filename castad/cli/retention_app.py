"""The options of `castad retention`; `retention.py` does the work and is imported on demand."""

from typing import Annotated

import typer

from castad.cli.key_app import AsJson


def add_retention(app: typer.Typer) -> None:
    """The command line has the command."""
    app.command(epilog="castad retention --dry-run")(retention)


def retention(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count what would be removed")
    ] = False,
    gently: Annotated[
        bool, typer.Option("--gently", help="Rest between batches, as the hourly schedule does")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Remove what has ended long ago, as the hourly schedule does, until nothing is left (CASTAD_KEEP_…)."""
    from castad.cli.retention import run_retention

    run_retention(dry_run=dry_run, gently=gently, as_json=as_json)
