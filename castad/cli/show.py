"""Commands that show orders: status, list, history, dead."""

from collections.abc import Iterable
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from castad.cli.context import AsJson, TaskId, open_ledger
from castad.cli.order_view import OrderTable, build_dead_json, build_dead_view, build_status_view
from castad.stack.output import print_json, print_result, print_status
from castad.views.history import LoggedEvent, build_history_body, read_history
from castad.views.order_list import parse_search_words, read_full_page
from castad.views.snapshot import Snapshot, read_snapshot
from castad.views.status_body import build_status_body
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError
from resources.ledger.queries.listing import RequestFilter
from resources.ledger.queries.status import list_requests, read_clock
from resources.ledger.schema.tables import Status
from resources.process.configure_logging import format_utc
from resources.process.settings import settings

_MAX_DEAD = 1000
_KINDS = {"request": "bold", "run": "cyan", "step": "", "asset": "green"}
app = typer.Typer(add_completion=False)


@app.command(epilog="castad status order-1a2b3c --json")
def status(task_id: TaskId, as_json: AsJson = False) -> None:
    """Show an order's status."""
    snapshot = read_snapshot(open_ledger(), task_id, settings().home / "artifacts")
    if as_json:
        print_json(describe_status(snapshot))
    else:
        print_result(build_status_view(snapshot))


def describe_status(snapshot: Snapshot) -> dict[str, Any]:
    """Return the API's status of the order, with the paths of its files on this machine."""
    body = build_status_body(snapshot, settings().ui_url).model_dump(mode="json")
    path = None if snapshot.path is None else str(snapshot.path)
    files = [str(file) for _, file in snapshot.files]
    return {**body, "path": path, "files": files}


@app.command(
    "list", epilog='castad list --status dead\n\ncastad list --q "Bluebird Busan" --limit 5'
)
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
    if status is not None and status not in [*Status]:
        expected = f"expected {', '.join(Status)}, got {ascii(status)[:80]}"
        raise InvalidInputError("--status", expected)
    wanted = RequestFilter(
        status=None if status is None else Status(status),
        pipeline=None if pipeline is None else get_catalog().get_pipeline(pipeline).name,
    )
    words = [] if q is None else parse_search_words(q)
    db = open_ledger()
    page = read_full_page(db, wanted, words=words, limit=limit)
    if as_json:
        print_json(page.model_dump(mode="json"))
    elif page.orders:
        print_result(OrderTable(page.orders, read_clock(db)))
    else:
        print_status("no orders" if wanted == RequestFilter() and not words else "no such orders")


@app.command(epilog="castad history order-1a2b3c")
def history(task_id: TaskId, as_json: AsJson = False) -> None:
    """Show an order's history from the Dagster event log."""
    from castad.stack.local_daemon import open_instance

    with open_instance(settings()) as instance:
        request_history = read_history(instance, open_ledger(), task_id)
    if as_json:
        body = build_history_body(task_id, request_history, settings().ui_url)
        print_json(body.model_dump(mode="json"))
        return
    print_result(_build_history_table(request_history.entries))
    if request_history.note is not None:
        print_status(request_history.note)


@app.command(epilog="castad dead --json\n\ncastad dead --saves")
def dead(
    saves: Annotated[
        bool, typer.Option("--saves", help="List the saves of this machine that are tried no more")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the dead letters: orders that ended without a result, and how to repair each."""
    if saves:
        from castad.cli.webhooks import show_dead_saves

        show_dead_saves(as_json=as_json)
        return
    letters = list_requests(open_ledger(), Status.DEAD, _MAX_DEAD)
    if as_json:
        print_json({"dead": [build_dead_json(request) for request in letters]})
    elif letters:
        print_result(build_dead_view(letters))
    else:
        print_status("no dead letters")


def _build_history_table(entries: Iterable[LoggedEvent]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("time", no_wrap=True)
    table.add_column("kind", no_wrap=True)
    table.add_column("what", overflow="fold")
    table.add_column("run", no_wrap=True)
    for entry in entries:
        table.add_row(
            format_utc(entry.at),
            Text(entry.kind, style=_KINDS[entry.kind]),
            Text(entry.what),
            (entry.run_id or "")[:8],
        )
    return table
