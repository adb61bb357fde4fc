"""Orders as text for a terminal: one of them, a list, the dead ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import unquote

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from castad.views.order_list import OrderBody
from castad.views.snapshot import Snapshot, StageSummary
from castad.views.status_body import build_choice_bodies, get_editable_fields
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import UnknownSubmissionError
from resources.files.artifacts import MissingArtifactError
from resources.ledger.limits import FINAL_STATUS_PREFIX, ORDER_PREFIX, SAME_ORDER, parse_wait
from resources.ledger.queries.webhooks import DeliveryView
from resources.ledger.request import Request
from resources.ledger.rules import INVALID_PAYLOAD
from resources.ledger.schema.tables import AT_WORK, BY_SQL, Status
from resources.ledger.transitions.approval import REJECTED
from resources.ledger.transitions.orders import is_replaceable
from resources.process.configure_logging import escape_to_one_line, format_utc
from resources.views.order_body import measure_seconds, to_dollars
from resources.views.webhooks import get_standing

_MARKS = {"completed": ("✓", "green"), "failed": ("✗", "red"), "pending": ("·", "dim")}
_NEEDS_REDO = ("order_changed", "provider_changed", "artifact_expired")
_SPINNER = Spinner("dots", style="cyan")
_BAR_WIDTH = 28


def format_seconds(seconds: float | None) -> str:
    """Format a duration for people; return "" for None."""
    if seconds is None:
        return ""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def build_headline(snapshot: Snapshot) -> str:
    """Describe the request's status in one line."""
    request = snapshot.request
    if request.status is Status.FAILED:
        return f"{_describe_next_try(snapshot)}: {request.error_message}"
    if request.status is Status.DEAD:
        return f"dead: {request.error_message} [{request.error_code}]"
    if request.status is Status.CANCELED and request.error_code in (BY_SQL, REJECTED):
        return f"canceled: {request.error_message}"
    if request.cancel_requested:
        return "stopping, because cancel was requested"
    if request.held_stage is not None:
        until = "" if request.not_before is None else f" until {format_utc(request.not_before)}"
        return f"waiting for a person to approve the {request.held_stage}{until}"
    reason = describe_wait(request.waits_for or "")
    if request.status is Status.PENDING and snapshot.overview.before is not None:
        expected, before = snapshot.expected_wait, snapshot.overview.before
        about = ""
        if expected is not None and expected < 90:
            about = f", about {max(round(expected), 1)} s"
        elif expected is not None:
            about = f", about {round(expected / 60)} min"
        return f"waiting for {reason}{about}, {before} ahead of it"
    if request.status is Status.PENDING and (
        vendor := parse_wait(FINAL_STATUS_PREFIX, request.waits_for)
    ):
        return f"{vendor} is making the {request.stage}; it is polled again later"
    if request.status is Status.PENDING and parse_wait(ORDER_PREFIX, request.waits_for):
        return f"waiting for {reason}"
    if request.status is Status.PENDING and request.error_code and request.error_message:
        return f"waiting: {request.error_message}"
    if not request.has_begun and request.not_before is not None:
        return f"scheduled for {format_utc(request.not_before)}"
    words = {
        Status.PENDING: "waiting to start",
        Status.DISPATCHED: "starting",
        Status.PROCESSING: f"making the {request.stage or 'first stage'}",
        Status.COMPLETED: f"done in {format_seconds(measure_seconds(request, snapshot.overview.at))}",
        Status.CANCELED: "canceled",
    }
    return words[request.status]


def describe_wait(waits_for: str) -> str:
    """Describe for people what a pending request waits for."""
    kind, _, name = waits_for.partition(":")
    words = {
        "slot": f"a slot at {name}",
        "permit": f"a permit at {name}",
        "final_status": f"{name}'s result",
        "approval": f"the approval of {name}",
        "order": f"the result of {name}, which is the same order",
    }
    if waits_for == SAME_ORDER:
        return "the same order's result"
    return words.get(kind, waits_for) if name else waits_for


def _describe_next_try(snapshot: Snapshot) -> str:
    request = snapshot.request
    when = f"in {snapshot.seconds_until_retry:.0f} s" if snapshot.seconds_until_retry else "now"
    if request.error_code == UnknownSubmissionError.code:
        return f"in doubt, see `castad resolve --help`; checked again {when}"
    if request.retry_count == 0:
        return f"retried {when}"
    return f"retry {request.retry_count} of {request.max_retries} {when}"


