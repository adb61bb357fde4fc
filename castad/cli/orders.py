"""Commands that order: make, submit, watch; follow a request, and start a local daemon where none runs."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.live import Live

from castad.cli.boundary import WAITS_FOR_PERSON
from castad.cli.context import AsJson, IncompleteError, TaskId, open_ledger
from castad.cli.order_view import (
    build_cost_table,
    build_headline,
    build_live_view,
    build_progress_lines,
    list_hold_commands,
    suggest_remedy,
)
from castad.cli.show import describe_status
from castad.orders.orders_file import CheckedOrder, check_order, read_orders_file
from castad.orders.submit import (
    DRY_RUN_SECONDS,
    StagePrice,
    build_order,
    check_conflicts,
    check_linked_pictures,
    check_linked_pictures_of,
    check_orders,
    list_prices,
    list_remarks,
    submit_all,
    submit_order,
    sum_prices,
)
from castad.stack.local_daemon import LocalDaemon
from castad.stack.output import print_json, print_line, print_result, print_status
from castad.stack.processes import StopRequested, catch_stop_signals
from castad.views.snapshot import Snapshot, read_snapshot
from pipeline_defs.capabilities import MainFile
from resources.files.artifacts import MissingArtifactError
from resources.files.pictures import get_picture_source
from resources.ledger.db.database import Database
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.orders import Submitted
from resources.process.configure_logging import format_utc
from resources.process.settings import Settings, settings
from resources.views.order_body import to_dollars

_POLL_INTERVAL = 0.2
Show = Callable[[Snapshot, str | None], None]


def follow(db: Database, settings: Settings, task_id: str) -> Snapshot:
    """Show a request until it is over; return its snapshot. A daemon that was started here is stopped.

    Raises StopRequested if a signal stops this process; the order stays in the ledger.
    """
    artifacts = settings.home / "artifacts"
    snapshot = read_snapshot(db, task_id, artifacts)
    if snapshot.is_over:
        return snapshot
    with catch_stop_signals() as stop:
        daemon = LocalDaemon(settings)
        try:
            with display() as show:
                while True:
                    snapshot = read_snapshot(db, task_id, artifacts)
                    is_waiting = snapshot.request.status is Status.PENDING and not snapshot.is_over
                    starts = is_waiting and daemon.is_started_here
                    show(snapshot, "starting a local daemon" if starts else None)
                    if snapshot.is_over:
                        break
                    daemon.ensure_running()
                    stop.pause(_POLL_INTERVAL)
            daemon.wait_for_run_end(snapshot.request.run_id, stop)
            return snapshot
        finally:
            daemon.stop()


def raise_if_incomplete(snapshot: Snapshot) -> None:
    """Raise IncompleteError with the request's code and reason unless it is completed and its main file exists."""
    request = snapshot.request
    if request.status is Status.COMPLETED:
        _raise_if_file_missing(snapshot)
        return
    name, reason = request.task_id, request.error_message or "no reason was given"
    if request.status is Status.CANCELED:
        raise IncompleteError(
            f"{name} was canceled; `castad retry {name}` makes it pending again", code="canceled"
        )
    code = request.error_code or str(request.status)
    raise IncompleteError(
        f"{name} is {request.status}: {reason}; {suggest_remedy(request)}", code=code
    )


def _raise_if_file_missing(snapshot: Snapshot) -> None:
    pipeline, name = snapshot.pipeline, snapshot.request.task_id
    main = None if pipeline is None else pipeline.find_extra(MainFile)
    if pipeline is None or main is None:
        return
    if not snapshot.main_files:
        raise IncompleteError(
            f"{name} is completed, but no stage of {pipeline.name} has made its main file: "
            f"expected a file of the type {main.media_type}",
            code=MissingArtifactError.code,
        )
    stage, path = snapshot.main_files[-1]
    if not path.is_file():
        raise IncompleteError(
            f"{name} is completed, but {path.name} is no longer in the artifact folder; "
            f"`castad redo {name} --from {stage}` makes it again",
            code=MissingArtifactError.code,
        )


def describe_resume(task_id: str) -> str:
    """Return the hint that is printed after Ctrl-C."""
    return f"stopped; the order is kept, `castad watch {task_id}` continues it"


