"""Transitions of a worker: registered, renewed, recovered, unregistered, pruned."""

from collections.abc import Collection

from sqlalchemy import Connection, and_, delete, exists, func, insert, select, true, update

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import Status, requests, workers
from resources.ledger.transitions.bookkeeping import set_bookkeeping
from resources.ledger.transitions.dispatch import fail_lost_worker
from resources.ledger.transitions.unusable_rows import transition_each
from resources.ledger.transitions.upsert import upsert
from resources.ledger.worker_queues import format_queues


@retry_transient
def register_worker(
    db: Database,
    name: str,
    nonce: str,
    *,
    slots: int,
    poison_deaths: int,
    queues: Collection[str] | None = None,
) -> list[Request]:
    """The worker is registered, for these queues or all; what a former process of its name held is due again."""
    row = {"name": name, "nonce": nonce, "slots": slots, "queues": format_queues(queues)}
    with db.writing() as tx:
        tx.execute(delete(workers).where(workers.c.name == name))
        tx.execute(insert(workers).values(**row, beat_at=now()))
        return _recover_held(tx, name, poison_deaths, except_owner=f"{name}:{nonce}")


@retry_transient
def recover_worker(db: Database, name: str, *, poison_deaths: int) -> list[Request]:
    """A dead worker is no longer registered, and what it held is due again."""
    with db.writing() as tx:
        tx.execute(delete(workers).where(workers.c.name == name))
        return _recover_held(tx, name, poison_deaths)


def _recover_held(
    tx: Connection, name: str, poison_deaths: int, except_owner: str | None = None
) -> list[Request]:
    held = and_(
        func.substr(requests.c.lease_owner, 1, len(name) + 1) == f"{name}:",
        requests.c.lease_owner != except_owner if except_owner else true(),
        requests.c.status == Status.PROCESSING,
    )
    query = select(requests.c.id).where(held).order_by(requests.c.id).with_for_update()
    keys = tx.execute(query).scalars().all()
    return transition_each(tx, keys, lambda request: fail_lost_worker(tx, request, poison_deaths))


@retry_transient
def unregister_worker(db: Database, name: str, nonce: str) -> None:
    """The worker is no longer registered, unless it still holds a request: then its recovery needs the row."""
    holds = exists().where(
        requests.c.lease_owner == f"{name}:{nonce}", requests.c.status == Status.PROCESSING
    )
    with db.writing() as tx:
        tx.execute(delete(workers).where(workers.c.name == name, workers.c.nonce == nonce, ~holds))


@retry_transient
def withdraw_slots(db: Database, name: str, nonce: str) -> None:
    """The worker offers no slots: no run is dispatched on its account."""
    with db.writing() as tx:
        tx.execute(
            update(workers).where(workers.c.name == name, workers.c.nonce == nonce).values(slots=0)
        )


def renew_leases(
    db: Database, owner: str, request_ids: Collection[int], *, lease_seconds: float
) -> bool:
    """The owner's leases on these requests hold for another period, renewed by one statement.

    False if another transaction has locked one of the rows: it is skipped, so that the others need not wait.
    Without a retry budget: a late heartbeat must not delay the next one.
    """
    held = select(requests.c.id).where(
        requests.c.id.in_(request_ids),
        requests.c.lease_owner == owner,
        requests.c.status == Status.PROCESSING,
    )
    free = held.with_for_update(skip_locked=True)
    with db.with_retry_budget(0).writing() as tx:
        count = set_bookkeeping(tx, requests.c.id.in_(free), lease_until=after(lease_seconds))
        return count == len(tx.execute(held).all())


def save_heartbeat(
    db: Database, name: str, nonce: str, *, slots: int, queues: Collection[str] | None = None
) -> None:
    """The worker's heartbeat is saved. Without a retry budget."""
    with db.with_retry_budget(0).writing() as tx:
        heartbeat = update(workers).where(workers.c.name == name, workers.c.nonce == nonce)
        if tx.execute(heartbeat.values(beat_at=now())).rowcount == 0:
            # The worker was pruned after a long silence.
            row = {"name": name, "nonce": nonce, "slots": slots, "queues": format_queues(queues)}
            again = upsert(tx, workers).values(**row, beat_at=now())
            tx.execute(again.on_conflict_do_nothing())


@retry_transient
def prune_lost_workers(db: Database, silent_seconds: float) -> None:
    """Workers without a heartbeat for this long are no longer registered."""
    with db.writing() as tx:
        tx.execute(delete(workers).where(workers.c.beat_at <= after(-silent_seconds)))