def build_stage_table(snapshot: Snapshot) -> Table:
    """Build a table with one line per stage: its status, progress and duration."""
    table = Table.grid(padding=(0, 2))
    for stage in snapshot.stages:
        symbol, style = _MARKS.get(stage.status, ("·", "dim"))
        is_running = stage.status == "processing" and snapshot.request.status is Status.PROCESSING
        table.add_row(
            _SPINNER if is_running else Text(symbol, style=style),
            stage.stage,
            _build_bar(stage),
            Text(_describe_stage(stage), style="dim"),
        )
    return table


def _build_bar(stage: StageSummary) -> RenderableType:
    if stage.status == "pending":
        return Text("")
    return ProgressBar(
        total=1.0,
        completed=stage.progress or 0.0,
        width=_BAR_WIDTH,
        complete_style="cyan",
        finished_style="green",
    )


def _describe_stage(stage: StageSummary) -> str:
    percent = f"{stage.progress:.0%}" if stage.progress and stage.status != "completed" else ""
    retries = f"{stage.retry_count} {'retry' if stage.retry_count == 1 else 'retries'}"
    summary = (
        format_seconds(stage.seconds),
        percent,
        stage.progress_note,
        retries if stage.retry_count else "",
    )
    return "  ".join(part for part in summary if part)


def build_live_view(snapshot: Snapshot, hint: str | None) -> RenderableType:
    """Build the live display of an order on a terminal."""
    first = Text.assemble(
        (snapshot.request.task_id, "bold"), "  ", hint or build_headline(snapshot)
    )
    return Group(first, build_stage_table(snapshot))


def build_status_view(snapshot: Snapshot) -> RenderableType:
    """Build the request's status for people."""
    parts: list[RenderableType] = [build_live_view(snapshot, None)]
    planned = snapshot.request.scheduled_for
    if planned is not None and snapshot.request.has_begun:
        parts.append(Text(f"was scheduled for {format_utc(planned)}", style="dim"))
    parts += [Text(f"note: {note}", style="yellow") for note in snapshot.notes]
    parts += [Text(describe_webhook(view), style="dim") for view in snapshot.overview.webhooks]
    parts += [Text(line) for line in _list_choices(snapshot)]
    if snapshot.overview.cost:
        parts.append(build_cost_table({stage.stage: stage.cost for stage in snapshot.stages}))
    if snapshot.path is not None:
        parts.append(Text(str(snapshot.path), no_wrap=True, overflow="ignore"))
    return Group(*parts)


def _list_choices(snapshot: Snapshot) -> list[str]:
    """List what an order that waits for approval may use, with the file of each; the used one first."""
    files = {path.name: path for _, path in snapshot.files}
    lines: list[str] = []
    for each in build_choice_bodies(snapshot) or ():
        name = unquote((each.url or "").rpartition("/")[2])
        used = " (used)" if not lines else f"; `castad choose {snapshot.request.task_id} {each.id}`"
        lines.append(f"choice {each.id}: {each.label} {files.get(name, '')}{used}")
    return lines


def build_cost_table(costs: Mapping[str, int], providers: Mapping[str, str] | None = None) -> Table:
    """Build a table of the cost of each stage with a bar, and the sum; `costs` are in micro-dollars."""
    table = Table.grid(padding=(0, 2))
    most = max(1, *costs.values())
    for stage, cost in costs.items():
        bar = ProgressBar(total=most, completed=cost, width=_BAR_WIDTH, complete_style="yellow")
        provider = Text((providers or {}).get(stage, ""), style="dim")
        table.add_row(
            "cost", stage, bar, Text(f"{to_dollars(cost):.4f} USD", justify="right"), provider
        )
    total = Text(f"{to_dollars(sum(costs.values())):.4f} USD", style="bold", justify="right")
    table.add_row("cost", "in all", "", total, "")
    return table


def build_progress_lines(before: Snapshot | None, after: Snapshot) -> list[str]:
    """Build one plain line per change, for output whose lines cannot be rewritten."""
    lines = []
    old = {stage.stage: stage for stage in before.stages} if before else {}
    for stage in after.stages:
        summary = _describe_change(old.get(stage.stage), stage)
        lines += [f"{stage.stage}: {summary}"] if summary else []
    waits = after.request.status is Status.PENDING and after.request.error_code is not None
    is_idle = (
        waits
        or after.request.held_stage is not None
        or after.request.status in (Status.FAILED, Status.COMPLETED)
    )
    if is_idle and (before is None or before.request.seq != after.request.seq):
        lines.append(build_headline(after))
    return lines


