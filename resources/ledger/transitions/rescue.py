"""Register workers and renew their leases, and rescue the requests of lost workers and unclaimed runs."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    true,
    update,
)

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.limits import format_queues
from resources.ledger.request import Request
from resources.ledger.rules import decide_after_worker_loss
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import IS_OPEN, Status, requests, workers
from resources.ledger.transitions.core import (
    NO_SLOT_OR_PERMIT,
    UNLEASED,
    build_upsert,
    end_open_attempt,
    lock_matching_request,
    set_bookkeeping_columns,
    transition,
    transition_each_request,
)
from resources.ledger.transitions.orders import cancel_locked_request

_MOST_AT_ONCE = 200
_REQUEUED: Mapping[str, Any] = {"status": Status.PENDING, **NO_SLOT_OR_PERMIT}


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
    """Register the worker process, and recover the requests of a former process of the same name; return them.

    `nonce` identifies the process, `slots` are the runs that it takes at once, and `queues` those that it
    serves, None for all. A request that has lost its worker `poison_deaths` times becomes dead.
    """
    row = {"name": name, "nonce": nonce, "slots": slots, "queues": format_queues(queues)}
    with db.writing() as tx:
        tx.execute(delete(workers).where(workers.c.name == name))
        tx.execute(insert(workers).values(**row, beat_at=now()))
        return _recover_held_requests(tx, name, poison_deaths, except_owner=f"{name}:{nonce}")


@retry_transient
def recover_worker(db: Database, name: str, *, poison_deaths: int) -> list[Request]:
    """Unregister a dead worker, and recover the requests that it held; return them.

    A request that has lost its worker `poison_deaths` times becomes dead.
    """
    with db.writing() as tx:
        tx.execute(delete(workers).where(workers.c.name == name))
        return _recover_held_requests(tx, name, poison_deaths)


def _recover_held_requests(
    tx: Connection, name: str, poison_deaths: int, except_owner: str | None = None
) -> list[Request]:
    """End the attempts whose lease a worker of this name holds, as lost; return the changed requests.

    Attempts of the process `except_owner` are kept.
    """
    held = and_(
        func.substr(requests.c.lease_owner, 1, len(name) + 1) == f"{name}:",
        requests.c.lease_owner != except_owner if except_owner else true(),
        requests.c.status == Status.PROCESSING,
    )
    query = select(requests.c.id).where(held).order_by(requests.c.id).with_for_update()
    keys = tx.execute(query).scalars().all()
    return transition_each_request(
        tx, keys, lambda request: end_lost_attempt(tx, request, poison_deaths)
    )


@retry_transient
def unregister_worker(db: Database, name: str, nonce: str) -> None:
    """Unregister the worker process, unless it still holds a request: then its recovery needs the row."""
    holds = exists().where(
        requests.c.lease_owner == f"{name}:{nonce}", requests.c.status == Status.PROCESSING
    )
    with db.writing() as tx:
        tx.execute(delete(workers).where(workers.c.name == name, workers.c.nonce == nonce, ~holds))


@retry_transient
def withdraw_worker_slots(db: Database, name: str, nonce: str) -> None:
    """Set the worker's slots to 0, so that no further run is dispatched for it."""
    with db.writing() as tx:
        tx.execute(
            update(workers).where(workers.c.name == name, workers.c.nonce == nonce).values(slots=0)
        )


def save_heartbeat(
    db: Database, name: str, nonce: str, *, slots: int, queues: Collection[str] | None = None
) -> None:
    """Save that the worker is alive, and register it again if it was pruned; never retry the database.

    `slots` and `queues` are as in `register_worker`.
    """
    with db.with_retry_budget(0).writing() as tx:
        heartbeat = update(workers).where(workers.c.name == name, workers.c.nonce == nonce)
        if tx.execute(heartbeat.values(beat_at=now())).rowcount == 0:
            # The worker was pruned after a long silence.
            row = {"name": name, "nonce": nonce, "slots": slots, "queues": format_queues(queues)}
            again = build_upsert(tx, workers).values(**row, beat_at=now())
            tx.execute(again.on_conflict_do_nothing())


@retry_transient
def prune_lost_workers(db: Database, silent_seconds: float) -> None:
    """Unregister all workers that have sent no heartbeat for this many seconds."""
    with db.writing() as tx:
        tx.execute(delete(workers).where(workers.c.beat_at <= after(-silent_seconds)))


def renew_leases(
    db: Database, owner: str, request_ids: Collection[int], *, lease_seconds: float
) -> bool:
    """Extend the owner's leases on these requests to `lease_seconds` from now; return whether all were extended.

    A row that another transaction has locked is skipped, so that the others need not wait. The database is
    never retried: a late heartbeat must not delay the next one.
    """
    held = select(requests.c.id).where(
        requests.c.id.in_(request_ids),
        requests.c.lease_owner == owner,
        requests.c.status == Status.PROCESSING,
    )
    free = held.with_for_update(skip_locked=True)
    with db.with_retry_budget(0).writing() as tx:
        count = set_bookkeeping_columns(
            tx, requests.c.id.in_(free), lease_until=after(lease_seconds)
        )
        return count == len(tx.execute(held).all())


