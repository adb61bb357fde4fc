"""The request that holds the shared key of another one: both are the same order, and it is made once."""

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import SameOrderError
from resources.ledger.queries.key_holders import is_key_taken, key_holder
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status, requests
from resources.ledger.transitions.bookkeeping import set_bookkeeping
from resources.ledger.transitions.core import Lease, lock_leased
from resources.ledger.transitions.shared_access import grant_shared_access


@retry_transient
def find_same(db: Database, lease: Lease, key: str) -> Request | None:
    """Return the completed request that has made the leased one's order; None where the leased one makes it.

    The leased one holds the key then, also where its holder has died or has not begun. Otherwise its owner may
    read the holder. Raises LeaseLostError, and SameOrderError while the holder makes the order.
    """
    try:
        with db.writing() as tx:
            holder = _find_same(tx, lease, key)
    except IntegrityError as error:
        if not is_key_taken(error):
            raise
        return find_same(db, lease, key)
    if holder is None or holder.status is Status.COMPLETED:
        return holder
    raise SameOrderError(holder.task_id)


def _find_same(tx: Connection, lease: Lease, key: str) -> Request | None:
    request, _ = lock_leased(tx, lease)
    holder = key_holder(tx, request.pipeline, key)
    if holder is not None and holder.id == request.id:
        return None
    if holder is not None and not _release_key(tx, holder):
        grant_shared_access(tx, holder, request.owner)
        return holder
    set_bookkeeping(tx, requests.c.id == request.id, unique_key=key)
    return None


def _release_key(tx: Connection, holder: Request) -> bool:
    """Take the key from a request that has not begun; it may be due much later. Return whether it was taken."""
    has_not_begun = (
        requests.c.id == holder.id,
        requests.c.unique_key == holder.unique_key,
        requests.c.status == Status.PENDING,
        requests.c.stage.is_(None),
    )
    return set_bookkeeping(tx, *has_not_begun, unique_key=None) > 0