@contextmanager
def display() -> Iterator[Show]:
    """Show snapshots on standard error during the block, with a hint why nothing happens yet."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal or console.is_dumb_terminal:
        yield _PlainLines().show
        return
    with Live(console=console, refresh_per_second=12, redirect_stdout=False) as live:
        yield lambda snapshot, hint: live.update(build_live_view(snapshot, hint))


class _PlainLines:
    """For logs and pipes: no colour, nothing rewritten."""

    def __init__(self) -> None:
        self._last: Snapshot | None = None
        self._hint: str | None = None

    def show(self, snapshot: Snapshot, hint: str | None) -> None:
        """Print the changes since the last snapshot."""
        lines = build_progress_lines(self._last, snapshot)
        if hint and hint != self._hint:
            lines.append(hint)
        for line in lines:
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
        self._last, self._hint = snapshot, hint


app = typer.Typer(add_completion=False)


def make_one(file: Path | None, options: Mapping[str, Any], as_json: bool) -> None:
    """Submit the order, wait for it, and print its result. Raises IncompleteError if it ends without one."""
    order = build_order(file, options, settings())
    submitted = submit_order(open_ledger(), order)
    if submitted.updated or not as_json:
        print_status(f"{submitted.request.task_id}: {_describe_order(submitted, order)}")
    _follow(submitted.request.task_id, as_json=as_json)


def _describe_order(submitted: Submitted, order: CheckedOrder) -> str:
    changed = f", {' and '.join(submitted.updated)} changed" if submitted.updated else ""
    remarks = [] if submitted.created else [f"submitted before{changed}"]
    planned = submitted.request.scheduled_for
    if planned is not None:
        remarks.append(f"scheduled for {format_utc(planned)}")
    summary = order.pipeline.summarize_order(order.payload)
    return f"{summary} ({'; '.join(remarks)})" if remarks else summary


def price_one(file: Path | None, options: Mapping[str, Any], as_json: bool) -> None:
    """Check the order and its linked pictures, and print its price; submit nothing.

    Raises InvalidInputError.
    """
    config = settings()
    order = build_order(file, options, config, store_pictures=False)
    check_linked_pictures(
        order.pipeline, order.payload, get_picture_source(config), DRY_RUN_SECONDS
    )
    prices = list_prices(order.pipeline, order.payload, config)
    remarks = [each.sentence for each in list_remarks(order.pipeline, order.payload, config)]
    if as_json:
        print_json({**_describe_prices(prices, order.payload, config), "remarks": remarks})
        return
    for sentence in remarks:
        print_status(f"note: {sentence}")
    costs = {each.stage: each.price for each in prices}
    print_result(build_cost_table(costs, {each.stage: each.provider for each in prices}))
    print_status("nothing was submitted; a retry after a vendor's failure can cost a stage again")


def _describe_prices(
    prices: Sequence[StagePrice], payload: Mapping[str, Any], config: Settings
) -> Any:
    stages = [
        {"stage": each.stage, "provider": each.provider or None, "cost_usd": to_dollars(each.price)}
        for each in prices
    ]
    return {
        "dry_run": True,
        "order": dict(payload),
        "stages": stages,
        "cost_usd": to_dollars(sum_prices(prices)),
        "max_cost_usd": config.max_cost,
    }


@app.command(epilog="castad submit examples/song_video.csv --dry-run")
def submit(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file of orders: .yaml or .csv")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only check the orders; submit none")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Submit the orders of a file, all of them or none; `castad up` works on them."""
    raws = read_orders_file(file)
    db = open_ledger()
    orders = check_orders(db, raws, check_order)
    if dry_run:
        check_conflicts(db, orders)
        check_linked_pictures_of(orders, get_picture_source(settings()), DRY_RUN_SECONDS)
        _print_dry_run(orders, as_json=as_json)
        return
    submitted = submit_all(db, orders)
    if as_json:
        print_json({"orders": [_describe_submitted(entry) for entry in submitted]})
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


def _describe_submitted(submitted: Submitted) -> dict[str, Any]:
    request = submitted.request
    planned = request.scheduled_for
    return {
        "task_id": request.task_id,
        "status": str(request.status),
        "created": submitted.created,
        "updated": [*submitted.updated],
        "scheduled_at": None if planned is None else format_utc(planned),
    }


@app.command(epilog="castad watch order-1a2b3c")
def watch(task_id: TaskId, as_json: AsJson = False) -> None:
    """Wait for an order, and work on it if no daemon does; the last line is its main file or its result."""
    _follow(task_id, as_json=as_json)


def _follow(task_id: str, *, as_json: bool) -> None:
    """Follow the order until it ends, and print its result. Raises IncompleteError if it ends without one.

    If it waits for a person, print what that person may do, and exit with the code for it.
    """
    try:
        snapshot = follow(open_ledger(), settings(), task_id)
    except StopRequested as stop:
        print_status(describe_resume(task_id))
        raise typer.Exit(128 + stop.signum) from None
    if as_json:
        print_json(describe_status(snapshot))
    if snapshot.request.held_stage is not None:
        print_status(f"{snapshot.request.task_id}: {build_headline(snapshot)}")
        for line in list_hold_commands(snapshot):
            print_status(f"  {line}")
        raise typer.Exit(WAITS_FOR_PERSON)
    raise_if_incomplete(snapshot)
    if as_json:
        return
    for note in snapshot.notes:
        print_status(f"note: {note}")
    if snapshot.overview.cost:
        print_status(f"cost: {to_dollars(snapshot.overview.cost):.4f} USD")
    paths = [str(path) for _, path in snapshot.main_files]
    for line in paths or [json.dumps(snapshot.result, ensure_ascii=False)]:
        print_line(line)
