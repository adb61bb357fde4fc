"""The last hour: completed stages, their durations, and failures. Read-only."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from sqlalchemy import Connection, bindparam, func, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.outcomes import FAILURE_EVENTS, failure_from_event
from resources.ledger.queries.reads import event_of, events_query
from resources.ledger.queries.workload import WorkloadScope, in_scope
from resources.ledger.schema.sqltime import after
from resources.ledger.schema.tables import events, requests, stages

HOUR = 3600.0
_FIRST_STEP = 256


@dataclass(frozen=True)
class Durations:
    """Statistics of time spans, in seconds."""

    mean: float
    p50: float
    p95: float


@dataclass(frozen=True)
class StageHour:
    """One stage in the last hour: completions, and failed attempts.

    The seconds of a completed stage count from its first begin, with the waits between attempts; None where none
    was completed.
    """

    completed: int
    failed: int
    seconds: Durations | None

    @property
    def failure_rate(self) -> float | None:
        """The share of failed attempts in all that completed or failed; None where there were none.

        Attempts that were canceled, released or lost with their worker, or that had to wait, are not counted.
        """
        ended = self.completed + self.failed
        return self.failed / ended if ended else None


@dataclass(frozen=True)
class LastHour:
    """The last hour, by stage (None: before the first one), and its failures by error code."""

    stages: Mapping[str | None, StageHour]
    failures: Mapping[str, int]


@retry_transient
def last_hour(db: Database, scope: WorkloadScope) -> LastHour:
    """The stages and attempts that ended within the last hour."""
    with db.reading() as tx:
        low = _last_id_before(tx, HOUR)
        spans = _completed(tx, scope, low)
        failures = _failures(tx, scope, low)
    failed = Counter(stage for stage, _ in failures)
    return LastHour(
        stages={
            stage: StageHour(len(spans.get(stage, ())), failed[stage], durations(spans.get(stage)))
            for stage in {**spans, **failed}
        },
        failures=Counter(code for _, code in failures),
    )


def durations(seconds: Sequence[float] | None) -> Durations | None:
    """The mean, median and 95th percentile by nearest rank; None where there are no values."""
    if not seconds:
        return None
    ordered = sorted(seconds)

    def reached_by(share: float) -> float:
        return ordered[ceil(share * len(ordered)) - 1]

    return Durations(sum(ordered) / len(ordered), reached_by(0.50), reached_by(0.95))


def _last_id_before(tx: Connection, seconds: float) -> int:
    """An event id up to which all events are older; at most as many above it may be older too.

    Ids rise with time, so the search goes back from the newest one and doubles each step.
    """
    newest = tx.execute(_NEWEST).scalar() or 0
    step = _FIRST_STEP
    while step < newest:
        probe = {"id": newest - step, "seconds": -seconds}
        if tx.execute(_IS_OLDER, probe).scalar() is not False:
            return newest - step
        step *= 2
    return 0


def _completed(tx: Connection, scope: WorkloadScope, low: int) -> Mapping[str | None, list[float]]:
    done = select(events.c.request_id).where(events.c.id > low, events.c.type == "stage_completed")
    query = (
        select(requests.c.pipeline, stages.c.stage, stages.c.started_at, stages.c.completed_at)
        .select_from(stages.join(requests))
        .where(
            stages.c.request_id.in_(done),
            stages.c.completed_at > after(-HOUR),
            stages.c.started_at.is_not(None),
            in_scope(scope),
        )
    )
    spans: dict[str | None, list[float]] = {}
    for pipeline, stage, begun, ended in tx.execute(query):
        seconds = max(0.0, (ended - begun).total_seconds())
        spans.setdefault(scope.counted_as(pipeline, stage), []).append(seconds)
    return spans


def _failures(tx: Connection, scope: WorkloadScope, low: int) -> list[tuple[str | None, str]]:
    query = events_query().where(
        events.c.id > low,
        events.c.type.in_(FAILURE_EVENTS),
        events.c.at > after(-HOUR),
        in_scope(scope),
    )
    found = []
    for event in (event_of(row._mapping) for row in tx.execute(query)):
        failure = failure_from_event(event)
        if failure is not None:
            stage, code = failure
            found.append((scope.counted_as(event.pipeline, stage), code))
    return found


_NEWEST = select(func.max(events.c.id))
_IS_OLDER: Any = (
    select(events.c.at <= after(bindparam("seconds")))
    .where(events.c.id <= bindparam("id"))
    .order_by(events.c.id.desc())
    .limit(1)
)