def _describe_change(old: StageSummary | None, stage: StageSummary) -> str | None:
    was, old_note = (old.status, old.progress_note) if old else ("pending", "")
    if stage.status == "completed" and was != "completed":
        if stage.seconds is None:
            return "done by the same order"
        return f"done in {format_seconds(stage.seconds)}"
    if stage.status != "processing":
        return None
    quarter = int((stage.progress or 0) * 4)
    if was != "processing":
        return "started"
    if old and quarter > int((old.progress or 0) * 4):
        return "  ".join(part for part in (f"{quarter * 25} %", stage.progress_note) if part)
    if stage.progress is None and stage.progress_note and stage.progress_note != old_note:
        return stage.progress_note
    return None


def build_dead_json(request: Request) -> dict[str, Any]:
    """Build a dead letter's JSON."""
    since = request.last_failed_at or request.updated_at
    return {
        "task_id": request.task_id,
        "stage": request.stage,
        "code": request.error_code,
        "reason": request.error_message,
        "since": format_utc(since),
        "remedy": suggest_remedy(request),
    }


def suggest_remedy(request: Request) -> str:
    """Suggest an operator's remedy for a dead letter or for a submission of unknown outcome."""
    if request.error_code == UnknownSubmissionError.code:
        return _suggest_resolution(request)
    pipeline = get_catalog().find_pipeline(request.pipeline)
    if pipeline is None:
        known = ", ".join(get_catalog().names)
        why = f"the pipeline {ascii(request.pipeline)[:80]} is none of {known}"
        return f"{why}: {_describe_correction(request, 'pipeline')}"
    if request.error_code == INVALID_PAYLOAD:
        edit = _describe_correction(request, "payload", " or the file it names")
        if not is_replaceable(request, pipeline.name, pipeline.is_same_order):
            return edit
        return f"submit a corrected order with the task_id {request.task_id!r}, or {edit}"
    if request.error_code == MissingArtifactError.code:
        return f"do what the reason says, or put the file back and run `castad retry {request.task_id}`"
    if request.error_code in _NEEDS_REDO:
        return f"`castad redo {request.task_id} --from {request.stage or 'STAGE'}` makes it again"
    return f"run `castad retry {request.task_id}` once the cause is fixed"


def _describe_correction(request: Request, column: str, or_else: str = "") -> str:
    name = request.task_id
    sql = f"(UPDATE requests SET {column} = '…' WHERE task_id = '{name}')"  # noqa: S608 - only printed
    return f"correct the {column} {sql}{or_else}, then run `castad retry {name}`"


def _suggest_resolution(request: Request) -> str:
    name = request.task_id
    check = "check the provider's account for the job"
    if request.status is not Status.DEAD:
        check += " (`castad up` keeps checking for a while)"
    return (
        f"{check}: if it is there, run `castad resolve {name} --attach ID`; if it is not, "
        f"`castad resolve {name} --resubmit`, which pays again if it was there after all; "
        f"or `castad resolve {name} --give-up`; `castad retry {name}` continues it if castad has found the job "
        "since, and submits it again only if that costs less than CASTAD_RESUBMIT_BELOW"
    )


def build_dead_view(requests: Sequence[Request]) -> RenderableType:
    """Build the dead letters for people: each with its stage, reason and remedy."""
    parts: list[RenderableType] = []
    for request in requests:
        summary = build_dead_json(request)
        parts += [
            Text.assemble(
                (request.task_id, "bold"),
                f"  {request.stage or ''}  ",
                (request.error_code or "no code", "red"),
                (f"  since {summary['since']}", "dim"),
            ),
            Text(f"  {request.error_message or 'no reason was given'}"),
            Text(f"  {summary['remedy']}", style="dim"),
        ]
    return Group(*parts)


def list_hold_commands(snapshot: Snapshot) -> list[str]:
    """List the commands for an order that waits for approval, one line each."""
    name, held = snapshot.request.task_id, snapshot.request.held_stage
    lines = [f"`castad approve {name}{_build_seen_options(snapshot)}` goes on"]
    if get_editable_fields(snapshot) is not None:
        lines.append(f"`castad edit {name}` changes it first")
    for choice in (build_choice_bodies(snapshot) or ())[1:]:
        lines.append(f"`castad choose {name} {choice.id}` takes {choice.label} first")
    return [
        *lines,
        f"`castad redo {name} --from {held}` has it made again",
        f"`castad reject {name}` cancels the order",
    ]


