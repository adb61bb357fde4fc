"""The options of `castad report`; `report.py` does the work and is imported on demand."""

from pathlib import Path
from typing import Annotated

import typer

from castad.cli.key_app import AsJson


def add_report(app: typer.Typer) -> None:
    """The command line has the command."""
    app.command(
        # -1 is an hour, not an option.
        context_settings={"ignore_unknown_options": True},
        epilog="castad report -1 --html report.html\n\ncastad report 2026-11-23T14 --csv",
    )(report)


def report(
    hour: Annotated[
        str,
        typer.Argument(metavar="HOUR", help="An hour in UTC such as 2026-11-23T14; -1 is the last"),
    ] = "-1",
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV")] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report as an HTML page too")
    ] = None,
    korean: Annotated[bool, typer.Option("--korean", help="Headings in Korean")] = False,
    as_json: AsJson = False,
) -> None:
    """Report on a closed hour: by stage what ended, failed and cost, how long it took, and what is unusual."""
    from castad.cli.report import show_report

    show_report(hour, html, as_csv=as_csv, as_json=as_json, is_korean=korean)
