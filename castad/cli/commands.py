"""What the commands do: read the settings, call the ledger, print."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from castad.cli.follow import farewell, follow, refuse_unmade
from castad.orders.linked_pictures import DRY_RUN_SECONDS, refuse_dead_links_of
from castad.orders.ordering import (
    Placed,
    one_order,
    orders_of,
    place,
    place_all,
    redo_from,
    refuse_conflicts,
)
from castad.orders.orders_file import CheckedOrder
from castad.readmodels.snapshot import Snapshot, look
from castad.readmodels.stats import statistics_json, statistics_view
from castad.readmodels.views import dead_json, dead_view, status_json, status_view, usd
from castad.stack.output import put, put_json, put_line, talk
from castad.stack.processes import Stopped
from pipeline_defs.song_video.brief import NAME, STAGES
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database, open_database
from resources.ledger.moves.orders import cancel, retry
from resources.ledger.queries.reads import list_requests
from resources.ledger.queries.spending import doubt_about
from resources.ledger.queries.statistics import statistics
from resources.ledger.queries.workload import Scope
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.process.settings import PROJECT_ROOT, settings
from resources.providers.registry import picture_source

_MOST_DEAD = 1000


def _ledger() -> Database:
    return open_database(settings().ledger_url)


def make_one(
    file: Path | None, options: Mapping[str, Any], images: Sequence[str], *, as_json: bool
) -> None:
    """The order is placed and its product made, or the reason said."""
    order = one_order(file, options, images, settings())
    placed = place(_ledger(), order)
    if not as_json:
        talk(f"{placed.request.task_id}: {_described(placed, order)}")
    watch_one(placed.request.task_id, as_json=as_json)


def _described(placed: Placed, order: CheckedOrder) -> str:
    brief = order.payload
    told = f"{brief['customer_name']}, {brief['region']}, {brief['duration_seconds']} s"
    return told if placed.created else f"{told} (ordered before)"


def watch_one(task_id: str, *, as_json: bool) -> None:
    """The order has been waited for and its result printed, or the reason said."""
    try:
        snapshot = follow(_ledger(), settings(), task_id)
    except Stopped as stop:
        talk(farewell(task_id))
        raise typer.Exit(128 + stop.signum) from None
    if as_json:
        put_json(status_json(snapshot))
    refuse_unmade(snapshot)
    if not as_json:
        _put_result(snapshot)


def _put_result(snapshot: Snapshot) -> None:
    for note in snapshot.notes:
        talk(f"note: {note}")
    if snapshot.cost:
        talk(f"cost: {usd(snapshot.cost):.4f} USD")
    put_line(str(snapshot.path))


def submit_file(file: Path, *, dry_run: bool, as_json: bool) -> None:
    """Every order of the file stands in the ledger, or none does; a dry run only tries their links."""
    orders = orders_of(file)
    db = _ledger()
    if dry_run:
        refuse_conflicts(db, orders)
        refuse_dead_links_of(orders, picture_source(settings()), DRY_RUN_SECONDS)
        _put_checked(orders, as_json=as_json)
        return
    placed = place_all(db, orders)
    if as_json:
        put_json({"orders": [_placed_json(entry) for entry in placed]})
        return
    for entry, order in zip(placed, orders, strict=True):
        put_line(f"{entry.request.task_id}  {_described(entry, order)}")
    talk("`castad up` works on them; `castad status TASK_ID` tells how one stands")


def _put_checked(orders: Sequence[CheckedOrder], *, as_json: bool) -> None:
    if as_json:
        checked = [{"task_id": order.task_id, **order.payload} for order in orders]
        put_json({"dry_run": True, "orders": checked})
        return
    for order in orders:
        name, brief = order.task_id or "(a new name)", order.payload
        put_line(f"{name}  {brief['customer_name']}, {brief['region']}")
    placeable = "1 order" if len(orders) == 1 else f"{len(orders)} orders"
    talk(f"{placeable} can be placed; nothing was taken")


def _placed_json(placed: Placed) -> dict[str, Any]:
    request = placed.request
    return {"task_id": request.task_id, "status": str(request.status), "created": placed.created}


def show_status(task_id: str, *, as_json: bool) -> None:
    """How the order stands is printed."""
    snapshot = look(_ledger(), task_id, settings().home / "artifacts")
    if as_json:
        put_json(status_json(snapshot))
    else:
        put(status_view(snapshot))


def show_history(task_id: str, *, as_json: bool) -> None:
    """The order's life is printed, from the Dagster event log, and from the ledger what that does not hold."""
    from castad.readmodels.history import history_of, history_table
    from castad.stack.local_daemon import open_instance

    with open_instance(settings()) as instance:
        life = history_of(instance, _ledger(), task_id)
    if as_json:
        listed = [entry.as_json() for entry in life.entries]
        put_json({"task_id": task_id, "history": listed, "note": life.note})
        return
    put(history_table(life.entries))
    if life.note is not None:
        talk(life.note)