def _build_seen_options(snapshot: Snapshot) -> str:
    """Build the options that name what is approved; return "" for the first approval of the order."""
    held = next(
        (each for each in snapshot.stages if each.stage == snapshot.request.held_stage), None
    )
    if held is None or (
        held.generation == 1 and not any(each.approved_at for each in snapshot.stages)
    ):
        return ""
    return f" --stage {held.stage} --generation {held.generation}"


def describe_webhook(view: DeliveryView) -> str:
    """Describe a webhook of an order for people in one line."""
    reason = f": {view.last_error}" if view.last_error else ""
    tries = f"{view.attempt} {'try' if view.attempt == 1 else 'tries'}"
    return f"webhook {view.id}, {view.type}: {describe_standing(view)} after {tries}{reason}"


def describe_standing(view: DeliveryView) -> str:
    """Describe the status of a webhook in a word or two."""
    standing = get_standing(view.status, view.last_code)
    return "needs a secret" if standing == "needs_secret" else standing


_WIDE = 76
"""The columns from which an order is one line."""
_SHORT_BAR = 8
_STATUS_STYLES = {
    Status.COMPLETED: "green",
    Status.FAILED: "yellow",
    Status.DEAD: "red",
    Status.CANCELED: "dim",
    Status.PROCESSING: "cyan",
}


@dataclass(frozen=True)
class OrderTable:
    """A table of orders: one line each, or three on a narrow terminal; `at` is now."""

    orders: Sequence[OrderBody]
    at: datetime

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render the table for this width."""
        if options.max_width >= _WIDE:
            yield self._build_wide()
        else:
            yield from map(self._build_narrow, self.orders)

    def _build_wide(self) -> Table:
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
        table.add_column("task_id", no_wrap=True)
        # Where the line is full, only what may wrap becomes narrower; their texts are cut and do not wrap.
        table.add_column("order", min_width=12)
        table.add_column("", width=_SHORT_BAR)
        table.add_column("status", min_width=10)
        table.add_column("age", no_wrap=True, justify="right")
        table.add_column("cost", no_wrap=True, justify="right")
        for order in self.orders:
            table.add_row(
                Text(order.task_id, style="bold"),
                _format_summary(order),
                _build_order_bar(order),
                _format_state(order),
                format_age(order, self.at),
                _format_cost(order),
            )
        return table

    def _build_narrow(self, order: OrderBody) -> RenderableType:
        table = Table.grid(padding=(0, 1), expand=True)
        table.add_column(ratio=1, overflow="fold")
        table.add_column(no_wrap=True, justify="right")
        table.add_row(Text(order.task_id, style="bold"), format_age(order, self.at))
        table.add_row(_format_summary(order), _format_cost(order))
        table.add_row(_format_state(order), _build_order_bar(order))
        return table


def format_age(order: OrderBody, at: datetime) -> str:
    """Format how long ago the order was created, in the largest unit."""
    seconds = max(0, int((at - order.created_at).total_seconds()))
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def _format_summary(order: OrderBody) -> Text:
    return _format_line(order.summary or order.pipeline, "" if order.summary else "dim")


def _format_state(order: OrderBody) -> Text:
    words = [str(order.status)]
    if order.status in AT_WORK and order.stage:
        words = [order.stage, f"{order.progress} %"]
    elif order.status is Status.PENDING and order.waits_for:
        words = ["waiting for", describe_wait(order.waits_for)]
    elif order.status is Status.PENDING and order.attempt == 0 and order.scheduled_at is not None:
        words = ["scheduled for", format_utc(order.scheduled_at)]
    elif order.error is not None and order.status in (Status.DEAD, Status.FAILED):
        words.append(order.error.code)
    return _format_line(" ".join(words), _STATUS_STYLES.get(order.status, ""))


def _build_order_bar(order: OrderBody) -> ProgressBar:
    is_over = order.status in (Status.DEAD, Status.CANCELED)
    return ProgressBar(
        completed=order.progress,
        width=_SHORT_BAR,
        complete_style="dim" if is_over else "cyan",
        finished_style="green",
    )


def _format_cost(order: OrderBody) -> str:
    return f"${order.cost_usd:.4f}" if order.cost_usd else ""


def _format_line(text: str, style: str) -> Text:
    """Make one line that is cut to its column; escape it, because SQL may have stored control characters."""
    return Text(escape_to_one_line(text), style=style, no_wrap=True, overflow="ellipsis")
