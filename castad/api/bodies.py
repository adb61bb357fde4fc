"""The API's request and response bodies, as OpenAPI describes them."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from castad.api.text import LedgerText
from castad.api.timestamps import Timestamp
from resources.ledger.schema.tables import Status

_TIMESTAMP = "2026-01-02T03:04:05.678Z"
_LINKS = {
    "self": "/pipeline/status/shop-1",
    "events": "/pipeline/events/shop-1",
    "history": "/pipeline/history/shop-1",
    "cancel": "/pipeline/cancel/shop-1",
}


def _example(**members: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [members]})


class Links(BaseModel):
    """Paths of further calls about the order."""

    self: str
    events: str
    history: str
    cancel: str


class Cost(BaseModel):
    """The price of a stage, in USD."""

    stage: str
    provider: str | None = Field(description="Null where no vendor is paid for the stage")
    cost_usd: float


class Placed(BaseModel):
    """An order that is in the ledger; `created` is whether this call added it."""

    model_config = _example(task_id="shop-1", status="pending", created=True, links=_LINKS)

    task_id: str
    status: Status
    created: bool
    links: Links


class Priced(BaseModel):
    """The price of an order, each stage bought once; nothing was submitted."""

    model_config = _example(
        dry_run=True,
        stages=[{"stage": "song", "provider": "suno", "cost_usd": 0.06}],
        cost_usd=0.06,
    )

    dry_run: Literal[True] = True
    stages: list[Cost]
    cost_usd: float


class BatchPlaced(BaseModel):
    """Every order of the batch is in the ledger; `created` is how many this call added."""

    model_config = _example(
        orders=[{"task_id": "shop-1", "status": "pending", "created": True, "links": _LINKS}],
        created=1,
    )

    orders: list[Placed]
    created: int


class BatchPriced(BaseModel):
    """The number of orders, all of them valid, and their price together; nothing was submitted."""

    model_config = _example(dry_run=True, orders=2, cost_usd=0.12)

    dry_run: Literal[True] = True
    orders: int
    cost_usd: float


class Moved(BaseModel):
    """The order's status after a retry, redo or cancel."""

    model_config = _example(
        task_id="shop-1", status="pending", cancel_requested=False, links=_LINKS
    )

    task_id: str
    status: Status
    cancel_requested: bool = Field(description="Whether its running attempt was asked to stop")
    links: Links


class Retried(BaseModel):
    """The orders that are pending again."""

    model_config = _example(
        retried=1, task_ids=["shop-1"], skipped=0, before=_TIMESTAMP, more=False
    )

    retried: int
    task_ids: list[str]
    skipped: int = Field(description="Orders that another caller changed meanwhile")
    before: datetime = Field(
        description="Only orders that ended before this timestamp were retried; the same call with the same "
        "`before` retries no order twice"
    )
    more: bool = Field(description="Whether more orders match; repeat the call for them")


class Fault(BaseModel):
    """An error: a stable code and a sentence."""

    code: LedgerText
    message: LedgerText | None


class StageBody(BaseModel):
    """One stage of an order."""

    status: Literal["pending", "processing", "completed", "failed"]
    attempts: int = Field(description="How many times it was started")
    retry_count: int = Field(description="How many times it failed and was retried")
    generation: int = Field(description="1, plus one for each redo")
    error: Fault | None
    started_at: Timestamp | None
    completed_at: Timestamp | None
    seconds: float | None
    progress: int | None = Field(description="Percent, where the provider reports it")
    progress_note: LedgerText | None
    cost: float = Field(description="US dollars that were or may have been charged")


class AttemptBody(BaseModel):
    """One attempt of an order: a Dagster run."""

    number: int
    run_id: LedgerText | None
    run_url: str | None
    worker: LedgerText
    started_at: Timestamp
    ended_at: Timestamp | None
    error: Fault | None


class ArtifactBody(BaseModel):
    """A finished file."""

    name: LedgerText
    stage: LedgerText
    generation: int
    media_type: LedgerText
    bytes: int
    sha256: LedgerText
    url: str


