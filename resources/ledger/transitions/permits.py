"""Permits at a vendor: its rate limit over all workers, with submissions served in the order of asking.

The rate window is stored in the provider's row and timed by the database. A request that is dispatched or
processing holds a permit through its column `permit`, and uses it just before its job is sent.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, or_, select, update

from resources.contract.protocol import Rate
from resources.ledger.admission import format_permit_wait
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import LeaseLostError
from resources.ledger.queries.waiters import has_others_ahead, has_waiting, permits_held
from resources.ledger.rate_window import RateWindow
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import Status, providers, requests
from resources.ledger.transitions.bookkeeping import set_bookkeeping
from resources.ledger.transitions.core import NOT_WAITING, Lease
from resources.ledger.transitions.upsert import upsert

SHORT_WAIT_SECONDS = 1.0
"""A request that is the first waiter and waits no longer than this keeps its run meanwhile."""
_MIN_WAIT_SECONDS = 0.02
_REFUSAL_SAVE_SECONDS = 0.5


@dataclass(frozen=True)
class VendorAvailability:
    """A vendor's availability for a request; `wait` is the result of `acquire_permit`."""

    pause_reason: str | None
    wait: float | None


@retry_transient
def vendor_availability(
    db: Database, lease: Lease, vendor: str, rate: Rate | None
) -> VendorAvailability:
    """Whether the vendor is paused, and how long the request's permit takes. Writes nothing."""
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
    """0 if the order may be sent now, and is counted; otherwise the seconds until then, with its permit held.

    None if the request must join the waiters: others are ahead, or it would take longer than
    SHORT_WAIT_SECONDS. Raises LeaseLostError.
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
    """0 if a question may be sent now, and is counted; otherwise the seconds until the next try."""
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
    """See `acquire_permit`."""
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
    """The vendor's rate window, locked until the transaction ends."""
    bucket = select(providers.c.bucket).where(providers.c.name == vendor).with_for_update()
    row = tx.execute(bucket).one_or_none()
    if row is None:
        tx.execute(upsert(tx, providers).values(name=vendor).on_conflict_do_nothing())
        row = tx.execute(bucket).one()
    return None if row.bucket is None else str(row.bucket)


def _save_window(tx: Connection, vendor: str, window: RateWindow) -> None:
    tx.execute(update(providers).where(providers.c.name == vendor).values(bucket=window.text()))
