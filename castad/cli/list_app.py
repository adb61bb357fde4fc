"""The options of `castad list`; `list_orders.py` does the work and is imported on demand."""

from typing import Annotated

import typer

from castad.cli.key_app import AsJson


def add_list(app: typer.Typer) -> None:
    """The command line has the command."""
    app.command(
        "list", epilog='castad list --status dead\n\ncastad list --q "Bluebird Busan" --limit 5'
    )(list_orders)


def list_orders(
    status: Annotated[str | None, typer.Option(help="Only orders of this status")] = None,
    pipeline: Annotated[str | None, typer.Option(help="Only orders of this pipeline")] = None,
    q: Annotated[
        str | None,
        typer.Option(
            "--q",
            metavar="WORDS",
            help="Only orders with all these words in their fields, their products' words or their names",
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Orders at most")] = 20,
    as_json: AsJson = False,
) -> None:
    """List orders, the newest first: what each is about, where it is, its age and what it cost."""
    from castad.cli.list_orders import show_orders

    show_orders(status=status, pipeline=pipeline, query=q, limit=limit, as_json=as_json)
