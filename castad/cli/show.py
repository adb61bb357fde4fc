"""Commands that show orders, and what is delivered later: status, list, history, dead, webhooks, saves."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from castad.cli.context import AsJson, TaskId, open_ledger
from castad.cli.order_view import (
    OrderTable,
    build_dead_json,
    build_dead_view,
    build_status_view,
    describe_standing,
)
from castad.direct.pool import list_targets
from castad.stack.output import (
    build_table,
    print_json,
    print_line,
    print_outcome,
    print_result,
    print_status,
)
from castad.views.history import LoggedEvent, build_history_body, read_history
from castad.views.order_list import parse_search_words, read_full_page
from castad.views.snapshot import Snapshot, read_snapshot
from castad.views.status_body import build_status_body
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError
from resources.delivery.spool import Waiting, deliver_spool, open_spool
from resources.ledger.queries.listing import RequestFilter
from resources.ledger.queries.status import list_requests, read_clock
from resources.ledger.queries.webhooks import list_deliveries
from resources.ledger.schema.tables import UNDELIVERED, DeliveryStatus, Status
from resources.ledger.transitions.webhooks import replay_webhooks
from resources.process.configure_logging import escape_to_one_line, format_utc
from resources.process.settings import settings
from resources.views.webhooks import build_order_webhook_body

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
        _show_dead_saves(as_json=as_json)
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


_MOST = 200
_DELIVERY_STYLES = {
    DeliveryStatus.DELIVERED: "green",
    DeliveryStatus.DEAD: "red",
    DeliveryStatus.DISABLED: "yellow",
}


@app.command(
    epilog="castad webhooks --failed\n\ncastad webhooks --replay 7\n\ncastad webhooks --replay-failed"
)
def webhooks(
    failed: Annotated[
        bool, typer.Option("--failed", help="List only those that are tried no more")
    ] = False,
    replay: Annotated[
        int | None, typer.Option(metavar="ID", help="Send this one again, whatever became of it")
    ] = None,
    replay_failed: Annotated[
        bool, typer.Option("--replay-failed", help="Send all again that are tried no more")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the newest webhooks, which tell an order's callback_url that it has ended; or send some again."""
    db = open_ledger()
    if failed + (replay is not None) + replay_failed > 1:
        raise InvalidInputError(
            "castad webhooks", "expected one of --failed, --replay and --replay-failed"
        )
    if replay_failed or replay is not None:
        count = replay_webhooks(db, replay)
        line = f"webhooks that are sent again: {count}; `castad up` sends them"
        print_outcome({"replayed": count}, line, as_json=as_json)
        return
    found = list_deliveries(db, statuses=UNDELIVERED if failed else (), limit=_MOST)
    if as_json:
        bodies = [build_order_webhook_body(each).model_dump(mode="json") for each in found]
        print_json({"webhooks": bodies})
    elif found:
        rows = [
            (
                str(each.id),
                Text(each.task_id),
                Text(each.type.removeprefix("request.")),
                Text(
                    describe_standing(each),
                    style=_DELIVERY_STYLES.get(DeliveryStatus(each.status), ""),
                ),
                str(each.attempt),
                format_utc(each.updated_at),
                Text(escape_to_one_line(each.host), overflow="ellipsis"),
                Text(each.last_error or "", overflow="fold"),
            )
            for each in found
        ]
        heads = ("id", "order", "end", "status", "tries", "since", "host", "")
        print_result(build_table(heads, rows))
    else:
        print_status("no webhooks" if not failed else "no webhook has failed for good")


@app.command(epilog="castad saves\n\ncastad saves --replay\n\ncastad saves --deliver")
def saves(
    replay: Annotated[
        bool, typer.Option("--replay", help="Try all dead ones again, for another 24 hours")
    ] = False,
    replay_one: Annotated[
        int | None, typer.Option(metavar="ID", help="Try this dead one again")
    ] = None,
    deliver: Annotated[
        bool, typer.Option("--deliver", help="Try now what is due, where no process does")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List what waits on this machine's disk to be saved elsewhere: imports of answers, and their saves."""
    spool = open_spool(settings().home)
    replayed = spool.replay(replay_one) if replay or replay_one is not None else 0
    if replay_one is not None and not replayed:
        expected = "expected the id of a dead save (`castad dead --saves`)"
        raise InvalidInputError("--replay-one", expected)
    delivered = deliver_spool(spool, list_targets(get_catalog())) if deliver else 0
    waiting = spool.waiting()
    if as_json:
        listed = [_describe_save(each) for each in waiting]
        print_json({"replayed": replayed, "delivered": delivered, "waiting": listed})
        return
    if replay or replay_one is not None:
        print_line(f"{replayed} {'save' if replayed == 1 else 'saves'} replayed")
    if deliver:
        print_line(f"{delivered} {'save' if delivered == 1 else 'saves'} delivered")
    _print_saves(waiting, "no save waits", is_dead=False)


def _show_dead_saves(*, as_json: bool) -> None:
    """Print the saves that are tried no more, with what can be done."""
    dead = open_spool(settings().home).dead()
    if as_json:
        print_json({"dead": [_describe_save(each) for each in dead]})
        return
    _print_saves(dead, "no save is dead", is_dead=True)
    if dead:
        print_line("`castad saves --replay` tries all of them again, `--replay-one ID` one")


def _print_saves(entries: Sequence[Waiting], otherwise: str, *, is_dead: bool) -> None:
    if not entries:
        print_line(otherwise)
        return
    table = Table(
        "id", "target", "key", "tries", "since", "reason" if is_dead else "next try, last error"
    )
    for each in entries:
        after = each.dead_reason if is_dead else f"{_time(each.due_at)} {each.last_error or ''}"
        table.add_row(
            str(each.id), each.target, each.key, str(each.attempts), _time(each.appended_at), after
        )
    print_result(table)


def _describe_save(entry: Waiting) -> dict[str, Any]:
    as_stored = ("id", "target", "key", "attempts", "last_error")
    return {
        **{name: getattr(entry, name) for name in as_stored},
        **{name: _time(getattr(entry, name)) for name in ("appended_at", "expires_at", "due_at")},
        "dead_reason": entry.dead_reason,
    }


def _time(moment: float) -> str:
    return format_utc(datetime.fromtimestamp(moment, UTC))
