"""Response bodies from the ledger's rows. Pure."""

from urllib.parse import quote

from castad.api.bodies import (
    ArtifactBody,
    AttemptBody,
    Fault,
    Links,
    Moved,
    OrderBody,
    StageBody,
    StatusBody,
)
from castad.readmodels.snapshot import Snapshot, StageSummary
from castad.readmodels.views import usd
from resources.ledger.queries.overview import ArtifactView, AttemptView, StageView
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status


def links_of(task_id: str) -> Links:
    """Paths of further calls about an order."""
    name = quote(task_id, safe="")
    return Links(
        self=f"/pipeline/status/{name}",
        events=f"/pipeline/events/{name}",
        history=f"/pipeline/history/{name}",
        cancel=f"/pipeline/cancel/{name}",
    )


def run_url(ui_url: str, run_id: str | None) -> str | None:
    """The run's page in the Dagster UI."""
    return None if run_id is None else f"{ui_url}/runs/{quote(run_id, safe='')}"


def fault_body(code: str | None, message: str | None) -> Fault | None:
    """The error, or None where there is no code."""
    return None if code is None else Fault(code=code, message=message)


def status_body(snapshot: Snapshot, ui_url: str) -> StatusBody:
    """The status of an order."""
    order = snapshot.request
    is_due_again = order.status is Status.FAILED
    views = {view.stage: view for view in snapshot.views}
    return StatusBody(
        task_id=order.task_id,
        pipeline=order.pipeline,
        overall_status=order.status,
        seq=order.seq,
        stage=order.stage,
        stages={
            summary.stage: _stage(summary, views.get(summary.stage)) for summary in snapshot.stages
        },
        total_stages=len(snapshot.stages),
        progress=progress_of(snapshot),
        attempt=order.attempt,
        attempts=[_attempt(view, ui_url) for view in snapshot.overview.attempts],
        retry_count=order.retry_count,
        max_retries=order.max_retries,
        next_retry_at=order.not_before if is_due_again else None,
        next_retry_in_seconds=round(snapshot.seconds_until_retry, 3) if is_due_again else None,
        cancel_requested=order.cancel_requested,
        waits_for=order.waits_for,
        before_it=snapshot.before,
        expected_wait_seconds=snapshot.expected_wait,
        error=fault_body(order.error_code, order.error_message),
        notes=snapshot.notes,
        artifacts=[_artifact(order.task_id, view) for view in snapshot.overview.artifacts],
        result=snapshot.result,
        seconds=round(snapshot.seconds, 3),
        cost_usd=usd(snapshot.cost),
        owner=order.owner,
        priority=order.priority,
        not_before=order.not_before,
        callback_url=order.callback_url,
        created_at=order.created_at,
        updated_at=order.updated_at,
        completed_at=order.completed_at,
        links=links_of(order.task_id),
    )


def progress_of(snapshot: Snapshot) -> int:
    """Percent: stages have equal weight; a running one counts by the progress that its provider reports."""
    done = [
        1.0 if summary.status == "completed" else min(max(summary.progress or 0.0, 0.0), 1.0)
        for summary in snapshot.stages
    ]
    return int(100 * sum(done) / len(done))


def _stage(summary: StageSummary, view: StageView | None) -> StageBody:
    return StageBody(
        status=summary.status,
        attempts=summary.attempts,
        retry_count=summary.retry_count,
        generation=summary.generation,
        error=fault_body(summary.error_code, summary.error_message),
        started_at=None if view is None else view.started_at,
        completed_at=None if view is None else view.completed_at,
        seconds=None if summary.seconds is None else round(summary.seconds, 3),
        progress=None if summary.progress is None else int(100 * summary.progress),
        progress_note=summary.progress_note or None,
        cost=usd(summary.cost),
    )


def _attempt(view: AttemptView, ui_url: str) -> AttemptBody:
    return AttemptBody(
        number=view.number,
        run_id=view.run_id,
        run_url=run_url(ui_url, view.run_id),
        worker=view.worker,
        started_at=view.started_at,
        ended_at=view.ended_at,
        error=fault_body(view.error_code, view.error_message),
    )


def _artifact(task_id: str, view: ArtifactView) -> ArtifactBody:
    return ArtifactBody(
        name=view.name,
        stage=view.stage,
        generation=view.generation,
        media_type=view.media_type,
        bytes=view.bytes,
        sha256=view.sha256,
        url=f"/artifacts/{quote(task_id, safe='')}/{quote(view.name, safe='')}",
    )


def moved_body(order: Request) -> Moved:
    """An order after a move."""
    return Moved(
        task_id=order.task_id,
        status=order.status,
        cancel_requested=order.cancel_requested,
        links=links_of(order.task_id),
    )


def order_body(order: Request) -> OrderBody:
    """An order in a list."""
    return OrderBody(
        task_id=order.task_id,
        pipeline=order.pipeline,
        status=order.status,
        stage=order.stage,
        seq=order.seq,
        attempt=order.attempt,
        retry_count=order.retry_count,
        error=fault_body(order.error_code, order.error_message),
        owner=order.owner,
        source=order.source,
        priority=order.priority,
        created_at=order.created_at,
        updated_at=order.updated_at,
        completed_at=order.completed_at,
        links=links_of(order.task_id),
    )
