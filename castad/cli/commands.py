"""The commands' work: they read the settings, call the ledger and print."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import typer

from castad.cli.boundary import WAITS_FOR_PERSON
from castad.cli.follow import follow, raise_if_incomplete, resume_hint
from castad.cli.person import acting_person
from castad.orders.linked_pictures import DRY_RUN_SECONDS, refuse_dead_links_of
from castad.orders.orders_file import CheckedOrder, check_order, read_orders
from castad.orders.redo import redo_from
from castad.orders.retry import retry_order
from castad.orders.submit import (
    build_order,
    checked_orders,
    refuse_conflicts,
    submit_all,
    submit_order,
)
from castad.readmodels.history import history_table, read_history
from castad.readmodels.history_body import history_body
from castad.readmodels.hold_text import hold_commands
from castad.readmodels.snapshot import Snapshot, read_snapshot
from castad.readmodels.stats import statistics_view, workload_scope
from castad.readmodels.stats_body import stats_body
from castad.readmodels.status_body import status_body
from castad.readmodels.views import dead_json, dead_view, headline, status_view
from castad.stack.local_daemon import open_instance, read_daemon_health
from castad.stack.output import print_json, print_line, print_result, print_status
from castad.stack.processes import StopRequested
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline
from resources.files.pictures import get_picture_source
from resources.ledger.db.database import Database, open_database
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.money import find_submission_in_doubt
from resources.ledger.queries.statistics import read_statistics
from resources.ledger.queries.status import get_request, list_requests
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.orders import Submitted, cancel_request
from resources.process.configure_logging import format_utc
from resources.process.settings import settings
from resources.views.order_body import usd

_MAX_DEAD = 1000


def _ledger() -> Database:
    return open_database(settings().ledger_url)


def make_one(file: Path | None, options: Mapping[str, Any], as_json: bool) -> None:
    """The order was submitted and its result printed. Raises IncompleteError where it ended without one."""
    order = build_order(file, options, settings())
    submitted = submit_order(_ledger(), order)
    if submitted.updated or not as_json:
        print_status(f"{submitted.request.task_id}: {_describe_order(submitted, order)}")
    watch_one(submitted.request.task_id, as_json=as_json)


def _describe_order(submitted: Submitted, order: CheckedOrder) -> str:
    changed = f", {' and '.join(submitted.updated)} changed" if submitted.updated else ""
    remarks = [] if submitted.created else [f"submitted before{changed}"]
    planned = submitted.request.scheduled_for
    if planned is not None:
        remarks.append(f"scheduled for {format_utc(planned)}")
    summary = order.pipeline.summarize_order(order.payload)
    return f"{summary} ({'; '.join(remarks)})" if remarks else summary


def watch_one(task_id: str, *, as_json: bool) -> None:
    """The order has ended and its result was printed. Raises IncompleteError where it ended without one.

    Where it waits for a person, what that person may do was printed, and the exit code says so.
    """
    try:
        snapshot = follow(_ledger(), settings(), task_id)
    except StopRequested as stop:
        print_status(resume_hint(task_id))
        raise typer.Exit(128 + stop.signum) from None
    if as_json:
        print_json(_status_json(snapshot))
    if snapshot.request.held_stage is not None:
        _end_held(snapshot)
    raise_if_incomplete(snapshot)
    if not as_json:
        _print_result(snapshot)


def _end_held(snapshot: Snapshot) -> NoReturn:
    print_status(f"{snapshot.request.task_id}: {headline(snapshot)}")
    for line in hold_commands(snapshot):
        print_status(f"  {line}")
    raise typer.Exit(WAITS_FOR_PERSON)


def _print_result(snapshot: Snapshot) -> None:
    for note in snapshot.notes:
        print_status(f"note: {note}")
    if snapshot.cost:
        print_status(f"cost: {usd(snapshot.cost):.4f} USD")
    for line in _last_lines(snapshot):
        print_line(line)


def _last_lines(snapshot: Snapshot) -> list[str]:
    """The main files' paths; the result as one line of JSON where the pipeline makes no such file."""
    paths = [str(path) for path in snapshot.main_paths]
    return paths or [json.dumps(snapshot.result, ensure_ascii=False)]


def _status_json(snapshot: Snapshot) -> dict[str, Any]:
    """The API's status of the order, and the paths of its files on this machine."""
    body = status_body(snapshot, settings().ui_url).model_dump(mode="json")
    path = None if snapshot.path is None else str(snapshot.path)
    files = [str(file) for file in snapshot.files]
    return {**body, "status": body["overall_status"], "path": path, "files": files}


def submit_file(file: Path, *, dry_run: bool, as_json: bool) -> None:
    """Every order of the file is in the ledger, or none; a dry run only checks them and fetches their links."""
    raws = read_orders(file)
    db = _ledger()
    orders = checked_orders(db, raws, check_order)
    if dry_run:
        refuse_conflicts(db, orders)
        refuse_dead_links_of(orders, get_picture_source(settings()), DRY_RUN_SECONDS)
        _print_dry_run(orders, as_json=as_json)
        return
    submitted = submit_all(db, orders)
    if as_json:
        print_json({"orders": [_submitted_json(entry) for entry in submitted]})
        return
    for entry, order in zip(submitted, orders, strict=True):
        print_line(f"{entry.request.task_id}  {_describe_order(entry, order)}")
    print_status("`castad up` works on them; `castad status TASK_ID` shows an order's status")