def work(concurrency: int | None, *, while_needed: bool) -> int:
    """Runs have been taken until this process was told to stop; returns the exit code."""
    from castad.engine.worker import run_worker

    config = settings()
    return run_worker(config, concurrency or config.runs_at_once, while_needed=while_needed)


def serve(host: str, port: int, *, openapi: bool) -> int:
    """Calls have been answered until this process was told to stop; returns the exit code."""
    from castad.api.serve import openapi_text, run_api

    if openapi:
        put_line(openapi_text())
        return 0
    return run_api(settings(), host, port)


def serve_ui(host: str, port: int, workspace: Path | None) -> int:
    """The Dagster UI has been served until this process was told to stop; returns the exit code."""
    from castad.api.dagster_ui.serve import run_ui

    return run_ui(settings(), host, port, workspace or PROJECT_ROOT / "workspace.yaml")


def retry_one(task_id: str, *, as_json: bool) -> None:
    """The order is in line again."""
    _move(lambda db: retry(db, task_id), as_json=as_json)


def redo_one(task_id: str, stage: str, orientation: str | None, *, as_json: bool) -> None:
    """The stage and what follows will be made anew, upright or lying from now on where that is given.

    Raises InvalidInputError for a stage or an orientation there is not.
    """
    if stage not in STAGES:
        raise InvalidInputError("--from", f"expected {', '.join(STAGES[:-1])} or {STAGES[-1]}")
    _move(lambda db: redo_from(db, task_id, stage, orientation), as_json=as_json)


def cancel_one(task_id: str, *, as_json: bool) -> None:
    """The order is canceled, or what works on it has been told to stop."""
    _move(lambda db: cancel(db, task_id), as_json=as_json)


def _move(move: Callable[[Database], Request], *, as_json: bool) -> None:
    request = move(_ledger())
    if as_json:
        put_json({"task_id": request.task_id, "status": str(request.status)})
    elif request.status is Status.PENDING:
        put_line(f"{request.task_id} is pending; `castad watch {request.task_id}` goes on with it")
    elif request.cancel_requested:
        put_line(f"{request.task_id} stops as soon as what works on it notices")
    else:
        put_line(f"{request.task_id} is {request.status}")
        _tell_doubt(request)


def _tell_doubt(request: Request) -> None:
    doubt = doubt_about(_ledger(), request)
    if doubt is not None:
        talk(
            f"{doubt.stage}: what was ordered from {doubt.provider} may still be made and charged; "
            f"see `castad history {request.task_id}` and `castad resolve --help`"
        )


def show_dead(*, as_json: bool) -> None:
    """The dead letters are printed, the newest first."""
    letters = list_requests(_ledger(), Status.DEAD, _MOST_DEAD)
    if as_json:
        put_json({"dead": [dead_json(request) for request in letters]})
    elif letters:
        put(dead_view(letters))
    else:
        talk("no dead letters")


def show_statistics(stuck_after: float, *, as_json: bool) -> None:
    """How all the work stands is printed."""
    scope = Scope({NAME: STAGES[0]}, settings().lease_seconds)
    told = statistics(_ledger(), scope, stuck_after)
    if as_json:
        put_json(statistics_json(told, STAGES))
    else:
        put(statistics_view(told, STAGES))
