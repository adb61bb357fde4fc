"""The status of an order as JSON: one shape for the command line, the API and the stream's snapshot."""

import logging
from collections.abc import Callable
from typing import Any, Literal, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, Field

from castad.views.order_list import (
    EXAMPLE_LINKS,
    Links,
    build_links,
    compute_percent,
    find_cover,
    read_order,
)
from castad.views.snapshot import Snapshot, StageSummary
from pipeline_defs.fields import convert_to_json
from pipeline_defs.pipeline import Stage
from resources.ledger.queries.listing import Picture
from resources.ledger.request import Request, list_stages_to_approve
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.approval import CANCEL, CONTINUE
from resources.views.order_body import (
    ErrorBody,
    OwnerStatusBody,
    build_artifact_url,
    build_error_body,
    build_status_fields,
    to_dollars,
)
from resources.views.text import EXAMPLE_TIMESTAMP, LedgerText, Timestamp, example
from resources.views.webhooks import WebhookBody, build_webhook_body

_log = logging.getLogger("castad.orders")
T = TypeVar("T")


class HoldBody(BaseModel):
    """The hold of an order: the stages at which it waits for a person's approval."""

    stages: list[LedgerText] = Field(description="The stages that need an approval")
    waiting: LedgerText | None = Field(
        description="The stage whose approval it waits for now; null if it waits for none"
    )
    until: Timestamp | None = Field(description="When the wait ends by itself; null without end")
    then: Literal["continue", "cancel"] | None = Field(
        description="What happens at the end of the wait"
    )


class ChoiceBody(BaseModel):
    """One of several results that were paid for together; the first one is used."""

    id: LedgerText
    label: LedgerText
    url: str | None = Field(description="The path of its file")
    seconds: float | None = Field(description="How long it plays")


def build_hold_body(request: Request) -> HoldBody | None:
    """Build the body of the order's hold; return None if it has none."""
    stages, waiting = list(list_stages_to_approve(request.hold)), request.held_stage
    if not stages and waiting is None:
        return None
    until = request.not_before if waiting else None
    has_end = until is not None or request.hold_seconds is not None
    then = CONTINUE if request.hold_then == CONTINUE else CANCEL
    return HoldBody(stages=stages, waiting=waiting, until=until, then=then if has_end else None)


def build_choice_bodies(snapshot: Snapshot) -> list[ChoiceBody] | None:
    """Build the choices of the product that waits for approval; return None unless there are several."""
    bodies = _show_held_product(
        snapshot, lambda stage, product: _build_choices(snapshot, stage, product)
    )
    return bodies if bodies and len(bodies) > 1 else None


def get_editable_fields(snapshot: Snapshot) -> dict[str, Any] | None:
    """Get the fields of the product that waits for approval that a person may change, with their values."""

    def get_fields(stage: Stage, product: Any) -> dict[str, Any] | None:
        if stage.revision is None:
            return None
        fields: dict[str, Any] = convert_to_json(stage.revision.get_editable_values(product))
        return fields

    return _show_held_product(snapshot, get_fields)


def _build_choices(snapshot: Snapshot, stage: Stage, product: Any) -> list[ChoiceBody] | None:
    if stage.choices is None:
        return None
    task_id = snapshot.request.task_id
    return [
        ChoiceBody(
            id=each.id,
            label=each.label,
            url=None if each.file is None else build_artifact_url(task_id, each.file),
            seconds=each.seconds,
        )
        for each in stage.choices.of(product)
    ]


def _show_held_product(snapshot: Snapshot, show: Callable[[Stage, Any], T | None]) -> T | None:
    """Call `show` with the product that waits for approval; return None if there is none or `show` fails."""
    held = snapshot.request.held_stage
    stage = snapshot.pipeline.find_stage(held) if snapshot.pipeline and held else None
    results = [view.result for view in snapshot.overview.stages if view.stage == held]
    if stage is None or not results or results[0] is None:
        return None
    try:
        return show(stage, stage.product.model_validate(results[0]))
    except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
        name, kind = snapshot.request.pipeline, type(error).__name__
        _log.warning("product not shown: pipeline=%s stage=%s error=%s", name, held, kind)
        return None


