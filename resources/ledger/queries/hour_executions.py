"""What ended in an hour: completed stages, failures, and what its submissions cost. Read-only.

Stages and failures are found through their events, whose ids rise with time: an hour is a range of ids, and no
index on a time is needed.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    CompoundSelect,
    Connection,
    Label,
    Table,
    bindparam,
    func,
    literal,
    null,
    select,
    union_all,
)

from resources.ledger.queries.outcomes import FAILURE_EVENTS
from resources.ledger.schema.sqltime import Moment
from resources.ledger.schema.tables import events, provider_jobs, requests, stages

COMPLETED, FAILED, CHARGED = "completed", "failed", "charged"
_LATE_COMMIT = timedelta(minutes=5)
"""Ids may be out of order by as long as a transaction lasts."""


def hour_bounds(tx: Connection, hour: datetime) -> dict[str, Any]:
    """The parameters of HOUR_EXECUTIONS for the hour that begins then."""
    until = hour + timedelta(hours=1)
    return {
        "since": hour,
        "until": until,
        "low": _first_id_from(tx, hour - _LATE_COMMIT),
        "high": _first_id_from(tx, until + _LATE_COMMIT),
    }


def _first_id_from(tx: Connection, moment: datetime) -> int:
    """An id from which on events are as late as this moment, and before which all are earlier."""
    low, high = 0, int(tx.execute(_NEWEST_ID).scalar() or 0) + 1
    while low < high:
        middle = (low + high) // 2
        at = tx.execute(_AT_OR_BEFORE, {"id": middle}).scalar()
        if at is None or at < moment:
            low = middle + 1
        else:
            high = middle
    return low


_NEWEST_ID = select(func.max(events.c.id))
_AT_OR_BEFORE: Any = (
    select(events.c.at).where(events.c.id <= bindparam("id")).order_by(events.c.id.desc()).limit(1)
)


def _pipeline_of(table: Table) -> Label[str]:
    """The row's pipeline, looked up for each: for a join Postgres would read all requests of a busy ledger."""
    of_row = requests.c.id == table.c.request_id
    return select(requests.c.pipeline).where(of_row).scalar_subquery().label("pipeline")


_SINCE, _UNTIL = (bindparam(name, type_=Moment()) for name in ("since", "until"))
_IN_RANGE = (events.c.id >= bindparam("low"), events.c.id < bindparam("high"))
_WITHOUT_EVENT = tuple(null().label(name) for name in ("type", "before", "after", "data"))
_WITHOUT_TIMES = tuple(null().label(name) for name in ("started_at", "completed_at"))
_COMPLETIONS = (
    select(
        literal(COMPLETED).label("outcome"),
        _pipeline_of(stages),
        stages.c.stage,
        *_WITHOUT_EVENT,
        stages.c.started_at,
        stages.c.completed_at,
        literal(0).label("cost"),
    )
    .select_from(stages)
    .where(
        stages.c.request_id.in_(
            select(events.c.request_id).where(*_IN_RANGE, events.c.type == "stage_completed")
        ),
        stages.c.completed_at >= _SINCE,
        stages.c.completed_at < _UNTIL,
    )
)
_FAILURES = (
    select(
        literal(FAILED),
        _pipeline_of(events),
        null(),
        events.c.type,
        events.c["from"],
        events.c.to,
        events.c.data,
        *_WITHOUT_TIMES,
        literal(0),
    )
    .select_from(events)
    .where(
        *_IN_RANGE,
        events.c.type.in_(FAILURE_EVENTS),
        events.c.at >= _SINCE,
        events.c.at < _UNTIL,
    )
)
_CHARGES = (
    select(
        literal(CHARGED),
        _pipeline_of(provider_jobs),
        provider_jobs.c.stage,
        *_WITHOUT_EVENT,
        *_WITHOUT_TIMES,
        provider_jobs.c.cost,
    )
    .select_from(provider_jobs)
    .where(
        provider_jobs.c.cost > 0,
        provider_jobs.c.created_at >= _SINCE,
        provider_jobs.c.created_at < _UNTIL,
    )
)
HOUR_EXECUTIONS: CompoundSelect[Any] = union_all(_COMPLETIONS, _FAILURES, _CHARGES)
"""Rows of the hour: outcome, pipeline, stage, the failure's event, the stage's times, cost in micro-dollars."""
