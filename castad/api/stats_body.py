"""The statistics as OpenAPI describes them."""

from datetime import datetime

from pydantic import BaseModel, Field

from castad.api.text import LedgerText
from resources.ledger.tables import Status


class LastHour(BaseModel):
    """How a stage did in the last hour; seconds from its first begin to its end."""

    completed: int
    failed: int
    failure_rate: float | None
    mean_seconds: float | None
    p50_seconds: float | None
    p95_seconds: float | None


class StageStats(BaseModel):
    """How many orders are at a stage, by their status."""

    stage: LedgerText | None
    pending: int
    dispatched: int
    processing: int
    failed: int
    dead: int
    due: int = Field(description="Nothing but a place is missing")
    oldest_due_seconds: float | None
    last_hour: LastHour


class StuckOrder(BaseModel):
    """An order that ought to go on by itself and does not."""

    task_id: LedgerText
    status: Status
    stage: LedgerText | None
    since: datetime
    seconds: float
    why: LedgerText | None
    code: LedgerText | None


class StuckOrders(BaseModel):
    """Those that nobody has worked on for so long, the oldest of them one by one."""

    after_seconds: float
    count: int
    requests: list[StuckOrder]


class Money(BaseModel):
    """What was or may have been charged."""

    today_usd: float = Field(description="Since midnight, UTC")
    in_all_usd: float


class WorkerStats(BaseModel):
    """Who works."""

    alive: int
    places: int
    free: int


class ParkedProvider(BaseModel):
    """A provider that is left alone."""

    provider: str
    until: datetime
    why: LedgerText


class StatsBody(BaseModel):
    """How the work stands: everybody's for an admin, else one's own, without workers and providers."""

    at: datetime
    requests: dict[str, int] = Field(description="By status")
    stages: list[StageStats]
    queue_age_seconds: float | None
    oldest_running_seconds: float | None
    failures_last_hour: dict[str, int] = Field(description="By code")
    stuck: StuckOrders
    dead_letters: dict[str, int] = Field(description="By code")
    money: Money
    workers: WorkerStats | None
    parked: list[ParkedProvider] | None
