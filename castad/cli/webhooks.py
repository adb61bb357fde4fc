"""Commands on what is delivered later: webhooks, and the saves of the spool."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from castad.cli.context import AsJson, open_ledger
from castad.cli.order_view import describe_standing
from castad.direct.pool import list_targets
from castad.stack.output import (
    build_table,
    print_json,
    print_line,
    print_outcome,
    print_result,
    print_status,
)
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError
from resources.delivery.spool import Waiting, deliver_spool, open_spool
from resources.ledger.queries.webhooks import list_deliveries
from resources.ledger.schema.tables import UNDELIVERED, DeliveryStatus
from resources.ledger.transitions.webhooks import replay_webhooks
from resources.process.configure_logging import escape_to_one_line, format_utc
from resources.process.settings import settings
from resources.views.webhooks import build_order_webhook_body

_MOST = 200
_MARKS = {
    DeliveryStatus.DELIVERED: "green",
    DeliveryStatus.DEAD: "red",
    DeliveryStatus.DISABLED: "yellow",
}
app = typer.Typer(add_completion=False)


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
                Text(describe_standing(each), style=_MARKS.get(DeliveryStatus(each.status), "")),
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


def show_dead_saves(*, as_json: bool) -> None:
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