def rescue_expired_leases(db: Database, poison_deaths: int) -> list[Request]:
    """End the attempts whose lease has expired, as those of lost workers; return the changed requests.

    A request is then due, canceled if that was requested, or dead if it has lost its worker `poison_deaths`
    times.
    """
    expired = and_(
        requests.c.status == Status.PROCESSING,
        or_(requests.c.lease_until.is_(None), requests.c.lease_until <= now()),
    )
    with db.writing() as tx:
        return _transition_oldest_requests(
            tx, expired, lambda request: end_lost_attempt(tx, request, poison_deaths)
        )


def end_lost_attempt(tx: Connection, request: Request, poison_deaths: int) -> Request:
    """End the attempt of the locked request, whose worker is lost; return the request.

    This counts as a death, not as a retry. The request is then due, canceled if that was requested, or dead
    if it has lost its worker `poison_deaths` times.
    """
    if request.cancel_requested:
        return cancel_locked_request(tx, request)
    outcome = decide_after_worker_loss(request, poison_deaths)
    message = f"worker {request.lease_owner} was lost in {request.stage or 'the beginning'}"
    code = "poison" if outcome.status is Status.DEAD else "worker_lost"
    end_open_attempt(tx, request.id, "worker_lost", message)
    changes = {
        "status": outcome.status,
        "deaths": request.deaths + 1,
        "error_code": code,
        "error_message": message,
        **UNLEASED,
    }
    return transition(tx, request, "worker_lost", changes, stage=request.stage, message=message)


def dead_letter_exhausted_requests(db: Database) -> list[Request]:
    """Set failed requests `dead` whose `max_retries` was lowered below their retries; return them."""
    exhausted = and_(
        requests.c.status == Status.FAILED, requests.c.retry_count > requests.c.max_retries
    )
    changes = {"status": Status.DEAD, "not_before": None}
    with db.writing() as tx:
        return _transition_oldest_requests(
            tx, exhausted, lambda request: transition(tx, request, "dead", changes)
        )


def _transition_oldest_requests(
    tx: Connection, condition: ColumnElement[bool], work: Callable[[Request], Request]
) -> list[Request]:
    """Lock the oldest open requests that match the condition, apply `work` to each, and return the results.

    At most 200. A request that cannot be changed is replaced by the next one.
    """
    changed: list[Request] = []
    tried: set[int] = set()
    while (wanted := _MOST_AT_ONCE - len(changed)) > 0:
        query = select(requests.c.id).where(IS_OPEN, condition, requests.c.id.not_in(tried))
        locked = query.order_by(requests.c.id).limit(wanted).with_for_update(skip_locked=True)
        keys = tx.execute(locked).scalars().all()
        changed += transition_each_request(tx, keys, work) if keys else []
        tried.update(keys)
        if len(keys) < wanted:
            break
    return changed


def list_unclaimed_requests(db: Database, grace_seconds: float) -> list[Request]:
    """Return the requests that were dispatched at least `grace_seconds` ago and not claimed since, oldest first.

    They are no longer locked when the call returns: the functions that change them compare their seq.
    """
    unclaimed = and_(
        IS_OPEN,
        requests.c.status == Status.DISPATCHED,
        or_(requests.c.dispatched_at.is_(None), requests.c.dispatched_at <= after(-grace_seconds)),
    )
    query = select(requests.c.id).where(unclaimed).order_by(requests.c.id).limit(_MOST_AT_ONCE)
    with db.reading() as tx:
        if tx.execute(query).first() is None:
            return []
    with db.writing() as tx:
        # Queried again under a lock: a run may have claimed some of them.
        keys = tx.execute(query.with_for_update(skip_locked=True)).scalars().all()
        return transition_each_request(tx, keys, lambda request: request)


def save_redelivery(db: Database, unclaimed: Request) -> Request | None:
    """Restart the grace period in which the request's run has to claim it; return the request.

    Returns None, without a change, if the request has changed since it was read.
    """
    return _transition_unclaimed_request(db, unclaimed, "redelivered", {"dispatched_at": now()})


def requeue_request(db: Database, unclaimed: Request) -> Request | None:
    """Set the dispatched request back to pending, for another run; return it.

    Returns None, without a change, if the request has changed since it was read.
    """
    return _transition_unclaimed_request(db, unclaimed, "undelivered", _REQUEUED)


def _transition_unclaimed_request(
    db: Database, unclaimed: Request, event_type: str, changes: Mapping[str, Any]
) -> Request | None:
    """Change the dispatched request; return it, or None, without a change, if it has changed since it was read."""
    as_read = and_(
        requests.c.id == unclaimed.id,
        requests.c.seq == unclaimed.seq,
        requests.c.status == Status.DISPATCHED,
    )
    with db.writing() as tx:
        keys = tx.execute(select(requests.c.id).where(as_read).with_for_update()).scalars().all()
        changed = transition_each_request(
            tx,
            keys,
            lambda request: transition(tx, request, event_type, changes, attempt=unclaimed.attempt),
        )
    return changed[0] if changed else None


@retry_transient
def release_unclaimed_request(db: Database, task_id: str, attempt: int, *, canceled: bool) -> None:
    """Cancel the request if it is dispatched as this attempt; without `canceled`, set it pending.

    Otherwise do nothing.
    """
    is_it = and_(
        requests.c.task_id == task_id,
        requests.c.status == Status.DISPATCHED,
        requests.c.attempt == attempt,
    )
    with db.writing() as tx:
        request, _ = lock_matching_request(tx, is_it) or (None, None)
        if request is not None and canceled:
            cancel_locked_request(tx, request)
        elif request is not None:
            transition(tx, request, "undelivered", _REQUEUED, attempt=attempt)
