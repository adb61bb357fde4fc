"""A snapshot as text for people and as JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from castad.readmodels.snapshot import Snapshot, StageSummary
from castad.readmodels.status_body import choice_bodies, editable
from castad.readmodels.webhooks import webhook_line
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import UnknownSubmissionError
from resources.files.artifacts import MissingArtifactError
from resources.ledger.limits import FINAL_STATUS_PREFIX, ORDER_PREFIX, SAME_ORDER, parse_wait
from resources.ledger.request import Request
from resources.ledger.rules import INVALID_PAYLOAD
from resources.ledger.schema.tables import BY_SQL, Status
from resources.ledger.transitions.approval import REJECTED
from resources.ledger.transitions.orders import is_replaceable
from resources.process.configure_logging import format_utc
from resources.views.order_body import usd

_MARKS = {"completed": ("✓", "green"), "failed": ("✗", "red"), "pending": ("·", "dim")}
_NEEDS_REDO = ("order_changed", "provider_changed", "artifact_expired")
_SPINNER = Spinner("dots", style="cyan")
_BAR_WIDTH = 28


def seconds_text(seconds: float | None) -> str:
    """A duration for people."""
    if seconds is None:
        return ""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def headline(snapshot: Snapshot) -> str:
    """The request's status in one line."""
    request = snapshot.request
    if request.status is Status.FAILED:
        return f"{_next_try(snapshot)}: {request.error_message}"
    if request.status is Status.DEAD:
        return f"dead: {request.error_message} [{request.error_code}]"
    if request.status is Status.CANCELED and request.error_code in (BY_SQL, REJECTED):
        return f"canceled: {request.error_message}"
    if request.cancel_requested:
        return "stopping, because cancel was requested"
    if request.held_stage is not None:
        return _hold_text(request)
    if request.status is Status.PENDING and snapshot.overview.before is not None:
        return _wait_position_text(snapshot, snapshot.overview.before)
    if request.status is Status.PENDING and (
        vendor := parse_wait(FINAL_STATUS_PREFIX, request.waits_for)
    ):
        return f"{vendor} is making the {request.stage}; it is polled again later"
    if request.status is Status.PENDING and parse_wait(ORDER_PREFIX, request.waits_for):
        return f"waiting for {wait_reason_text(request.waits_for or '')}"
    if request.status is Status.PENDING and request.error_code and request.error_message:
        return f"waiting: {request.error_message}"
    if not request.has_begun and request.not_before is not None:
        return f"scheduled for {format_utc(request.not_before)}"
    words = {
        Status.PENDING: "waiting to start",
        Status.DISPATCHED: "starting",
        Status.PROCESSING: f"making the {request.stage or 'first stage'}",
        Status.COMPLETED: f"done in {seconds_text(snapshot.seconds)}",
        Status.CANCELED: "canceled",
    }
    return words[request.status]


def wait_reason_text(waits_for: str) -> str:
    """The thing that a pending request waits for, as people say it."""
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


def _hold_text(request: Request) -> str:
    until = "" if request.not_before is None else f" until {format_utc(request.not_before)}"
    return f"waiting for a person to approve the {request.held_stage}{until}"


def _wait_position_text(snapshot: Snapshot, before: int) -> str:
    expected = snapshot.expected_wait
    about = "" if expected is None else f", about {_rounded_text(expected)}"
    return f"waiting for {wait_reason_text(snapshot.request.waits_for or '')}{about}, {before} ahead of it"


def _rounded_text(seconds: float) -> str:
    return f"{max(round(seconds), 1)} s" if seconds < 90 else f"{round(seconds / 60)} min"


def _next_try(snapshot: Snapshot) -> str:
    request = snapshot.request
    when = f"in {snapshot.seconds_until_retry:.0f} s" if snapshot.seconds_until_retry else "now"
    if request.error_code == UnknownSubmissionError.code:
        return f"in doubt, see `castad resolve --help`; checked again {when}"
    if request.retry_count == 0:
        return f"retried {when}"
    return f"retry {request.retry_count} of {request.max_retries} {when}"


def stage_table(snapshot: Snapshot) -> Table:
    """One line per stage: its status, progress and duration."""
    table = Table.grid(padding=(0, 2))
    for stage in snapshot.stages:
        table.add_row(
            _mark(stage, snapshot),
            stage.stage,
            _bar(stage),
            Text(_stage_details(stage), style="dim"),
        )
    return table


def _mark(stage: StageSummary, snapshot: Snapshot) -> RenderableType:
    if stage.status == "processing" and snapshot.request.status is Status.PROCESSING:
        return _SPINNER
    symbol, style = _MARKS.get(stage.status, ("·", "dim"))
    return Text(symbol, style=style)


def _bar(stage: StageSummary) -> RenderableType:
    if stage.status == "pending":
        return Text("")
    return ProgressBar(
        total=1.0,
        completed=stage.progress or 0.0,
        width=_BAR_WIDTH,
        complete_style="cyan",
        finished_style="green",
    )


def _stage_details(stage: StageSummary) -> str:
    percent = f"{stage.progress:.0%}" if stage.progress and stage.status != "completed" else ""
    summary = (
        seconds_text(stage.seconds),
        percent,
        stage.progress_note,
        _retries(stage.retry_count),
    )
    return "  ".join(part for part in summary if part)


def _retries(count: int) -> str:
    return "" if count == 0 else f"{count} {'retry' if count == 1 else 'retries'}"


def live_view(snapshot: Snapshot, hint: str | None) -> RenderableType:
    """The live display of an order on a terminal."""
    first = Text.assemble((snapshot.request.task_id, "bold"), "  ", hint or headline(snapshot))
    return Group(first, stage_table(snapshot))


