"""The response body of the statistics."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from castad.readmodels.json_types import LedgerText, Timestamp
from resources.ledger.schema.tables import Status

_EXAMPLE: dict[str, Any] = {
    "at": "2026-01-02T03:04:05.678Z",
    "requests": {"pending": 1, "processing": 2, "completed": 40},
    "in_progress": 2,
    "stages": [
        {
            "stage": "song",
            **{"pending": 0, "dispatched": 0, "processing": 2, "failed": 0, "dead": 0, "due": 0},
            "oldest_due_seconds": None,
            "last_hour": {
                **{"completed": 9, "failed": 1, "failure_rate": 0.1},
                **{"mean_seconds": 151.2, "p50_seconds": 148.0, "p95_seconds": 190.4},
            },
        }
    ],
    "waiting": {"turn:suno": 84, "place:video": 3},
    "queue_age_seconds": 0.0,
    "oldest_running_seconds": 75.3,
    "failures_last_hour": {"provider_failed": 1},
    "stuck": {"after_seconds": 900.0, "count": 0, "requests": []},
    "dead_letters": {},
    "money": {"today_usd": 0.6, "in_all_usd": 3.48},
    "workers": {"alive": 2, "places": 400, "free": 398},
    "parked": [],
    "orphans": {"count": 0, "usd": 0.0, "submissions": []},
}


class LastHour(BaseModel):
    """Results of a stage in the last hour; seconds are from its first start to its end."""

    completed: int
    failed: int
    failure_rate: float | None
    mean_seconds: float | None
    p50_seconds: float | None
    p95_seconds: float | None


class StageStats(BaseModel):
    """The number of orders at a stage, by status."""

    stage: LedgerText | None
    pending: int
    dispatched: int
    processing: int
    failed: int
    dead: int
    due: int = Field(description="Orders that could start now and wait only for a worker's place")
    oldest_due_seconds: float | None
    last_hour: LastHour


class StuckOrder(BaseModel):
    """An order that should make progress without a person's help and does not."""

    task_id: LedgerText
    status: Status
    stage: LedgerText | None
    since: Timestamp
    seconds: float
    why: LedgerText | None
    code: LedgerText | None


class StuckOrders(BaseModel):
    """The number of orders without progress for so long, and the oldest of them."""

    after_seconds: float
    count: int
    requests: list[StuckOrder]


class Money(BaseModel):
    """US dollars that were or may have been charged."""

    today_usd: float = Field(description="Since midnight, UTC")
    in_all_usd: float


class WorkerStats(BaseModel):
    """The living workers, and their places in all and free."""

    alive: int
    places: int
    free: int


class ParkedProvider(BaseModel):
    """A provider to which nothing is sent until a given time."""

    provider: str
    until: Timestamp
    why: LedgerText


class Orphan(BaseModel):
    """A submission that was or may have been charged and no longer belongs to an order."""

    provider: LedgerText
    external_id: LedgerText | None
    task_id: LedgerText
    stage: LedgerText
    usd: float
    at: Timestamp
    why: LedgerText


class Orphans(BaseModel):
    """The number of orphans, their cost, and the newest of them."""

    count: int
    usd: float
    submissions: list[Orphan]


class StatsBody(BaseModel):
    """Statistics of all orders for an admin; else of the owner's orders, without workers and providers."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    at: Timestamp
    requests: dict[str, int] = Field(description="By status")
    in_progress: int = Field(description="Orders that are dispatched or processing")
    stages: list[StageStats]
    waiting: dict[str, int] = Field(
        description="Pending orders by what they wait for: `place:<stage>`, `turn:<provider>`, "
        "`verdict:<provider>`, a parked provider's name, `budget`"
    )
    queue_age_seconds: float | None
    oldest_running_seconds: float | None
    failures_last_hour: dict[str, int] = Field(description="By code")
    stuck: StuckOrders
    dead_letters: dict[str, int] = Field(description="By code")
    money: Money
    workers: WorkerStats | None
    parked: list[ParkedProvider] | None
    orphans: Orphans | None
