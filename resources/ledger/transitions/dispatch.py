"""Dispatch due requests within their limits: slots of a stage, slots of a pipeline, permits of a vendor.

A request that is dispatched or processing holds a slot of its pipeline, and through its columns `slot` and
`permit` a slot of a stage and a permit. The slot of a stage is held from its admission or the start of the stage
until the stage is done, failed or released, or the worker is lost. The permit is used just before the job is
sent.

The dispatcher fills free slots only; a run that was not dispatched needs a free slot when it claims its request.
A vendor's rate window is stored in its row of `providers` and timed by the database, so it holds over all
workers. Submissions are served in the order of asking.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import Connection, func, or_, select, update

from resources.contract.protocol import Rate
from resources.ledger.admission import (
    Candidate,
    RateWindow,
    admit,
    format_permit_wait,
    format_slot_wait,
)
from resources.ledger.db.database import Database
from resources.ledger.db.retry import AdvisoryLock, retry_transient
from resources.ledger.ledger_errors import (
    ClaimRefusedError,
    LeaseLostError,
    NoSlotError,
    slots_taken,
)
from resources.ledger.queries.dispatch import lock_candidates
from resources.ledger.queries.limits import Capacity, others_at_work
from resources.ledger.queries.waiters import has_others_ahead, has_waiting, permits_held, slots_held
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import Status, providers, requests
from resources.ledger.transitions.core import (
    NOT_WAITING,
    Lease,
    set_bookkeeping,
    transition,
    transition_each,
    upsert,
)

DISPATCH_BATCH = 50
SHORT_WAIT_SECONDS = 1.0
"""The longest wait, in seconds, during which the first waiter keeps its run."""
_MIN_WAIT_SECONDS = 0.02
_REFUSAL_SAVE_SECONDS = 0.5


def dispatch_due(db: Database, slots: Capacity, at_most: int = DISPATCH_BATCH) -> list[Request]:
    """Dispatch due requests as far as capacity allows, each with its next attempt number.

    Higher priority first, then oldest first. Two concurrent callers never dispatch the same request. This locks
    out every other dispatcher, so a caller reads the dispatch snapshot first.
    """
    with db.writing() as tx:
        # Two concurrent dispatchers would both fill the same slots.
        AdvisoryLock.DISPATCH.take(tx)
        lock_stage_capacity(tx, (each.stage for each in slots.limits.limited))
        return _dispatch_batch(tx, slots, at_most)


def _dispatch_batch(tx: Connection, slots: Capacity, at_most: int) -> list[Request]:
    """Dispatch what is admitted; a request that cannot be changed makes room for the next one."""
    dispatched: list[Request] = []
    tried: set[int] = set()
    while True:
        free_capacity, waiting = lock_candidates(tx, slots, at_most - len(dispatched), tried)
        admitted = {each.id: each for each in admit(waiting, free_capacity)}
        changed = transition_each(tx, list(admitted), partial(_dispatch, tx, admitted))
        dispatched += changed
        tried.update(admitted)
        if len(changed) == len(admitted):
            return dispatched


def _dispatch(tx: Connection, admitted: Mapping[int, Candidate], request: Request) -> Request:
    """Dispatch the request with the slot and the permit that it was admitted to."""
    candidate = admitted[request.id]
    slot = None if candidate.slot is None else candidate.slot.stage
    changes = {
        "status": Status.DISPATCHED,
        "attempt": request.attempt + 1,
        "dispatched_at": now(),
        "not_before": None,
        "slot": slot,
        "permit": candidate.permit,
    }
    return transition(tx, request, "dispatched", changes, attempt=request.attempt + 1, slot=slot)


def lock_pipeline_capacity(tx: Connection, slots: int | None) -> None:
    """Lock the pipeline's slots if they are limited: no other transaction dispatches or counts them."""
    if slots is not None:
        AdvisoryLock.DISPATCH.take(tx)


def find_slot_refusal(
    tx: Connection, request: Request, slots: int | None
) -> ClaimRefusedError | None:
    """Return why the request may not be claimed; None if it has a slot of its pipeline or one is free."""
    if slots is None or request.status is Status.DISPATCHED:
        return None
    if others_at_work(tx, request) < slots:
        return None
    return ClaimRefusedError(
        f"{request.pipeline}: {slots_taken(slots)}; request {request.task_id} is {request.status}"
    )


def lock_stage_capacity(tx: Connection, stages: Iterable[str]) -> None:
    """Lock the slots of these stages: no other transaction counts them until this one ends."""
    for stage in sorted(set(stages)):
        AdvisoryLock.SLOTS.take(tx, stage)


def ensure_slot(tx: Connection, lease: Lease, stage: str, slots: int) -> None:
    """Raise NoSlotError unless the request holds a slot of this stage or may take a free one.

    A request that asked earlier goes first, unless its priority is lower.
    """
    # Two concurrent transactions would both take the last slot.
    lock_stage_capacity(tx, [stage])
    row = tx.execute(
        select(
            (requests.c.slot == stage).label("has_one"),
            slots_held(stage, requests.c.pipeline).label("taken"),
            has_others_ahead(format_slot_wait(stage)).label("others"),
        ).where(requests.c.id == lease.request_id)
    ).one_or_none()
    if row is None or row.has_one:
        return
    if row.taken >= slots or row.others:
        raise NoSlotError(stage, slots)