def _print_dry_run(orders: Sequence[CheckedOrder], *, as_json: bool) -> None:
    if as_json:
        checked = [{"task_id": order.task_id, **order.payload} for order in orders]
        print_json({"dry_run": True, "orders": checked})
        return
    for order in orders:
        name = order.task_id or "(a new name)"
        print_line(f"{name}  {order.pipeline.summarize_order(order.payload)}")
    subject = "1 order is" if len(orders) == 1 else f"{len(orders)} orders are"
    print_status(f"{subject} valid; nothing was submitted")


def _submitted_json(submitted: Submitted) -> dict[str, Any]:
    request = submitted.request
    planned = request.scheduled_for
    return {
        "task_id": request.task_id,
        "status": str(request.status),
        "created": submitted.created,
        "updated": [*submitted.updated],
        "scheduled_at": None if planned is None else format_utc(planned),
    }


def show_status(task_id: str, *, as_json: bool) -> None:
    """The order's status was printed."""
    snapshot = read_snapshot(_ledger(), task_id, settings().home / "artifacts")
    if as_json:
        print_json(_status_json(snapshot))
    else:
        print_result(status_view(snapshot))


def show_history(task_id: str, *, as_json: bool) -> None:
    """The order's history was printed: the Dagster event log, and events of the ledger that it lacks."""
    from castad.stack.local_daemon import open_instance

    with open_instance(settings()) as instance:
        request_history = read_history(instance, _ledger(), task_id)
    if as_json:
        body = history_body(task_id, request_history, settings().ui_url)
        print_json(body.model_dump(mode="json"))
        return
    print_result(history_table(request_history.entries))
    if request_history.note is not None:
        print_status(request_history.note)


def retry_one(task_id: str, attempt: int | None, *, as_json: bool) -> None:
    """Make the order pending again."""
    by = acting_person()
    _apply_action(lambda db: retry_order(db, task_id, by=by, attempt=attempt), as_json=as_json)


def pipeline_of_order(task_id: str) -> Pipeline | None:
    """The pipeline of the order of this name, None where there is no such order or pipeline."""
    try:
        return get_catalog().find_pipeline(get_request(_ledger(), task_id).pipeline)
    except UnknownRequestError:
        return None


def redo_one(
    task_id: str,
    stage: str,
    changes: Mapping[str, Any],
    generation: int | None,
    *,
    as_json: bool,
) -> None:
    """The order is pending, and the stage and those after it will be made again, with these changed fields.

    Raises InvalidInputError for an unknown stage or a field that cannot be changed.
    """
    by = acting_person()
    _apply_action(
        lambda db: redo_from(db, task_id, stage, changes, settings(), by, generation),
        as_json=as_json,
    )


def cancel_one(task_id: str, *, as_json: bool) -> None:
    """The order is canceled, or its running attempt is asked to stop."""
    _apply_action(lambda db: cancel_request(db, task_id, by=acting_person()), as_json=as_json)


def _apply_action(transition: Callable[[Database], Request], *, as_json: bool) -> None:
    request = transition(_ledger())
    if as_json:
        print_json({"task_id": request.task_id, "status": str(request.status)})
    elif request.status is Status.PENDING:
        print_line(f"{request.task_id} is pending; `castad watch {request.task_id}` continues it")
    elif request.cancel_requested:
        print_line(f"{request.task_id} is stopping: its running attempt was asked to stop")
    else:
        print_line(f"{request.task_id} is {request.status}")
        _print_doubt(request)


def _print_doubt(request: Request) -> None:
    doubt = find_submission_in_doubt(_ledger(), request)
    if doubt is not None:
        print_status(
            f"{doubt.stage}: {doubt.provider} may still make the submitted job and charge for it; "
            f"see `castad history {request.task_id}` and `castad resolve --help`"
        )


def show_dead(*, as_json: bool) -> None:
    """The dead letters were printed, the newest first."""
    letters = list_requests(_ledger(), Status.DEAD, _MAX_DEAD)
    if as_json:
        print_json({"dead": [dead_json(request) for request in letters]})
    elif letters:
        print_result(dead_view(letters))
    else:
        print_status("no dead letters")


def show_statistics(stuck_after: float, *, as_json: bool) -> None:
    """The statistics were printed."""
    scope = workload_scope(get_catalog(), settings().lease_seconds)
    summary, stages = (
        read_statistics(_ledger(), scope, stuck_after),
        [*get_catalog().stage_names.values()],
    )
    with open_instance(settings()) as instance:
        daemon_health = read_daemon_health(instance)
    if as_json:
        print_json(stats_body(summary, stages, daemon_health).model_dump(mode="json"))
    else:
        print_result(statistics_view(summary, stages, daemon_health))
