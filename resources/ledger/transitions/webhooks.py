"""Claim, record and replay the ledger's webhook deliveries."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import and_, case, func, or_, select, update

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import UnknownDeliveryError
from resources.ledger.queries.webhooks import Webhook, build_deliveries_query
from resources.ledger.schema.check_constraints import MOST
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import UNDELIVERED, DeliveryStatus, requests, webhook_deliveries

_TABLE = webhook_deliveries
_EARLIER = webhook_deliveries.alias("earlier")
# An operator's SQL may have stored any number, and no row may stop the sender.
_NEXT_FENCE = case((_TABLE.c.fence < MOST, _TABLE.c.fence + 1), else_=0)
_IS_PENDING = _TABLE.c.status == DeliveryStatus.PENDING
_IS_FREE = or_(_TABLE.c.lease_until.is_(None), _TABLE.c.lease_until <= now())
# The receiver gets the ends of a request in their order. A subquery by the request needs no good statistics in
# Postgres: by the status, or as a join, each claim would read all pending rows.
_SETTLED = (DeliveryStatus.DELIVERED, *UNDELIVERED)
_IS_NEXT_OF_REQUEST = _TABLE.c.seq == (
    select(func.min(_EARLIER.c.seq))
    .where(_EARLIER.c.request_id == _TABLE.c.request_id, _EARLIER.c.status.not_in(_SETTLED))
    .correlate(_TABLE)
    .scalar_subquery()
)


@retry_transient
def claim_delivery(
    db: Database, lease_seconds: float, busy_hosts: Collection[str] = ()
) -> Webhook | None:
    """Claim the webhook that has been due for longest, for `lease_seconds`; return None if none is due.

    Skips webhooks to `busy_hosts`, and those with an earlier unsettled webhook of the same request.
    """
    due = (
        select(_TABLE.c.id)
        .where(_IS_PENDING, _TABLE.c.due_at <= now(), _IS_FREE, _IS_NEXT_OF_REQUEST)
        .where(_TABLE.c.host.not_in(sorted(busy_hosts)))
        .order_by(_TABLE.c.due_at, _TABLE.c.id)
        .limit(1)
    )
    # Mostly nothing is due, and reading takes no lock.
    with db.reading() as tx:
        if tx.execute(due).scalar_one_or_none() is None:
            return None
    with db.writing() as tx:
        found = tx.execute(due.with_for_update(skip_locked=True)).scalar_one_or_none()
        if found is None:
            return None
        leased = {"fence": _NEXT_FENCE, "lease_until": after(lease_seconds)}
        tx.execute(update(_TABLE).where(_TABLE.c.id == found).values(leased))
        row = tx.execute(build_deliveries_query().where(_TABLE.c.id == found)).mappings().one()
    return Webhook(**row)


@retry_transient
def save_delivery_try(
    db: Database,
    delivery: Webhook,
    status: DeliveryStatus,
    *,
    wait: float = 0.0,
    code: str | None = None,
    message: str | None = None,
) -> bool:
    """Save the outcome of a try to deliver the claimed webhook, and end the claim.

    `wait` is the seconds until the next try of a pending webhook; `code` and `message` are the error. Returns
    False, without a change, if another sender has claimed it meanwhile. The status `disabled` disables all
    pending webhooks of the same owner to the same address.
    """
    failure: dict[str, Any] = {
        "status": status,
        "lease_until": None,
        "last_code": code,
        "last_error": message,
        "updated_at": now(),
    }
    tried = {
        **failure,
        "attempt": case((_TABLE.c.attempt < MOST, _TABLE.c.attempt + 1), else_=MOST),
    }
    if status is DeliveryStatus.PENDING:
        tried["due_at"] = after(wait)
    is_ours = and_(_TABLE.c.id == delivery.id, _TABLE.c.fence == delivery.fence, _IS_PENDING)
    with db.writing() as tx:
        if tx.execute(update(_TABLE).where(is_ours).values(tried)).rowcount == 0:
            return False
        if status is DeliveryStatus.DISABLED:
            of_owner = select(requests.c.id).where(requests.c.owner == delivery.owner)
            others = update(_TABLE).where(_IS_PENDING, _TABLE.c.url == delivery.url)
            others = others.where(_TABLE.c.request_id.in_(of_owner))
            tx.execute(others.values({**failure, "fence": _NEXT_FENCE}))
    return True


@retry_transient
def replay_webhooks(db: Database, delivery_id: int | None = None) -> int:
    """Make a webhook due now, as if it was never tried; return the number of webhooks.

    Without a `delivery_id` all webhooks that were given up. Raises UnknownDeliveryError if no webhook has
    this id.
    """
    is_given_up = _TABLE.c.status.in_(UNDELIVERED)
    chosen = is_given_up if delivery_id is None else _TABLE.c.id == delivery_id
    values = {
        "status": DeliveryStatus.PENDING,
        "attempt": 0,
        "due_at": now(),
        "fence": _NEXT_FENCE,
        "lease_until": None,
        "updated_at": now(),
    }
    with db.writing() as tx:
        count = tx.execute(update(_TABLE).where(chosen).values(values)).rowcount
    if delivery_id is not None and not count:
        raise UnknownDeliveryError(delivery_id)
    return count
