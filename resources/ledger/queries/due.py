"""When a request is due, and which limits also apply to it; shared by all queries for due requests."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, and_, exists, func, literal_column, or_, select

from resources.contract.protocol import Rate
from resources.ledger.admission import ORDER_PREFIX, PipelineStage
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import (
    DUE,
    OPEN,
    TERMINAL,
    WAITING_FOR_LIMIT,
    Status,
    providers,
    requests,
    workers,
)
from resources.ledger.worker_queues import DEFAULT_QUEUE, PipelineLimit

# SQLite uses a partial index only where the query repeats the index's condition verbatim.
IS_OPEN: ColumnElement[bool] = literal_column(OPEN)
IS_WAITING_FOR_LIMIT: ColumnElement[bool] = literal_column(WAITING_FOR_LIMIT)
MAY_BE_DUE: ColumnElement[bool] = literal_column(DUE)
_OTHER = requests.alias("other")


@dataclass(frozen=True)
class AdmissionLimits:
    """What a request needs beyond a worker's slot.

    `slots` is the limit of each stage, None without one; `first_stages` the first stage of each pipeline; `rates`
    the rate limit of each vendor, None where it is unknown; `pipelines` the queue and the limit of each pipeline.
    """

    slots: tuple[tuple[PipelineStage, int | None], ...] = ()
    first_stages: tuple[tuple[str, str], ...] = ()
    rates: tuple[tuple[str, Rate | None], ...] = ()
    pipelines: tuple[PipelineLimit, ...] = ()

    @property
    def queues(self) -> tuple[str, ...]:
        """All queues, the default one first."""
        return tuple(dict.fromkeys((DEFAULT_QUEUE, *(each.queue for each in self.pipelines))))

    @property
    def has_queues(self) -> bool:
        """Whether there is more than one queue, or a pipeline with a limit of its own."""
        return len(self.queues) > 1 or any(each.slots is not None for each in self.pipelines)

    def get_queue(self, pipeline: str) -> str:
        """The queue of a pipeline; the default one where it is unknown: SQL can write any name."""
        return next((e.queue for e in self.pipelines if e.name == pipeline), DEFAULT_QUEUE)

    @property
    def limited(self) -> Mapping[PipelineStage, int]:
        """The stages with a limited number of slots."""
        return {stage: limit for stage, limit in self.slots if limit is not None}


@dataclass(frozen=True)
class Capacity:
    """The slots for runs: those of living workers, or of a worker that is started on demand.

    `on_demand` slots count while no worker is alive; 0 where none would be started.
    """

    on_demand: int
    lease_seconds: float
    limits: AdmissionLimits = field(default_factory=AdmissionLimits)


def is_working(lease_seconds: float) -> ColumnElement[bool]:
    """The worker is alive and offers slots; a condition on `workers`."""
    return and_(workers.c.slots > 0, workers.c.beat_at > after(-lease_seconds))


def is_due() -> ColumnElement[bool]:
    """The request lacks nothing but capacity and waits for no limit; a condition on `requests`."""
    return and_(
        MAY_BE_DUE,
        not_before_passed(),
        ~exists().where(providers.c.name == requests.c.waits_for, providers.c.paused_until > now()),
        _waits_for_no_request(),
        or_(requests.c.status == Status.PENDING, requests.c.retry_count <= requests.c.max_retries),
    )


def _waits_for_no_request() -> ColumnElement[bool]:
    """The request does not wait for the result of another one that is still made; a condition on `requests`."""
    # A scalar subquery: Postgres would read the whole table for a NOT EXISTS.
    status = select(_OTHER.c.status).where(
        _OTHER.c.task_id == func.substr(requests.c.waits_for, len(ORDER_PREFIX) + 1)
    )
    return or_(
        requests.c.waits_for.is_(None),
        func.substr(requests.c.waits_for, 1, len(ORDER_PREFIX)) != ORDER_PREFIX,
        func.coalesce(status.scalar_subquery(), Status.DEAD).in_(TERMINAL),
    )


def not_before_passed() -> ColumnElement[bool]:
    """The request's `not_before` is over or not set; a condition on `requests`."""
    return or_(requests.c.not_before.is_(None), requests.c.not_before <= now())


def is_next_stage(of: PipelineStage, limits: AdmissionLimits) -> ColumnElement[bool]:
    """This is the request's next stage, as far as its row shows; a condition on `requests`."""
    if of not in limits.first_stages:
        return is_at(of)
    return or_(is_at(of), and_(requests.c.pipeline == of.pipeline, requests.c.stage.is_(None)))


def is_at(of: PipelineStage) -> ColumnElement[bool]:
    """The request's row names this stage; a condition on `requests`."""
    return and_(requests.c.pipeline == of.pipeline, requests.c.stage == of.stage)
