"""Dispatch due requests within their limits: slots of a stage, slots of a pipeline, permits of a vendor.

A request that is dispatched or processing holds a slot of its pipeline, and through its columns `slot` and
`permit` a slot of a stage and a permit. The slot of a stage is held from its admission or the start of the stage
until the stage is done, failed or released, or the worker is lost. The permit is used just before the job is
sent.

The dispatcher fills free slots only; a run that was not dispatched needs a free slot when it claims its request.
A vendor's rate window is stored in its row of `providers` and timed by the database, so it holds over all
workers. Submissions are served in the order of asking.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import Connection, or_, select, update

from resources.contract.protocol import Rate
from resources.ledger.db.database import Database
from resources.ledger.db.retry import AdvisoryLock, retry_transient
from resources.ledger.ledger_errors import LeaseLostError
from resources.ledger.limits import Candidate, Limits, RateWindow, admit
from resources.ledger.queries.dispatch import (
    build_waiting_condition,
    lock_candidates,
    select_holder_count,
    select_limit_state,
)
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import Status, providers, requests
from resources.ledger.transitions.core import (
    NOT_WAITING,
    Lease,
    build_upsert,
    set_bookkeeping_columns,
    transition,
    transition_each_request,
)

DISPATCH_BATCH = 50
SHORT_WAIT_SECONDS = 1.0
"""The longest wait, in seconds, during which the first waiter keeps its run."""
_MIN_WAIT_SECONDS = 0.02
_REFUSAL_SAVE_SECONDS = 0.5


def dispatch_due_requests(
    db: Database, limits: Limits, at_most: int = DISPATCH_BATCH
) -> list[Request]:
    """Dispatch due requests as far as the limits allow, each with its next attempt number; return them.

    Higher priority first, then oldest first. Two concurrent callers never dispatch the same request. The call
    locks out every other dispatcher, so a caller first reads the dispatch snapshot to see if it is needed.
    """
    with db.writing() as tx:
        # Two concurrent dispatchers would both fill the same slots.
        AdvisoryLock.DISPATCH.take(tx)
        for limit in sorted(limits.limits, key=lambda each: each.name):
            if limit.name.startswith("stage:"):
                lock_limit(tx, limit.name)
        return _dispatch_batch(tx, limits, at_most)


def _dispatch_batch(tx: Connection, limits: Limits, at_most: int) -> list[Request]:
    """Dispatch the admitted requests; if one cannot be changed, admit another one in its place."""
    dispatched: list[Request] = []
    tried: set[int] = set()
    while True:
        left = at_most - len(dispatched)
        room, waiting = lock_candidates(tx, limits, left, tried)
        admitted = {each.id: each for each in admit(waiting, room, left)}
        changed = transition_each_request(
            tx, list(admitted), partial(_dispatch_request, tx, admitted, room.free)
        )
        dispatched += changed
        tried.update(admitted)
        if len(changed) == len(admitted):
            return dispatched


def _dispatch_request(
    tx: Connection, admitted: Mapping[int, Candidate], free: Mapping[str, int], request: Request
) -> Request:
    """Dispatch the request with the slot and the permit that it was admitted to; return it.

    `free` has the limits that are in force.
    """
    needs = dict(need.split(":", 1) for need in admitted[request.id].needs)
    slot = needs["stage"].split(".", 1)[1] if f"stage:{needs.get('stage')}" in free else None
    changes = {
        "status": Status.DISPATCHED,
        "attempt": request.attempt + 1,
        "dispatched_at": now(),
        "not_before": None,
        "slot": slot,
        "permit": needs.get("vendor"),
    }
    return transition(tx, request, "dispatched", changes, attempt=request.attempt + 1, slot=slot)


def lock_limit(tx: Connection, limit: str) -> None:
    """Lock the slots of a stage (`stage:<name>`), or those of all pipelines, until the transaction ends.

    No other transaction takes one of these slots meanwhile.
    """
    kind, _, name = limit.partition(":")
    if kind == "stage":
        AdvisoryLock.SLOTS.take(tx, name)
    else:
        AdvisoryLock.DISPATCH.take(tx)


def has_room(tx: Connection, request_id: int, limit: str, capacity: int) -> bool:
    """Return whether the request holds the locked limit, or may take it because it is not used up.

    A request that asked earlier goes first, unless its priority is lower. `capacity` is the limit's number of
    slots.
    """
    row = tx.execute(
        select(*select_limit_state(limit)).where(requests.c.id == request_id)
    ).one_or_none()
    return row is None or row.has_one or (row.taken < capacity and not row.others)


@dataclass(frozen=True)
class VendorAvailability:
    """A vendor's availability for a request: why it is paused, and the wait for a permit.

    `pause_reason` is None if the vendor is not paused. `wait` is in seconds, 0 if a permit is free, None if
    the request must join the waiters.
    """

    pause_reason: str | None
    wait: float | None


@retry_transient
def read_vendor_availability(
    db: Database, lease: Lease, vendor: str, rate: Rate | None
) -> VendorAvailability:
    """Read whether the vendor is paused, and how long the request's permit takes; write nothing.

    Raises LeaseLostError if the request was deleted.
    """
    is_paused = (providers.c.paused_until > now()).label("is_paused")
    query = (
        select(
            now().label("at"),
            *select_limit_state(f"vendor:{vendor}"),
            is_paused,
            providers.c.pause_reason,
            providers.c.bucket,
        )
        .select_from(requests.outerjoin(providers, providers.c.name == vendor))
        .where(requests.c.id == lease.request_id)
    )
    with db.reading() as tx:
        row = tx.execute(query).one_or_none()
    if row is None:
        raise LeaseLostError(f"request {lease.task_id} was deleted while it was processing")
    pause_reason = (row.pause_reason or "") if row.is_paused else None
    if rate is None:
        return VendorAvailability(pause_reason, 0.0)
    at = row.at.timestamp()
    return VendorAvailability(
        pause_reason, _compute_seconds_until_permit(row, RateWindow.read(row.bucket, rate, at), at)
    )


@retry_transient
def acquire_permit(db: Database, lease: Lease, vendor: str, rate: Rate) -> float | None:
    """Count a submission and return 0 if it may be sent now; otherwise return the seconds until then.

    The request holds its permit during that wait. Returns None if it must join the waiters: other requests
    are ahead, or the wait would exceed SHORT_WAIT_SECONDS. Raises LeaseLostError.
    """
    with db.writing() as tx:
        bucket = _lock_rate_window(tx, vendor)
        row = tx.execute(
            select(
                now().label("at"), requests.c.waits_for, *select_limit_state(f"vendor:{vendor}")
            ).where(
                requests.c.id == lease.request_id,
                requests.c.fence == lease.fence,
                requests.c.status == Status.PROCESSING,
            )
        ).one_or_none()
        if row is None:
            raise LeaseLostError(f"request {lease.task_id} is no longer held by this attempt")
        at = row.at.timestamp()
        window = RateWindow.read(bucket, rate, at)
        wait = _compute_seconds_until_permit(row, window, at)
        if wait is None:
            return None
        mine = requests.c.id == lease.request_id
        if wait > 0:
            if not row.has_one:
                set_bookkeeping_columns(tx, mine, permit=vendor)
            return wait
        _save_rate_window(tx, vendor, window.with_submission(at))
        if row.has_one or row.waits_for is not None:
            set_bookkeeping_columns(tx, mine, permit=None, **NOT_WAITING)
        return 0.0


@retry_transient
def acquire_unpaid_call(db: Database, vendor: str, rate: Rate) -> float:
    """Count a call that is no submission, and return 0, if it may be sent now; else return the seconds to wait."""
    wanted = or_(
        build_waiting_condition(f"vendor:{vendor}"), select_holder_count(f"vendor:{vendor}") > 0
    )
    with db.writing() as tx:
        bucket = _lock_rate_window(tx, vendor)
        submissions_wait, moment = tx.execute(select(wanted, now())).one()
        at = moment.timestamp()
        window = RateWindow.read(bucket, rate, at)
        if window.count_room_for_questions(at, submissions_wait=bool(submissions_wait)):
            _save_rate_window(tx, vendor, window.with_question(at))
            return 0.0
        if at - window.refused_at > _REFUSAL_SAVE_SECONDS:
            _save_rate_window(tx, vendor, window.with_refusal(at))
        return max(
            window.find_next_question_at(at) - at, rate.seconds / rate.calls, _MIN_WAIT_SECONDS
        )


def _compute_seconds_until_permit(row: Any, window: RateWindow, at: float) -> float | None:
    """Compute the seconds until a permit: 0 if one is free, None if the request must join the waiters."""
    if row.has_one:
        if window.count_room_for_submissions(at) > 0:
            return 0.0
        return max(window.find_next_submission_at(at) - at, _MIN_WAIT_SECONDS)
    if row.others:
        return None
    if window.count_room_for_submissions(at) > row.taken:
        return 0.0
    wait = max(window.find_next_submission_at(at, row.taken + 1) - at, _MIN_WAIT_SECONDS)
    return wait if wait <= SHORT_WAIT_SECONDS else None


def _lock_rate_window(tx: Connection, vendor: str) -> str | None:
    """Lock the vendor's rate window until the transaction ends; return its stored text, None if it is new."""
    bucket = select(providers.c.bucket).where(providers.c.name == vendor).with_for_update()
    row = tx.execute(bucket).one_or_none()
    if row is None:
        tx.execute(build_upsert(tx, providers).values(name=vendor).on_conflict_do_nothing())
        row = tx.execute(bucket).one()
    return None if row.bucket is None else str(row.bucket)


def _save_rate_window(tx: Connection, vendor: str, window: RateWindow) -> None:
    tx.execute(update(providers).where(providers.c.name == vendor).values(bucket=window.text()))
