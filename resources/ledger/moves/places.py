"""Places of a stage: so many of a kind are at work at once, over all workers; the others wait in a line.

A place is held by a stage that is `processing` with `placed_at`, and free again with whatever ends that:
done, failed, given back, or its worker buried.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, and_, func, literal_column, select, update

from resources.ledger.database import Database
from resources.ledger.moves.core import Lease, lock_held
from resources.ledger.moves.stages import StageEntry
from resources.ledger.sqltime import now
from resources.ledger.steady import steady
from resources.ledger.tables import AT_WORK, Status, requests, stages

_PLACES_LOCK = 0x0CA57B0  # any number of its own, the same in every castad


@dataclass(frozen=True)
class Line:
    """The stages of one kind that share so many places, in the order in which they first asked for one.

    Of two that asked in the same moment of the database's clock, which tells milliseconds on SQLite, the elder
    goes first.
    """

    stage: str
    places: int


@steady
def take_place(db: Database, lease: Lease, entry: StageEntry, places: int) -> bool:
    """Whether the stage has a place now; otherwise it stands in line. Raises LeaseLostError."""
    mine = and_(
        stages.c.request_id == lease.request_id,
        stages.c.stage == entry.stage,
        stages.c.generation == entry.generation,
    )
    with db.writing() as tx:
        lock_held(tx, lease)
        if not db.is_sqlite:
            # Two that count at the same moment would both take the last place.
            key = func.hashtext(entry.stage)
            tx.execute(select(func.pg_advisory_xact_lock(_PLACES_LOCK, key)))
        asked = {"asked_at": func.coalesce(stages.c.asked_at, now())}
        tx.execute(update(stages).where(mine).values(asked))
        is_next = lease.request_id in next_in(tx, Line(entry.stage, places))
        if is_next:
            tx.execute(update(stages).where(mine).values(placed_at=now()))
        return is_next


def next_in(tx: Connection, line: Line) -> frozenset[int]:
    """The requests whose stages may take the places that are free; one whose lease ran out is passed over."""
    free = line.places - taken(tx, line.stage)
    if free <= 0:
        return frozenset()
    waiting = (
        _at_work(stages.c.request_id, line.stage)
        .where(
            stages.c.asked_at.is_not(None),
            stages.c.placed_at.is_(None),
            requests.c.lease_until > now(),
        )
        .order_by(stages.c.asked_at, stages.c.id)
        .limit(free)
    )
    return frozenset(tx.execute(waiting).scalars())


def taken(tx: Connection, stage: str) -> int:
    """How many places of a stage are taken."""
    holding = _at_work(func.count(), stage).where(stages.c.placed_at.is_not(None))
    return int(tx.execute(holding).scalar_one())


def _at_work(what: Any, stage: str) -> Select[Any]:
    """A select over the stages of a kind that somebody works on or waits with."""
    # SQLite uses a partial index only where the query repeats the index's own condition, word for word.
    return (
        select(what)
        .select_from(stages.join(requests))
        .where(
            literal_column(f"stages.{AT_WORK}"),
            stages.c.stage == stage,
            requests.c.status == Status.PROCESSING,
        )
    )
