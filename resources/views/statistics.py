"""The statistics as one model, for every face."""

from collections.abc import Sequence
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field

from resources.ledger.queries.hours import StageHour, Statistics
from resources.ledger.queries.workload import Backlog
from resources.ledger.schema.tables import OPEN_STATUSES, Status
from resources.views.order_body import to_dollars
from resources.views.text import EXAMPLE_TIMESTAMP, LedgerText, Timestamp, example

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
    "waiting": {"permit:suno": 84, "slot:video": 3},
    "oldest_due_seconds": 0.0,
    "oldest_running_seconds": 75.3,
    "failures_last_hour": {"provider_failed": 1},
    "stuck": {"after_seconds": 900.0, "count": 0, "requests": []},
    "dead_letters": {},
    "money": {"today_usd": 0.6, "in_all_usd": 3.48},
    "workers": {"alive": 2, "slots": 400, "free": 398},
    "dispatcher": {"works": True, "why": None},
    "paused": [],
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
    due: int = Field(description="Orders that could start now and wait only for a worker's slot")
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
    """The number of orders without progress for `after_seconds`, and the oldest of them."""

    after_seconds: float
    count: int
    requests: list[StuckOrder]


class Money(BaseModel):
    """US dollars that were or may have been charged."""

    today_usd: float = Field(description="Since midnight, UTC")
    in_all_usd: float


class WorkerStats(BaseModel):
    """The living workers, and their slots in all and free."""

    alive: int
    slots: int
    free: int


class DispatcherStats(BaseModel):
    """Whether due orders are dispatched."""

    works: bool
    why: LedgerText | None = Field(description="What prevents it; null while it works")

    @classmethod
    def from_trouble(cls, trouble: str | None) -> Self:
        """Build the statistics from the reason why nothing is dispatched, None if orders are dispatched."""
        return cls(works=trouble is None, why=trouble)


class PausedProvider(BaseModel):
    """A provider to which nothing is sent until a given time."""

    model_config = example(provider="suno", until=EXAMPLE_TIMESTAMP, why="paused by admin")

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
        description="Pending orders by what they wait for: `slot:<stage>`, `permit:<provider>`, "
        "`final_status:<provider>`, a paused provider's name, `budget`, or `order` for another one's result"
    )
    oldest_due_seconds: float | None
    oldest_running_seconds: float | None
    failures_last_hour: dict[str, int] = Field(description="By code")
    stuck: StuckOrders
    dead_letters: dict[str, int] = Field(description="By code")
    money: Money
    workers: WorkerStats | None
    dispatcher: DispatcherStats | None
    paused: list[PausedProvider] | None
    orphans: Orphans | None


_WITH_STAGE = (*OPEN_STATUSES, Status.DEAD)
"""The statuses that are counted by stage."""


def build_stats_body(
    stats: Statistics, stages: Sequence[str], dispatcher: DispatcherStats | None = None
) -> StatsBody:
    """Build the statistics with each of `stages`, and then any others that SQL or an older release left."""
    work, hour, pool, orphans = stats.work, stats.hour, stats.work.worker_pool, stats.work.orphans
    counted = dict.fromkeys(map(str, Status), 0)
    for (status, _), count in work.requests.items():
        counted[str(status)] += count
    seen = {stage for status, stage in work.requests if status in _WITH_STAGE}
    others = {*seen, *work.due, *hour.stages}.difference(stages)
    return StatsBody(
        at=work.at,
        requests=counted,
        in_progress=work.in_progress,
        stages=[_build_stage_stats(stats, each) for each in (*stages, *sorted(others, key=str))],
        waiting=dict(work.waiting),
        oldest_due_seconds=_round_seconds(work.oldest_due),
        oldest_running_seconds=_round_seconds(work.oldest_running),
        failures_last_hour=dict(hour.failures),
        stuck=StuckOrders(
            after_seconds=stats.stuck_after,
            count=stats.stuck.count,
            requests=[
                StuckOrder(
                    **vars(each), seconds=round(max(0.0, (work.at - each.since).total_seconds()), 3)
                )
                for each in stats.stuck.oldest
            ],
        ),
        dead_letters=dict(work.dead_letters),
        money=Money(
            today_usd=to_dollars(sum(work.spent_today.values())),
            in_all_usd=to_dollars(stats.spent),
        ),
        workers=pool and WorkerStats(alive=pool.workers, slots=pool.slots, free=pool.free),
        dispatcher=dispatcher,
        paused=pool and [PausedProvider(**vars(each)) for each in work.paused],
        orphans=orphans
        and Orphans(
            count=orphans.count,
            usd=to_dollars(orphans.cost),
            submissions=[
                Orphan(**vars(each), usd=to_dollars(each.cost)) for each in orphans.newest
            ],
        ),
    )


def _build_stage_stats(stats: Statistics, stage: str | None) -> StageStats:
    backlog = stats.work.due.get(stage, Backlog(0, 0.0))
    counts = {str(status): stats.work.requests.get((status, stage), 0) for status in _WITH_STAGE}
    hour = stats.hour.stages.get(stage, StageHour(0, 0, None))
    rate, seconds = hour.failure_rate, hour.seconds
    return StageStats(
        stage=stage,
        **counts,
        due=backlog.count,
        oldest_due_seconds=_round_seconds(backlog.oldest) if backlog.count else None,
        last_hour=LastHour(
            completed=hour.completed,
            failed=hour.failed,
            failure_rate=None if rate is None else round(rate, 4),
            mean_seconds=seconds and _round_seconds(seconds.mean),
            p50_seconds=seconds and _round_seconds(seconds.p50),
            p95_seconds=seconds and _round_seconds(seconds.p95),
        ),
    )


def _round_seconds(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)
