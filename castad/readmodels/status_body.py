"""The status of an order as JSON: one shape for the command line, the API and the stream's snapshot."""

from collections.abc import Sequence
from typing import Any, Literal
from urllib.parse import quote

from pydantic import BaseModel, Field

from castad.readmodels.hold_body import ChoiceBody, HoldBody, choice_bodies, editable, hold_body
from castad.readmodels.order_words import cover_of, read_order
from castad.readmodels.snapshot import Snapshot, StageSummary
from castad.readmodels.webhooks import WebhookBody, build_webhook_body
from resources.ledger.queries.health import AttemptView
from resources.ledger.queries.listing import Picture
from resources.ledger.schema.tables import StageStatus, Status
from resources.views.json_types import EXAMPLE_TIMESTAMP, LedgerText, Timestamp, example
from resources.views.order_body import (
    ErrorBody,
    OwnerStatusBody,
    build_artifact_url,
    build_error_body,
    build_status_url,
    order_fields,
    usd,
)


class Links(BaseModel):
    """Paths of further calls about the order."""

    self: str
    events: str
    history: str
    cancel: str


def list_links_of(task_id: str) -> Links:
    """Paths of further calls about an order."""
    name = quote(task_id, safe="")
    return Links(
        self=build_status_url(task_id),
        events=f"/pipeline/events/{name}",
        history=f"/pipeline/history/{name}",
        cancel=f"/pipeline/cancel/{name}",
    )


EXAMPLE_LINKS = list_links_of("shop-1").model_dump()


class StageBody(BaseModel):
    """One stage of an order."""

    status: Literal["pending", "processing", "completed", "failed"]
    attempts: int = Field(
        description="How many times its work was begun in this generation, also more than once in one attempt of "
        "the order; waiting and polling on do not count"
    )
    retry_count: int = Field(description="How many times it failed and was retried")
    generation: int = Field(description="1, plus one for each redo")
    error: ErrorBody | None
    started_at: Timestamp | None
    completed_at: Timestamp | None
    seconds: float | None
    progress: int | None = Field(description="Percent, where the provider reports it")
    progress_note: LedgerText | None
    cost_usd: float = Field(description="US dollars that were or may have been charged")
    approved_at: Timestamp | None = Field(
        None, description="When it was approved, where the order waited for a person"
    )
    approved_by: LedgerText | None = Field(
        None, description="Who approved it: a key's name, `cli:<user>`, or `time` by itself"
    )


class AttemptBody(BaseModel):
    """One attempt of an order: a Dagster run."""

    number: int
    run_id: LedgerText | None
    run_url: str | None
    worker: LedgerText
    started_at: Timestamp
    ended_at: Timestamp | None
    error: ErrorBody | None


class StatusBody(OwnerStatusBody):
    """The status of an order.

    A `failed` order is retried automatically. A `dead` or `canceled` order needs a retry or a redo.
    """

    model_config = example(
        task_id="shop-1",
        pipeline="song_video",
        summary="Bluebird Bakery, Busan, 20 s",
        brief={"customer_name": "Bluebird Bakery", "region": "Busan"},
        words=None,
        cover=None,
        overall_status="processing",
        seq=9,
        stage="song",
        stages={
            "lyric": {
                "status": "completed",
                "attempts": 1,
                "retry_count": 0,
                "generation": 1,
                "error": None,
                "started_at": EXAMPLE_TIMESTAMP,
                "completed_at": EXAMPLE_TIMESTAMP,
                "seconds": 1.2,
                "progress": 100,
                "progress_note": None,
                "cost_usd": 0.0004,
            }
        },
        total_stages=3,
        progress=33,
        attempt=1,
        attempts=[],
        retry_count=0,
        max_retries=3,
        next_retry_at=None,
        next_retry_in_seconds=None,
        cancel_requested=False,
        waits_for=None,
        hold=None,
        choices=None,
        editable=None,
        orders_ahead=None,
        expected_wait_seconds=None,
        error=None,
        notes=[],
        artifacts=[],
        result=None,
        seconds=12.5,
        cost_usd=0.0004,
        owner="shop",
        priority=0,
        not_before=None,
        scheduled_at=None,
        callback_url=None,
        webhooks=[],
        created_at=EXAMPLE_TIMESTAMP,
        updated_at=EXAMPLE_TIMESTAMP,
        completed_at=None,
        links=EXAMPLE_LINKS,
    )

    summary: LedgerText | None = Field(
        description="The order in one line; null where it is not understood"
    )
    brief: dict[str, Any] | None = Field(
        description="The order's fields, with all defaults; null where it is not understood"
    )
    words: LedgerText | None = Field(
        description="The text of its products that people read, such as a lyric, once there is one"
    )
    cover: LedgerText | None = Field(description="The path of the picture that shows the order")
    stages: dict[str, StageBody]
    total_stages: int
    progress: int = Field(ge=0, le=100, description="Percent")
    attempts: list[AttemptBody]
    next_retry_at: Timestamp | None
    next_retry_in_seconds: float | None
    cancel_requested: bool
    waits_for: LedgerText | None = Field(
        description="What a pending order waits for: a paused provider's name, `budget`, `settings`, "
        "`slot:<stage>`, `permit:<provider>`, `final_status:<provider>`, `approval:<stage>`, or `order:<task_id>` "
        "of the same order, which is being made"
    )
    hold: HoldBody | None = Field(
        description="Where it waits for a person; null where it never does"
    )
    choices: list[ChoiceBody] | None = Field(
        description="While it waits for a person: what was paid for together, the used one first"
    )
    editable: dict[str, Any] | None = Field(
        description="While it waits for a person: what may be changed in the stage's product, as it is now"
    )
    orders_ahead: int | None = Field(
        description="How many orders are ahead of it in waiting for a slot or a permit"
    )
    expected_wait_seconds: float | None = Field(
        description="The estimated time until it gets a permit"
    )
    notes: list[LedgerText]
    priority: int
    not_before: Timestamp | None = Field(description="It is not due before; null once it is")
    callback_url: LedgerText | None
    webhooks: list[WebhookBody] = Field(description="What its callback_url was told, or is to be")
    links: Links


