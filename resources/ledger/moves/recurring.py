"""The last look at each recurring order, and when its source is asked again; no request is changed."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import and_, case, delete, select, update

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.moves.readers import add_readers_of
from resources.ledger.moves.upsert import upsert
from resources.ledger.queries.recurring import Recurrence, is_due, is_open
from resources.ledger.queries.unique_keys import key_holder
from resources.ledger.recurring import MOST_FAILURES, SHORTEST, pause_after
from resources.ledger.request import payload_text
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import recurring_orders, requests

_AGAIN_SECONDS = 3_600.0
"""One that is asked about is due again after this, should that come to nothing."""
_SAME_LOOK_SECONDS = 600.0


@dataclass(frozen=True)
class Asked:
    """What came of asking: the unique key and the mark that were found, and the request that was made of it."""

    found: str
    mark: str
    failures: int
    task_id: str | None = None


@retry_transient
def note_order(
    db: Database, pipeline: str, subject: str, part: str, *, payload: Mapping[str, Any], found: str
) -> None:
    """A person has ordered this, and the order came to the unique key `found`: it is asked about from now on."""
    newest = {
        "payload": payload_text(payload),
        "found": found,
        "mark": "",
        "failures": 0,
        "looked_at": now(),
        "due_at": _due_at(timedelta(), 0),
    }
    # A request that was made of it and is over is judged no more.
    still_open = (
        select(requests.c.task_id)
        .where(requests.c.task_id == recurring_orders.c.task_id, is_open)
        .correlate(recurring_orders)
        .scalar_subquery()
    )
    key = {"pipeline": pipeline, "subject": subject, "part": part}
    with db.writing() as tx:
        statement = upsert(tx, recurring_orders).values(**key, **newest)
        tx.execute(
            statement.on_conflict_do_update(
                index_elements=list(key), set_={**newest, "task_id": still_open}
            )
        )


@retry_transient
def note_look(db: Database, pipeline: str, subject: str) -> None:
    """A person has looked at this; nothing is written where it was not ordered, or the last look was just now."""
    of_subject = and_(
        recurring_orders.c.pipeline == pipeline,
        recurring_orders.c.subject == subject,
        recurring_orders.c.looked_at < after(-_SAME_LOOK_SECONDS),
    )
    with db.reading() as tx:
        if tx.execute(select(recurring_orders.c.id).where(of_subject).limit(1)).first() is None:
            return
    soon = after(SHORTEST.total_seconds())
    is_late = and_(recurring_orders.c.due_at > soon, recurring_orders.c.failures < MOST_FAILURES)
    due_at = case((is_late, soon), else_=recurring_orders.c.due_at)
    with db.writing() as tx:
        tx.execute(
            update(recurring_orders).where(of_subject).values(looked_at=now(), due_at=due_at)
        )


@retry_transient
def claim_due(db: Database, pipeline: str) -> Recurrence | None:
    """The one that has been due for longest, which no other asks about in the next hour; None without one."""
    first = (
        select(recurring_orders.c.id)
        .where(recurring_orders.c.pipeline == pipeline)
        .order_by(recurring_orders.c.due_at, recurring_orders.c.id)
        .limit(1)
        .scalar_subquery()
    )
    claimed = (
        update(recurring_orders)
        .where(recurring_orders.c.id == first, is_due)
        .values(due_at=after(_AGAIN_SECONDS))
        .returning(recurring_orders, now().label("at"))
    )
    with db.writing() as tx:
        row = tx.execute(claimed).one_or_none()
        if row is None:
            return None
        status = select(requests.c.status).where(requests.c.task_id == row.task_id)
        return Recurrence.of(row, tx.execute(status).scalar())


@retry_transient
def share_with_readers_before(
    db: Database, pipeline: str, recurrence: Recurrence, request_id: int
) -> None:
    """Whoever may read what the order came to before may read this request of it."""
    with db.writing() as tx:
        holder = key_holder(tx, pipeline, recurrence.found)
        made = select(requests.c.id).where(requests.c.task_id == recurrence.task_id)
        others = {*tx.execute(made).scalars(), *(() if holder is None else (holder.id,))}
        add_readers_of(tx, request_id, others - {request_id})


@retry_transient
def record_asked(db: Database, recurrence: Recurrence, asked: Asked) -> None:
    """What came of asking is on record, and it is due again when it is."""
    due_at = _due_at(recurrence.idle, asked.failures)
    of_this = recurring_orders.c.id == recurrence.id
    with db.writing() as tx:
        tx.execute(update(recurring_orders).where(of_this).values(due_at=due_at, **vars(asked)))


@retry_transient
def forget(db: Database, recurrence: Recurrence) -> None:
    """It is asked about no more, until a person orders it again."""
    with db.writing() as tx:
        tx.execute(delete(recurring_orders).where(recurring_orders.c.id == recurrence.id))


def _due_at(idle: timedelta, failures: int) -> after:
    chance = random.random()  # noqa: S311 - jitter needs no secrecy
    return after(pause_after(idle, failures, chance).total_seconds())
