"""Read the projections of a pipeline's requests, each with the request's status."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, func, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.status import find_key_holder, is_readable_by
from resources.ledger.schema.tables import OPEN_STATUSES, Status, metadata, requests

_RECENT = 20_000
_MOST_ABOUT = 1_000
_OF_REQUEST = ("id", "task_id", "status", "stage", "error_code", "payload", "completed_at")


@dataclass(frozen=True)
class ProjectionView:
    """A request of a pipeline, and its row in the pipeline's projection table.

    `columns` are that row's values by column; all are None if the request has no projection yet.
    """

    request_id: int
    task_id: str
    status: Status
    stage: str | None
    error_code: str | None
    payload: str
    completed_at: datetime | None
    columns: Mapping[str, Any]

    @property
    def is_kept(self) -> bool:
        """Whether the request has a projection."""
        return self.columns["request_id"] is not None


@dataclass(frozen=True)
class ProjectionFilter:
    """A filter of a pipeline's projections in `table`.

    `reader` limits them to requests that this owner may read; None allows all. `name_key` selects those of one
    subject, and `version`, a column and its value, one version of it.
    """

    pipeline: str
    table: str
    reader: str | None
    name_key: str | None = None
    version: tuple[str, str] | None = None


def list_projections(
    db: Database, wanted: ProjectionFilter, *, before: int | None, limit: int
) -> list[ProjectionView]:
    """List requests that have a projection, the newest first; `before` limits them to smaller request ids."""
    table = metadata.tables[wanted.table]
    query = _select_projections(wanted).where(table.c.request_id.is_not(None))
    if before is not None:
        query = query.where(requests.c.id < before)
    rows = db.fetch_all(query.order_by(requests.c.id.desc()).limit(limit))
    return [_make_projection_view(row, wanted.table) for row in rows]


def find_projection(db: Database, wanted: ProjectionFilter, task_id: str) -> ProjectionView | None:
    """Find the matching request with this task_id; return None if there is none.

    The request is returned even if it has no projection yet.
    """
    row = db.fetch_one(_select_projections(wanted).where(requests.c.task_id == task_id))
    return None if row is None else _make_projection_view(row, wanted.table)


def find_newest_projection(db: Database, wanted: ProjectionFilter) -> ProjectionView | None:
    """Find the newest projection of a completed request, or else of an open or failed one.

    None if there is none.
    """
    table = metadata.tables[wanted.table]
    is_done = requests.c.status == Status.COMPLETED
    is_alive = requests.c.status.not_in([Status.COMPLETED, Status.DEAD, Status.CANCELED])
    for condition in (is_done, is_alive):
        query = _select_projections(wanted).where(table.c.request_id.is_not(None), condition)
        row = db.fetch_one(query.order_by(requests.c.id.desc()).limit(1))
        if row is not None:
            return _make_projection_view(row, wanted.table)
    return None


def list_orders_about(db: Database, wanted: ProjectionFilter, words: str) -> list[ProjectionView]:
    """List requests whose payload contains the words in any case: open ones, then recent completed ones.

    Each part has the newest first. The words may occur in another field than the caller means.
    """
    about = func.lower(requests.c.payload).contains(words.lower(), autoescape=True)
    newest = select(func.max(requests.c.id)).scalar_subquery()
    is_recent = requests.c.id > newest - _RECENT
    is_open = requests.c.status.in_(OPEN_STATUSES)
    is_completed = and_(requests.c.status == Status.COMPLETED, is_recent)
    rows = [
        row
        for condition in (is_open, is_completed)
        for row in db.fetch_all(
            _select_projections(wanted)
            .where(condition, about)
            .order_by(requests.c.id.desc())
            .limit(_MOST_ABOUT)
        )
    ]
    return [_make_projection_view(row, wanted.table) for row in rows]


@retry_transient
def find_key_holder_of(db: Database, pipeline: str, key: str) -> str | None:
    """Find the task_id of the pipeline's request that holds this unique key; return None if none holds it."""
    with db.reading() as tx:
        holder = find_key_holder(tx, pipeline, key)
    return None if holder is None else holder.task_id


def _select_projections(wanted: ProjectionFilter) -> Select[Any]:
    """Build the SELECT of the matching requests with the columns of their projection, NULL without one."""
    table = metadata.tables[wanted.table]
    conditions: list[ColumnElement[bool]] = [requests.c.pipeline == wanted.pipeline]
    if wanted.reader is not None:
        conditions.append(is_readable_by(wanted.reader))
    if wanted.name_key is not None:
        conditions.append(table.c.name_key == wanted.name_key)
    if wanted.version is not None:
        column, value = wanted.version
        conditions.append(table.c[column] == value)
    own = [each.label(f"projection_{each.name}") for each in table.c]
    asked = [requests.c[name] for name in _OF_REQUEST]
    joined = requests.outerjoin(table, table.c.request_id == requests.c.id)
    return select(*asked, *own).select_from(joined).where(*conditions)


def _make_projection_view(row: Any, table: str) -> ProjectionView:
    """Build the view from a row of `_select_projections`; `table` is the name of the projection table."""
    own = {each.name: getattr(row, f"projection_{each.name}") for each in metadata.tables[table].c}
    asked = {name: getattr(row, name) for name in _OF_REQUEST[1:]}
    return ProjectionView(row.id, **{**asked, "status": Status(row.status)}, columns=own)