@dataclass(frozen=True)
class VendorAvailability:
    """A vendor's availability for a request; `wait` is as in `acquire_permit`."""

    pause_reason: str | None
    wait: float | None


@retry_transient
def vendor_availability(
    db: Database, lease: Lease, vendor: str, rate: Rate | None
) -> VendorAvailability:
    """Read whether the vendor is paused, and how long the request's permit takes. Writes nothing."""
    is_paused = (providers.c.paused_until > now()).label("is_paused")
    query = (
        select(*_permit_columns(vendor), is_paused, providers.c.pause_reason, providers.c.bucket)
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
        pause_reason, _seconds_until_permit(row, RateWindow.read(row.bucket, rate, at), at)
    )


@retry_transient
def acquire_permit(db: Database, lease: Lease, vendor: str, rate: Rate) -> float | None:
    """Count the submission and return 0 if it may be sent now; otherwise return the seconds until then.

    The request holds its permit meanwhile. Returns None if it must join the waiters: others are ahead, or the
    wait would exceed SHORT_WAIT_SECONDS. Raises LeaseLostError.
    """
    with db.writing() as tx:
        bucket = _lock_window(tx, vendor)
        row = tx.execute(
            select(*_permit_columns(vendor)).where(
                requests.c.id == lease.request_id,
                requests.c.fence == lease.fence,
                requests.c.status == Status.PROCESSING,
            )
        ).one_or_none()
        if row is None:
            raise LeaseLostError(f"request {lease.task_id} is no longer held by this attempt")
        at = row.at.timestamp()
        window = RateWindow.read(bucket, rate, at)
        wait = _seconds_until_permit(row, window, at)
        if wait is None:
            return None
        mine = requests.c.id == lease.request_id
        if wait > 0:
            if not row.has_permit:
                set_bookkeeping(tx, mine, permit=vendor)
            return wait
        _save_window(tx, vendor, window.with_submission(at))
        if row.has_permit or row.waits_for is not None:
            set_bookkeeping(tx, mine, permit=None, **NOT_WAITING)
        return 0.0


@retry_transient
def acquire_call(db: Database, vendor: str, rate: Rate) -> float:
    """Return 0 and count the question if it may be sent now; otherwise return the seconds until the next try."""
    wanted = or_(has_waiting(format_permit_wait(vendor)), permits_held(vendor) > 0)
    with db.writing() as tx:
        bucket = _lock_window(tx, vendor)
        submissions_wait, moment = tx.execute(select(wanted, now())).one()
        at = moment.timestamp()
        window = RateWindow.read(bucket, rate, at)
        if window.room_for_questions(at, submissions_wait=bool(submissions_wait)):
            _save_window(tx, vendor, window.with_question(at))
            return 0.0
        if at - window.refused_at > _REFUSAL_SAVE_SECONDS:
            _save_window(tx, vendor, window.with_refusal(at))
        return max(window.next_question_at(at) - at, rate.seconds / rate.calls, _MIN_WAIT_SECONDS)


def _permit_columns(vendor: str) -> tuple[Any, ...]:
    return (
        now().label("at"),
        requests.c.waits_for,
        func.coalesce(requests.c.permit == vendor, False).label("has_permit"),
        permits_held(vendor).label("held"),
        has_others_ahead(format_permit_wait(vendor)).label("others"),
    )


def _seconds_until_permit(row: Any, window: RateWindow, at: float) -> float | None:
    """Compute the wait that `acquire_permit` returns."""
    held_by_others = row.held - 1 if row.has_permit else row.held
    if row.has_permit:
        if window.room_for_submissions(at) > 0:
            return 0.0
        return max(window.next_submission_at(at) - at, _MIN_WAIT_SECONDS)
    if row.others:
        return None
    if window.room_for_submissions(at) > held_by_others:
        return 0.0
    wait = max(window.next_submission_at(at, held_by_others + 1) - at, _MIN_WAIT_SECONDS)
    return wait if wait <= SHORT_WAIT_SECONDS else None


def _lock_window(tx: Connection, vendor: str) -> str | None:
    """Lock the vendor's rate window until the transaction ends, and return its text."""
    bucket = select(providers.c.bucket).where(providers.c.name == vendor).with_for_update()
    row = tx.execute(bucket).one_or_none()
    if row is None:
        tx.execute(upsert(tx, providers).values(name=vendor).on_conflict_do_nothing())
        row = tx.execute(bucket).one()
    return None if row.bucket is None else str(row.bucket)


def _save_window(tx: Connection, vendor: str, window: RateWindow) -> None:
    tx.execute(update(providers).where(providers.c.name == vendor).values(bucket=window.text()))
