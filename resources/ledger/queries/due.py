"""What is due, and what it needs beside that: the conditions and the limits that all who look share."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, and_, exists, literal_column, or_

from resources.contract.protocol import Rate
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import DUE, IN_WAIT_QUEUE, OPEN, Status, providers, requests

# SQLite uses a partial index only where the query repeats the index's own condition, word for word.
IS_OPEN: ColumnElement[bool] = literal_column(OPEN)
IS_IN_WAIT_QUEUE: ColumnElement[bool] = literal_column(IN_WAIT_QUEUE)
MAY_BE_DUE: ColumnElement[bool] = literal_column(DUE)


@dataclass(frozen=True)
class AdmissionLimits:
    """What an order needs beside a worker's place.

    `places` says how many of each stage may be at work, None without a limit; `first_stages` where an order of
    each pipeline begins; `rates` how often each vendor may be called, None where nobody says.
    """

    places: tuple[tuple[str, int | None], ...] = ()
    first_stages: tuple[tuple[str, str], ...] = ()
    rates: tuple[tuple[str, Rate | None], ...] = ()

    @property
    def limited(self) -> Mapping[str, int]:
        """The stages that have only so many places."""
        return {stage: limit for stage, limit in self.places if limit is not None}


@dataclass(frozen=True)
class Capacity:
    """Where runs can go: to the workers that are alive, or else to one that is started on demand.

    `on_demand` places count while no worker lives; 0 where nobody would start one.
    """

    on_demand: int
    lease_seconds: float
    limits: AdmissionLimits = field(default_factory=AdmissionLimits)


def is_due() -> ColumnElement[bool]:
    """The condition on `requests`: nothing but room is missing, and it stands in no line."""
    return and_(
        MAY_BE_DUE,
        not_before_passed(),
        ~exists().where(providers.c.name == requests.c.waits_for, providers.c.parked_until > now()),
        or_(requests.c.status == Status.PENDING, requests.c.retry_count <= requests.c.max_retries),
    )


def not_before_passed() -> ColumnElement[bool]:
    """The condition on `requests`: its moment has come. A failed one has none where its status was typed."""
    return or_(requests.c.not_before.is_(None), requests.c.not_before <= now())


def is_next_stage(stage: str, limits: AdmissionLimits) -> ColumnElement[bool]:
    """The condition on `requests`: this is its next stage, as far as the row tells."""
    here = requests.c.stage == stage
    begins = [pipeline for pipeline, first in limits.first_stages if first == stage]
    if not begins:
        return here
    return or_(here, and_(requests.c.stage.is_(None), requests.c.pipeline.in_(begins)))