class StatusBody(BaseModel):
    """The status of an order.

    A `failed` order is retried automatically. A `dead` or `canceled` order needs a retry or a redo.
    """

    model_config = _example(
        task_id="shop-1",
        pipeline="song_video",
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
                "started_at": _TIMESTAMP,
                "completed_at": _TIMESTAMP,
                "seconds": 1.2,
                "progress": 100,
                "progress_note": None,
                "cost": 0.0004,
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
        before_it=None,
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
        callback_url=None,
        created_at=_TIMESTAMP,
        updated_at=_TIMESTAMP,
        completed_at=None,
        links=_LINKS,
    )

    task_id: LedgerText
    pipeline: LedgerText
    overall_status: Status
    seq: int = Field(description="The number of its last event")
    stage: LedgerText | None = Field(description="The current stage")
    stages: dict[str, StageBody]
    total_stages: int
    progress: int = Field(ge=0, le=100, description="Percent")
    attempt: int = Field(description="The number of the last attempt, 0 before the first")
    attempts: list[AttemptBody]
    retry_count: int = Field(description="Retries of the current stage")
    max_retries: int = Field(description="Retries that each stage may have")
    next_retry_at: Timestamp | None
    next_retry_in_seconds: float | None
    cancel_requested: bool
    waits_for: LedgerText | None = Field(
        description="What a pending order waits for: a parked provider's name, `budget`, `place:<stage>`, "
        "`turn:<provider>` or `verdict:<provider>`"
    )
    before_it: int | None = Field(
        description="How many orders are ahead of it in the wait queue for a place or a turn"
    )
    expected_wait_seconds: float | None = Field(description="The estimated time until its turn")
    error: Fault | None
    notes: list[LedgerText]
    artifacts: list[ArtifactBody]
    result: Any = Field(description="The pipeline's result once the order is completed, else null")
    seconds: float = Field(description="Time from its creation until its end, or until now")
    cost_usd: float
    owner: LedgerText | None
    priority: int
    not_before: Timestamp | None
    callback_url: LedgerText | None
    created_at: Timestamp
    updated_at: Timestamp
    completed_at: Timestamp | None
    links: Links


class OrderBody(BaseModel):
    """One order in a list."""

    task_id: LedgerText
    pipeline: LedgerText
    status: Status
    stage: LedgerText | None
    seq: int
    attempt: int
    retry_count: int
    error: Fault | None
    owner: LedgerText | None
    source: LedgerText
    priority: int
    created_at: Timestamp
    updated_at: Timestamp
    completed_at: Timestamp | None
    links: Links


class Page(BaseModel):
    """A page of orders, the newest first."""

    model_config = _example(orders=[], next=None)

    orders: list[OrderBody]
    next: str | None = Field(description="The `cursor` of the next page; null on the last one")


class HistoryEntry(BaseModel):
    """One event of the Dagster event log or of the ledger."""

    at: Timestamp
    kind: Literal["request", "run", "step", "asset"]
    what: LedgerText
    run_id: LedgerText | None
    run_url: str | None
    seq: int | None = Field(description="The number of an event of the order itself")


class History(BaseModel):
    """Everything that happened to an order, in time order."""

    model_config = _example(
        task_id="shop-1",
        history=[
            {
                "at": _TIMESTAMP,
                "kind": "request",
                "what": "created: nothing → pending",
                "run_id": None,
                "run_url": None,
                "seq": 1,
            }
        ],
        note=None,
    )

    task_id: LedgerText
    history: list[HistoryEntry]
    note: str | None = Field(description="Which part of it is missing in the Dagster event log")


class Uploaded(BaseModel):
    """A stored picture; an order uses it by putting `image` into its `images`."""

    model_config = _example(image=f"upload:{'0' * 64}", bytes=48_213)

    image: str
    bytes: int


class Health(BaseModel):
    """The service accepts orders."""

    model_config = _example(status="ok")

    status: Literal["ok"]
