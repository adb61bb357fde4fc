"""Read webhook deliveries, and the secrets that sign them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, func, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import UnknownDeliveryError
from resources.ledger.queries.status import list_columns
from resources.ledger.schema.sqltime import moment_of, now
from resources.ledger.schema.tables import DeliveryStatus, api_keys, requests, webhook_deliveries


@dataclass(frozen=True)
class DeliveryView:
    """A webhook delivery. `seq` is that of the event it reports, `attempt` the number of tries that have ended."""

    id: int
    type: str
    seq: int
    status: str
    attempt: int
    due_at: datetime
    last_code: str | None
    last_error: str | None
    url: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class Webhook(DeliveryView):
    """A webhook delivery with its request's task_id and owner, and the fence that guards its tries."""

    task_id: str
    owner: str | None
    host: str
    fence: int

    @property
    def target(self) -> str:
        """The host that receives the webhook."""
        return self.host


@dataclass(frozen=True)
class DeliverySums:
    """The number of webhook deliveries by status, and the seconds since the oldest pending one became due."""

    by_status: dict[str, int]
    oldest_due_seconds: float


@retry_transient
def list_deliveries(
    db: Database,
    *,
    statuses: Sequence[DeliveryStatus] = (),
    task_id: str | None = None,
    owner: str | None = None,
    before: int | None = None,
    limit: int = 100,
) -> list[Webhook]:
    """List webhook deliveries, the newest first.

    Args:
        statuses: only deliveries with one of these statuses; empty for all.
        task_id: only those of this request.
        owner: only those of this owner's requests.
        before: only those with smaller ids.
    """
    query = build_deliveries_query().order_by(webhook_deliveries.c.id.desc()).limit(limit)
    if statuses:
        query = query.where(webhook_deliveries.c.status.in_(statuses))
    if task_id is not None:
        query = query.where(requests.c.task_id == task_id)
    if owner is not None:
        query = query.where(requests.c.owner == owner)
    if before is not None:
        query = query.where(webhook_deliveries.c.id < before)
    with db.reading() as tx:
        return [Webhook(**row) for row in tx.execute(query).mappings()]


@retry_transient
def get_delivery(db: Database, delivery_id: int) -> Webhook:
    """Return the webhook delivery with this id; raise UnknownDeliveryError if there is none."""
    query = build_deliveries_query().where(webhook_deliveries.c.id == delivery_id)
    with db.reading() as tx:
        row = tx.execute(query).mappings().one_or_none()
    if row is None:
        raise UnknownDeliveryError(delivery_id)
    return Webhook(**row)


@retry_transient
def sum_deliveries(db: Database) -> DeliverySums:
    """Count all stored webhook deliveries by status, and measure how late the oldest pending one is."""
    table = webhook_deliveries
    counts = select(table.c.status, func.count()).group_by(table.c.status)
    oldest = select(func.min(table.c.due_at), now()).where(
        table.c.status == DeliveryStatus.PENDING,
        table.c.due_at <= now(),
    )
    with db.reading() as tx:
        found = {str(status): int(count) for status, count in tx.execute(counts)}
        due_at, at = tx.execute(oldest).one()
    due = moment_of(due_at)
    seconds = 0.0 if due is None else max(0.0, (at - due).total_seconds())
    return DeliverySums({status: found.get(status, 0) for status in DeliveryStatus}, seconds)


@retry_transient
def read_signing_secrets(
    db: Database, owner: str | None, rotation_seconds: float
) -> list[str] | None:
    """Read the secrets that sign this owner's webhooks: those of all keys that are not revoked.

    A replaced secret is included until `rotation_seconds` after its replacement. Returns None if the owner
    never had a key: then the request did not come through the API. Returns an empty list if every key is
    revoked: no other secret takes its place.
    """
    if owner is None:
        return None
    query = (
        select(
            api_keys.c.webhook_secret,
            api_keys.c.webhook_secret_before,
            api_keys.c.webhook_rotated_at,
            api_keys.c.revoked_at,
            now().label("at"),
        )
        .where(api_keys.c.owner == owner)
        .order_by(api_keys.c.created_at, api_keys.c.id)
    )
    with db.reading() as tx:
        rows = tx.execute(query).all()
    if not rows:
        return None
    found: list[str] = []
    for row in (row for row in rows if row.revoked_at is None):
        rotated = row.webhook_rotated_at
        is_fresh = rotated is not None and (row.at - rotated).total_seconds() < rotation_seconds
        found += [row.webhook_secret] if row.webhook_secret else []
        found += [row.webhook_secret_before] if row.webhook_secret_before and is_fresh else []
    return found


def build_deliveries_query() -> Select[tuple[object, ...]]:
    """Build the SELECT of the columns of `Webhook`."""
    of_delivery = list_columns(webhook_deliveries, DeliveryView)
    return select(
        *of_delivery,
        requests.c.task_id,
        requests.c.owner,
        webhook_deliveries.c.host,
        webhook_deliveries.c.fence,
    ).join_from(webhook_deliveries, requests)
