"""What the API answers with, as OpenAPI describes it."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from castad.api.text import LedgerText
from castad.api.timestamps import Timestamp
from pipeline_defs.song_video.brief import NAME, Brief
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


class NewOrder(Brief):
    """An order: the brief, and how it is handled."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "task_id": "shop-1",
                    "customer_name": "봄날 베이커리",
                    "region": "전주",
                    "detail_region_info": "한옥마을 골목의 작은 빵집",
                    "language": "Korean",
                    "orientation": "vertical",
                }
            ]
        },
    )

    task_id: str | None = Field(
        None,
        pattern="^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$",
        description="The order's name, unique among all; made up where left out. Only an order with a name of "
        "its own can be sent again safely: the same one is the same order",
    )
    pipeline: Literal["song_video"] | None = Field(None, description=f"What to make: {NAME}")
    priority: int | None = Field(
        None, ge=-1_000_000, le=1_000_000, description="A higher one goes first; 0 where left out"
    )
    max_retries: int | None = Field(None, ge=0, le=100, description="3 where left out")
    not_before: datetime | None = Field(
        None, description="Not begun before this moment (ISO 8601 with its time zone)"
    )
    callback_url: str | None = Field(
        None, max_length=2000, description="Called when it has ended; a public https:// link"
    )


class Links(BaseModel):
    """Where to go on from here."""

    self: str
    events: str
    history: str
    cancel: str


class Cost(BaseModel):
    """The price of a stage, in USD."""

    stage: str
    provider: str
    cost_usd: float


class Placed(BaseModel):
    """An order that stands; `created` tells whether this call placed it."""

    model_config = _example(task_id="shop-1", status="pending", created=True, links=_LINKS)

    task_id: str
    status: Status
    created: bool
    links: Links


class Priced(BaseModel):
    """What it will cost, each stage bought once; nothing was ordered."""

    model_config = _example(
        dry_run=True,
        stages=[{"stage": "song", "provider": "suno", "cost_usd": 0.06}],
        cost_usd=0.06,
    )

    dry_run: Literal[True] = True
    stages: list[Cost]
    cost_usd: float


class BatchPlaced(BaseModel):
    """Every order of the batch stands."""

    model_config = _example(
        orders=[{"task_id": "shop-1", "status": "pending", "created": True, "links": _LINKS}],
        created=1,
    )

    orders: list[Placed]
    created: int


class BatchPriced(BaseModel):
    """Every order of the batch can be placed, and what they will cost together; nothing was ordered."""

    model_config = _example(dry_run=True, orders=2, cost_usd=0.12)

    dry_run: Literal[True] = True
    orders: int
    cost_usd: float


class Moved(BaseModel):
    """Where an order stands after it was retried, redone or canceled."""

    model_config = _example(
        task_id="shop-1", status="pending", cancel_requested=False, links=_LINKS
    )

    task_id: str
    status: Status
    cancel_requested: bool = Field(description="What works on it has been told to stop")
    links: Links


class Retried(BaseModel):
    """The orders that were put back in line."""

    model_config = _example(
        retried=1, task_ids=["shop-1"], skipped=0, before=_TIMESTAMP, more=False
    )

    retried: int
    task_ids: list[str]
    skipped: int = Field(description="Orders that somebody else moved meanwhile")
    before: datetime = Field(
        description="Only what ended before this moment was retried: with the same `before` the same call may be "
        "made again, and retries nothing twice"
    )
    more: bool = Field(description="There are more; make the same call again")


class Fault(BaseModel):
    """What went wrong."""

    code: LedgerText
    message: LedgerText | None


class StageBody(BaseModel):
    """One stage of an order."""

    status: Literal["pending", "processing", "completed", "failed"]
    attempts: int = Field(description="How often it was begun")
    retry_count: int = Field(description="How often it failed and was tried again")
    generation: int = Field(description="1, and one more for each redo")
    error: Fault | None
    started_at: Timestamp | None
    completed_at: Timestamp | None
    seconds: float | None
    progress: int | None = Field(description="Percent, where its maker tells")
    progress_note: LedgerText | None
    cost: float = Field(description="USD: all that was or may have been charged")


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
    """A file that was made."""

    name: LedgerText
    stage: LedgerText
    generation: int
    media_type: LedgerText
    bytes: int
    sha256: LedgerText
    url: str


class StatusBody(BaseModel):
    """How an order stands.

    `failed` waits for its next attempt, `dead` for a person; only a retry or a redo brings back what is dead or
    canceled.
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
    stage: LedgerText | None = Field(description="The stage it is at")
    stages: dict[str, StageBody]
    total_stages: int
    progress: int = Field(ge=0, le=100, description="Percent")
    attempt: int = Field(description="The number of the last attempt, 0 before the first")
    attempts: list[AttemptBody]
    retry_count: int = Field(description="Of the stage it is at")
    max_retries: int = Field(description="Of each stage by itself")
    next_retry_at: Timestamp | None
    next_retry_in_seconds: float | None
    cancel_requested: bool
    waits_for: LedgerText | None = Field(
        description="A provider that is parked, `budget`, `place:<stage>`, `turn:<provider>`, `verdict:<provider>`"
    )
    before_it: int | None = Field(description="How many wait before it for the same place or turn")
    expected_wait_seconds: float | None = Field(description="About how long until its turn")
    error: Fault | None
    notes: list[LedgerText]
    artifacts: list[ArtifactBody]
    seconds: float = Field(description="From the order until its end, or until now")
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
    """Orders, the newest first."""

    model_config = _example(orders=[], next=None)

    orders: list[OrderBody]
    next: str | None = Field(description="The `cursor` of the next page; null on the last one")


class HistoryEntry(BaseModel):
    """Something that happened, as the Dagster event log has it, or the ledger."""

    at: Timestamp
    kind: Literal["request", "run", "step", "asset"]
    what: LedgerText
    run_id: LedgerText | None
    run_url: str | None
    seq: int | None = Field(description="Of an event of the order itself: its number")


class History(BaseModel):
    """The life of an order, in order."""

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
    note: str | None = Field(description="What of it the Dagster event log does not hold")


class Uploaded(BaseModel):
    """A picture that is kept: name it by `image` among an order's `images`."""

    model_config = _example(image=f"upload:{'0' * 64}", bytes=48_213)

    image: str
    bytes: int


class Health(BaseModel):
    """Orders are taken."""

    model_config = _example(status="ok")

    status: Literal["ok"]