def run_url(ui_url: str, run_id: str | None) -> str | None:
    """The run's page in the Dagster UI."""
    return None if run_id is None else f"{ui_url}/runs/{quote(run_id, safe='')}"


def status_body(snapshot: Snapshot, ui_url: str) -> StatusBody:
    """The status of an order."""
    order = snapshot.request
    is_due_again = order.status is Status.FAILED
    read = read_order(order)
    return StatusBody(
        **{**order_fields(snapshot.overview, snapshot.result), "hold": hold_body(order)},
        choices=choice_bodies(snapshot),
        editable=editable(snapshot),
        summary=None if read is None else read.summary,
        brief=None if read is None else read.brief,
        words=snapshot.words,
        cover=_cover(snapshot),
        stages={summary.stage: _stage(summary) for summary in snapshot.stages},
        total_stages=len(snapshot.stages),
        progress=read_progress(snapshot),
        attempts=[_attempt(view, ui_url) for view in snapshot.overview.attempts],
        next_retry_at=order.not_before if is_due_again else None,
        next_retry_in_seconds=round(snapshot.seconds_until_retry, 3) if is_due_again else None,
        orders_ahead=snapshot.overview.before,
        expected_wait_seconds=snapshot.expected_wait,
        notes=snapshot.notes,
        webhooks=[build_webhook_body(view) for view in snapshot.overview.webhooks],
        links=list_links_of(order.task_id),
    )


def read_progress(snapshot: Snapshot) -> int:
    """Percent: stages have equal weight; a running one counts by the progress that its provider reports."""
    return percent_of([(summary.status, summary.progress) for summary in snapshot.stages])


def percent_of(stages: Sequence[tuple[str | None, float | None]]) -> int:
    """Percent of stages, each given by its status and its progress in [0, 1]; each counts alike. Pure."""
    done = [
        1.0 if status == StageStatus.COMPLETED else _share(reported) for status, reported in stages
    ]
    return int(100 * sum(done) / len(done)) if done else 0


def _share(reported: float | None) -> float:
    # What an operator has stored may be no number.
    return min(max(0.0, reported), 1.0) if isinstance(reported, int | float) else 0.0


def _cover(snapshot: Snapshot) -> str | None:
    pictures = [
        Picture(view.stage, view.generation, view.name)
        for view in snapshot.overview.artifacts
        if view.media_type.startswith("image/")
    ]
    name = cover_of(snapshot.pipeline, pictures)
    return None if name is None else build_artifact_url(snapshot.request.task_id, name)


def _stage(summary: StageSummary) -> StageBody:
    return StageBody(
        status=summary.status,
        attempts=summary.attempts,
        retry_count=summary.retry_count,
        generation=summary.generation,
        error=build_error_body(summary.error_code, summary.error_message),
        started_at=summary.started_at,
        completed_at=summary.completed_at,
        seconds=None if summary.seconds is None else round(summary.seconds, 3),
        progress=None if summary.progress is None else int(100 * summary.progress),
        progress_note=summary.progress_note or None,
        cost_usd=usd(summary.cost),
        approved_at=summary.approved_at,
        approved_by=summary.approved_by,
    )


def _attempt(view: AttemptView, ui_url: str) -> AttemptBody:
    error = build_error_body(view.error_code, view.error_message)
    return AttemptBody(**vars(view), run_url=run_url(ui_url, view.run_id), error=error)
