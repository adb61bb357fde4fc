"""`castad saves` and `castad dead --saves`: what waits in this machine's spool, and what is tried no more."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from rich.table import Table

from castad.cli.direct import refuse_unknown_save
from castad.direct.service import list_targets
from castad.stack.output import print_json, print_line, print_result
from pipeline_defs.catalog import get_catalog
from resources.delivery.spool import Waiting, deliver_spool, open_spool
from resources.process.settings import settings

_NONE = "no save waits"
_NO_DEAD = "no save is dead"


def run_saves(*, replay: bool, replay_id: int | None, deliver: bool, as_json: bool) -> None:
    """The saves that wait were printed, after the dead ones were replayed or those due were tried, where asked."""
    spool = open_spool(settings().home)
    replayed = spool.replay(replay_id) if replay or replay_id is not None else 0
    refuse_unknown_save(replay_id, replayed)
    delivered = deliver_spool(spool, list_targets(get_catalog())) if deliver else 0
    waiting = spool.waiting()
    if as_json:
        listed = [_as_json(each) for each in waiting]
        print_json({"replayed": replayed, "delivered": delivered, "waiting": listed})
        return
    if replay or replay_id is not None:
        print_line(f"{replayed} {'save' if replayed == 1 else 'saves'} replayed")
    if deliver:
        print_line(f"{delivered} {'save' if delivered == 1 else 'saves'} delivered")
    _print(waiting, _NONE, is_dead=False)


def show_dead_saves(*, as_json: bool) -> None:
    """The saves that are tried no more were printed, with what can be done."""
    dead = open_spool(settings().home).dead()
    if as_json:
        print_json({"dead": [_as_json(each) for each in dead]})
        return
    _print(dead, _NO_DEAD, is_dead=True)
    if dead:
        print_line("`castad saves --replay` tries all of them again, `--replay-one ID` one")


def _print(entries: Sequence[Waiting], otherwise: str, *, is_dead: bool) -> None:
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


def _as_json(entry: Waiting) -> dict[str, Any]:
    shown = {
        name: getattr(entry, name) for name in ("id", "target", "key", "attempts", "last_error")
    }
    times = {"appended_at": _time(entry.appended_at), "expires_at": _time(entry.expires_at)}
    state = {"due_at": _time(entry.due_at), "dead_reason": entry.dead_reason}
    return {**shown, **times, **state}


def _time(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
