"""Which request holds a unique key. Read-only."""

from sqlalchemy import ColumnElement, Connection, bindparam, literal_column, select
from sqlalchemy.exc import IntegrityError

from resources.ledger.ledger_errors import DuplicateOrderError
from resources.ledger.queries.shared_access import is_readable_by
from resources.ledger.request import Request
from resources.ledger.schema.tables import HOLDS_KEY, WITHOUT_KEY, requests

# SQLite uses a partial index only where the query repeats the index's condition verbatim.
_HOLDS_KEY: ColumnElement[bool] = literal_column(HOLDS_KEY)
# Postgres names the index, SQLite its columns.
_IN_ERRORS = ("requests_unique_key", "requests.unique_key")
_HOLDER = select(requests).where(
    _HOLDS_KEY,
    requests.c.pipeline == bindparam("of_pipeline"),
    requests.c.unique_key == bindparam("of_key"),
)


def key_holder(tx: Connection, pipeline: str, key: str) -> Request | None:
    """The request of the pipeline that holds this unique key, if there is one."""
    row = tx.execute(_HOLDER, {"of_pipeline": pipeline, "of_key": key}).one_or_none()
    return None if row is None else Request.of(row)


def is_held_elsewhere(tx: Connection, request: Request, key: str | None) -> bool:
    """Whether another request holds the key."""
    holder = None if key is None else key_holder(tx, request.pipeline, key)
    return holder is not None and holder.id != request.id


def is_superseded(tx: Connection, request: Request) -> bool:
    """Whether another request does the same order since this one died or was canceled."""
    if request.status not in WITHOUT_KEY or request.unique_key is None:
        return False
    return key_holder(tx, request.pipeline, request.unique_key) is not None


def duplicate_of(tx: Connection, holder: Request | None, owner: str | None) -> DuplicateOrderError:
    """The refusal of an owner's order that another request is.

    It names that request only to an owner who may read it, and to an order without an owner.
    """
    if holder is None:
        return DuplicateOrderError()
    readable = () if owner is None else (is_readable_by(owner),)
    query = select(requests.c.task_id).where(requests.c.id == holder.id, *readable)
    return DuplicateOrderError(tx.execute(query).scalar())


def is_key_taken(error: IntegrityError) -> bool:
    """Whether a statement was refused because another request holds the unique key."""
    return any(name in str(error.orig) for name in _IN_ERRORS)