class StageBody(BaseModel):
    """One stage of an order."""

    status: Literal["pending", "processing", "completed", "failed"]
    attempts: int = Field(
        description="How many times its work was begun in this generation, which may be several times in one "
        "attempt of the order; waiting and further polling do not count"
    )
    retry_count: int = Field(description="How many times it failed and was retried")
    generation: int = Field(description="1, plus one for each redo")
    error: ErrorBody | None
    started_at: Timestamp | None
    completed_at: Timestamp | None
    seconds: float | None
    progress: int | None = Field(description="Percent; null if the provider reports none")
    progress_note: LedgerText | None
    cost_usd: float = Field(description="US dollars that were or may have been charged")
    approved_at: Timestamp | None = Field(
        None, description="When it was approved, if the order waited for a person"
    )
    approved_by: LedgerText | None = Field(
        None,
        description="Who approved it: a key's name, `cli:<user>`, or `time` for the end of the wait",
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
        status="processing",
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
        description="The order in one line; null if its pipeline does not understand it"
    )
    brief: dict[str, Any] | None = Field(
        description="The order's fields, with all defaults; null if its pipeline does not understand it"
    )
    words: LedgerText | None = Field(
        description="The text of its products that people read, such as a lyric; null until there is one"
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
    hold: HoldBody | None = Field(description="The approvals it waits for; null if it needs none")
    choices: list[ChoiceBody] | None = Field(
        description="While it waits for a person: the results that were paid for together, the used one first"
    )
    editable: dict[str, Any] | None = Field(
        description="While it waits for a person: the changeable fields of the stage's product, as they are now"
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
    webhooks: list[WebhookBody] = Field(
        description="The webhooks to its callback_url, sent and pending"
    )
    links: Links


def build_run_url(ui_url: str, run_id: str | None) -> str | None:
    """Build the URL of the run's page in the Dagster UI; return None without a run."""
    return None if run_id is None else f"{ui_url}/runs/{quote(run_id, safe='')}"


def build_status_body(snapshot: Snapshot, ui_url: str) -> StatusBody:
    """Build the status of an order."""
    order = snapshot.request
    is_due_again = order.status is Status.FAILED
    read = read_order(order)
    return StatusBody(
        **{
            **build_status_fields(snapshot.overview, snapshot.result),
            "hold": build_hold_body(order),
        },
        choices=build_choice_bodies(snapshot),
        editable=get_editable_fields(snapshot),
        summary=None if read is None else read.summary,
        brief=None if read is None else read.brief,
        words=snapshot.words,
        cover=_find_cover_url(snapshot),
        stages={summary.stage: _build_stage_body(summary) for summary in snapshot.stages},
        total_stages=len(snapshot.stages),
        progress=compute_percent((each.status, each.progress) for each in snapshot.stages),
        attempts=[
            AttemptBody(
                **vars(view),
                run_url=build_run_url(ui_url, view.run_id),
                error=build_error_body(view.error_code, view.error_message),
            )
            for view in snapshot.overview.attempts
        ],
        next_retry_at=order.not_before if is_due_again else None,
        next_retry_in_seconds=round(snapshot.seconds_until_retry, 3) if is_due_again else None,
        orders_ahead=snapshot.overview.before,
        expected_wait_seconds=snapshot.expected_wait,
        notes=snapshot.notes,
        webhooks=[build_webhook_body(view) for view in snapshot.overview.webhooks],
        links=build_links(order.task_id),
    )


def _find_cover_url(snapshot: Snapshot) -> str | None:
    pictures = [
        Picture(view.stage, view.generation, view.name)
        for view in snapshot.overview.artifacts
        if view.media_type.startswith("image/")
    ]
    name = find_cover(snapshot.pipeline, pictures)
    return None if name is None else build_artifact_url(snapshot.request.task_id, name)


def _build_stage_body(summary: StageSummary) -> StageBody:
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
        cost_usd=to_dollars(summary.cost),
        approved_at=summary.approved_at,
        approved_by=summary.approved_by,
    )
