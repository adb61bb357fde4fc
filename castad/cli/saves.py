"""`castad saves`: what waits in this machine's spool, and what is tried no more."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.table import Table

from castad.cli.context import AsJson
from castad.cli.direct import check_replayed
from castad.direct.pool import list_targets
from castad.stack.output import print_json, print_line, print_result
from pipeline_defs.catalog import get_catalog
from resources.delivery.spool import Waiting, deliver_spool, open_spool
from resources.process.settings import settings

_NONE = "no save waits"
_NO_DEAD = "no save is dead"
app = typer.Typer(add_completion=False)


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
    check_replayed(replay_one, replayed)
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
    _print_saves(waiting, _NONE, is_dead=False)


def show_dead_saves(*, as_json: bool) -> None:
    """Print the saves that are tried no more, with what can be done."""
    dead = open_spool(settings().home).dead()
    if as_json:
        print_json({"dead": [_describe_save(each) for each in dead]})
        return
    _print_saves(dead, _NO_DEAD, is_dead=True)
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
    shown = {
        name: getattr(entry, name) for name in ("id", "target", "key", "attempts", "last_error")
    }
    times = {"appended_at": _time(entry.appended_at), "expires_at": _time(entry.expires_at)}
    state = {"due_at": _time(entry.due_at), "dead_reason": entry.dead_reason}
    return {**shown, **times, **state}


def _time(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
