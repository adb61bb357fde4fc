"""Save when each checked source was last used and is due again; no request is changed.

A schedule alone would ask all sources for ever: this table stops checks of unused and failing ones, and lets one
process claim each check.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import and_, case, delete, select, update

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.retention import IS_CHECK_DUE, IS_REQUEST_OPEN, DueCheck
from resources.ledger.queries.status import find_key_holder
from resources.ledger.request import MOST_FAILURES, SHORTEST, compute_interval_after, format_payload
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import requests, source_checks
from resources.ledger.transitions.access import copy_shared_access
from resources.ledger.transitions.core import build_upsert

_AGAIN_SECONDS = 3_600.0
"""A claimed check is due again after this, in case it saves no outcome."""
_SAME_USE_SECONDS = 600.0


@dataclass(frozen=True)
class CheckOutcome:
    """The outcome of a check of a source.

    `found` is the unique key of the order that the source leads to now, `mark` the pipeline's note of the
    source's state. `failures` counts failed checks in a row, `task_id` names the request that a check has
    submitted.
    """

    found: str
    mark: str
    failures: int
    task_id: str | None = None


@retry_transient
def schedule_check(
    db: Database, pipeline: str, subject: str, part: str, *, payload: Mapping[str, Any], found: str
) -> None:
    """Schedule the checks of a source from which a person has ordered, or count that as a new use.

    `pipeline`, `subject` and `part` identify the source, `payload` is the order, `found` its unique key.
    """
    newest = {
        "payload": format_payload(payload),
        "found": found,
        "mark": "",
        "failures": 0,
        "used_at": now(),
        "due_at": _draw_next_check_time(timedelta(), 0),
    }
    # A former request of it that has ended is not compared any more.
    filter_still_open = (
        select(requests.c.task_id)
        .where(requests.c.task_id == source_checks.c.task_id, IS_REQUEST_OPEN)
        .correlate(source_checks)
        .scalar_subquery()
    )
    key = {"pipeline": pipeline, "subject": subject, "part": part}
    with db.writing() as tx:
        statement = build_upsert(tx, source_checks).values(**key, **newest)
        tx.execute(
            statement.on_conflict_do_update(
                index_elements=list(key), set_={**newest, "task_id": filter_still_open}
            )
        )


@retry_transient
def save_source_use(db: Database, pipeline: str, subject: str) -> None:
    """Save that a person has used the source, so that it is checked again soon.

    Does nothing if the source was never ordered, or was used a moment ago.
    """
    of_subject = and_(
        source_checks.c.pipeline == pipeline,
        source_checks.c.subject == subject,
        source_checks.c.used_at < after(-_SAME_USE_SECONDS),
    )
    with db.reading() as tx:
        if tx.execute(select(source_checks.c.id).where(of_subject).limit(1)).first() is None:
            return
    soon = after(SHORTEST.total_seconds())
    is_late = and_(source_checks.c.due_at > soon, source_checks.c.failures < MOST_FAILURES)
    due_at = case((is_late, soon), else_=source_checks.c.due_at)
    with db.writing() as tx:
        tx.execute(update(source_checks).where(of_subject).values(used_at=now(), due_at=due_at))


@retry_transient
def claim_due_check(db: Database, pipeline: str) -> DueCheck | None:
    """Claim the pipeline's check that has been due for longest; return it, or None if none is due.

    No other caller gets the check for an hour.
    """
    first = (
        select(source_checks.c.id)
        .where(source_checks.c.pipeline == pipeline)
        .order_by(source_checks.c.due_at, source_checks.c.id)
        .limit(1)
        .scalar_subquery()
    )
    claimed = (
        update(source_checks)
        .where(source_checks.c.id == first, IS_CHECK_DUE)
        .values(due_at=after(_AGAIN_SECONDS))
        .returning(source_checks, now().label("at"))
    )
    with db.writing() as tx:
        row = tx.execute(claimed).one_or_none()
        if row is None:
            return None
        status = select(requests.c.status).where(requests.c.task_id == row.task_id)
        return DueCheck.of(row, tx.execute(status).scalar())


@retry_transient
def carry_over_shared_access(db: Database, pipeline: str, check: DueCheck, request_id: int) -> None:
    """Allow every owner who may read the former requests of the checked source to read this request."""
    with db.writing() as tx:
        holder = find_key_holder(tx, pipeline, check.found)
        made = select(requests.c.id).where(requests.c.task_id == check.task_id)
        others = {*tx.execute(made).scalars(), *(() if holder is None else (holder.id,))}
        copy_shared_access(tx, request_id, others - {request_id})


@retry_transient
def save_check(db: Database, check: DueCheck, outcome: CheckOutcome) -> None:
    """Save the outcome of the check, and the time of the next one."""
    due_at = _draw_next_check_time(check.idle, outcome.failures)
    of_this = source_checks.c.id == check.id
    with db.writing() as tx:
        tx.execute(update(source_checks).where(of_this).values(due_at=due_at, **vars(outcome)))


@retry_transient
def delete_check(db: Database, check: DueCheck) -> None:
    """Delete the check of the source; a new order from the source schedules it again."""
    with db.writing() as tx:
        tx.execute(delete(source_checks).where(source_checks.c.id == check.id))


def _draw_next_check_time(idle: timedelta, failures: int) -> after:
    """Build the SQL time of the next check, with random jitter; `idle` is the time since the last use."""
    chance = random.random()  # noqa: S311 - jitter needs no secrecy
    return after(compute_interval_after(idle, failures, chance).total_seconds())