def status_view(snapshot: Snapshot) -> RenderableType:
    """The request's status for people."""
    parts: list[RenderableType] = [live_view(snapshot, None)]
    planned = snapshot.request.scheduled_for
    if planned is not None and snapshot.request.has_begun:
        parts.append(Text(f"was scheduled for {format_utc(planned)}", style="dim"))
    parts += [Text(f"note: {note}", style="yellow") for note in snapshot.notes]
    parts += [Text(webhook_line(view), style="dim") for view in snapshot.overview.webhooks]
    if snapshot.cost:
        parts.append(cost_table({stage.stage: stage.cost for stage in snapshot.stages}))
    if snapshot.path is not None:
        parts.append(Text(str(snapshot.path), no_wrap=True, overflow="ignore"))
    return Group(*parts)


def cost_table(costs: Mapping[str, int], providers: Mapping[str, str] | None = None) -> Table:
    """The cost of each stage, given in micro-dollars, listed in USD with a bar, and the sum."""
    table = Table.grid(padding=(0, 2))
    most = max(1, *costs.values())
    for stage, cost in costs.items():
        bar = ProgressBar(total=most, completed=cost, width=_BAR_WIDTH, complete_style="yellow")
        provider = Text((providers or {}).get(stage, ""), style="dim")
        table.add_row("cost", stage, bar, Text(f"{usd(cost):.4f} USD", justify="right"), provider)
    total = Text(f"{usd(sum(costs.values())):.4f} USD", style="bold", justify="right")
    table.add_row("cost", "in all", "", total, "")
    return table


def progress_lines(before: Snapshot | None, after: Snapshot) -> list[str]:
    """One plain line per change, for output whose lines cannot be rewritten."""
    lines = []
    old = {stage.stage: stage for stage in before.stages} if before else {}
    for stage in after.stages:
        summary = _change(old.get(stage.stage), stage)
        lines += [f"{stage.stage}: {summary}"] if summary else []
    waits = after.request.status is Status.PENDING and after.request.error_code is not None
    is_idle = (
        waits
        or after.request.held_stage is not None
        or after.request.status in (Status.FAILED, Status.COMPLETED)
    )
    if is_idle and (before is None or before.request.seq != after.request.seq):
        lines.append(headline(after))
    return lines


def _change(old: StageSummary | None, stage: StageSummary) -> str | None:
    was, old_note = (old.status, old.progress_note) if old else ("pending", "")
    if stage.status == "completed" and was != "completed":
        if stage.seconds is None:
            return "done by the same order"
        return f"done in {seconds_text(stage.seconds)}"
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


def dead_json(request: Request) -> dict[str, Any]:
    """A dead letter as JSON."""
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
    """An operator's remedy for a dead letter or for a submission of unknown outcome."""
    if request.error_code == UnknownSubmissionError.code:
        return _unknown_remedy(request)
    pipeline = get_catalog().find_pipeline(request.pipeline)
    if pipeline is None:
        return _unknown_pipeline_remedy(request)
    if request.error_code == INVALID_PAYLOAD:
        return _invalid_remedy(request, pipeline)
    if request.error_code == MissingArtifactError.code:
        return f"do what the reason says, or put the file back and run `castad retry {request.task_id}`"
    if request.error_code in _NEEDS_REDO:
        return f"`castad redo {request.task_id} --from {request.stage or 'STAGE'}` makes it again"
    return f"run `castad retry {request.task_id}` once the cause is fixed"


def _unknown_pipeline_remedy(request: Request) -> str:
    known = ", ".join(get_catalog().names)
    why = f"the pipeline {ascii(request.pipeline)[:80]} is none of {known}"
    return f"{why}: {_correction(request, 'pipeline')}"


def _invalid_remedy(request: Request, pipeline: Pipeline) -> str:
    edit = _correction(request, "payload", " or the file it names")
    if not is_replaceable(request, pipeline.name, pipeline.is_same_order):
        return edit
    return f"submit a corrected order with the task_id {request.task_id!r}, or {edit}"


def _correction(request: Request, column: str, or_else: str = "") -> str:
    name = request.task_id
    sql = f"(UPDATE requests SET {column} = '…' WHERE task_id = '{name}')"  # noqa: S608 - only printed
    return f"correct the {column} {sql}{or_else}, then run `castad retry {name}`"


def _unknown_remedy(request: Request) -> str:
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


def dead_view(requests: Sequence[Request]) -> RenderableType:
    """The dead letters for people: each with its stage, reason and remedy."""
    parts: list[RenderableType] = []
    for request in requests:
        summary = dead_json(request)
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


def hold_commands(snapshot: Snapshot) -> list[str]:
    """A line for each command."""
    name, held = snapshot.request.task_id, snapshot.request.held_stage
    lines = [f"`castad approve {name}{_seen(snapshot)}` goes on"]
    if editable(snapshot) is not None:
        lines.append(f"`castad edit {name}` changes it first")
    for choice in (choice_bodies(snapshot) or ())[1:]:
        lines.append(f"`castad choose {name} {choice.id}` takes {choice.label} first")
    return [
        *lines,
        f"`castad redo {name} --from {held}` has it made again",
        f"`castad reject {name}` cancels the order",
    ]


def _seen(snapshot: Snapshot) -> str:
    """The options that name what is approved; none where it is the first approval of the order."""
    held = next(
        (each for each in snapshot.stages if each.stage == snapshot.request.held_stage), None
    )
    if held is None or (
        held.generation == 1 and not any(each.approved_at for each in snapshot.stages)
    ):
        return ""
    return f" --stage {held.stage} --generation {held.generation}"
