"""Ended requests, or parts of them, are removed, a batch a transaction. What they cost stays in `spent_days`."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, select

from resources.ledger.db.advisory_locks import AdvisoryLock
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.ended import ended_by_id, files_of
from resources.ledger.retention_rules import EndedRequest, MayGo
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import artifacts, pruned, reports, requests
from resources.ledger.transitions.upsert import upsert
from resources.process.crash_points import crash_point


@dataclass(frozen=True)
class RemovedFile:
    """A file that no request has any more; `where` is relative to the artifact folder."""

    where: str
    bytes: int


@dataclass(frozen=True)
class Removed:
    """The requests of which something was removed, and the files that may be deleted now."""

    requests: Sequence[EndedRequest] = ()
    files: Sequence[RemovedFile] = ()


@retry_transient
def purge_requests(db: Database, ids: Collection[int], may_go: MayGo) -> Removed:
    """Those of the requests that may go are gone from the ledger, with everything that belongs to them."""
    with db.writing() as tx:
        removed = _lock_removable(tx, ids, may_go)
        gone = [request.id for request in removed.requests]
        tx.execute(delete(requests).where(requests.c.id.in_(gone)))
        crash_point("retention.before_commit")
        return removed


@retry_transient
def prune_files(db: Database, ids: Collection[int], may_go: MayGo) -> Removed:
    """Those of the requests whose files may go have none any more."""
    with db.writing() as tx:
        removed = _lock_removable(tx, ids, may_go)
        gone = [request.id for request in removed.requests]
        tx.execute(delete(artifacts).where(artifacts.c.request_id.in_(gone)))
        _note(tx, gone, "files_at")
        return removed


@retry_transient
def removable(db: Database, ids: Collection[int], may_go: MayGo) -> Removed:
    """What a removal would find; nothing is removed."""
    with db.reading() as tx:
        return _removable(tx, ids, may_go)


@retry_transient
def note_log_pruned(db: Database, ids: Collection[int]) -> None:
    """Save that the Dagster rows of these requests were deleted."""
    with db.writing() as tx:
        AdvisoryLock.RETENTION.take(tx)
        # Held, so that none is deleted before its note refers to it.
        there = select(requests.c.id).where(requests.c.id.in_(ids)).order_by(requests.c.id)
        held = there.with_for_update(read=True, key_share=True)
        _note(tx, tx.execute(held).scalars().all(), "log_at")


@retry_transient
def purge_reports(db: Database, before: datetime) -> int:
    """The reports of earlier hours are gone; returns how many rows."""
    with db.writing() as tx:
        return tx.execute(delete(reports).where(reports.c.hour < before)).rowcount


def _lock_removable(tx: Connection, ids: Collection[int], may_go: MayGo) -> Removed:
    """What of the requests may go, locked; one that is locked elsewhere stays, for it is about to change."""
    AdvisoryLock.RETENTION.take(tx)
    locked = select(requests.c.id).where(requests.c.id.in_(ids)).with_for_update(skip_locked=True)
    return _removable(tx, tx.execute(locked).scalars().all(), may_go)


def _removable(tx: Connection, ids: Collection[int], may_go: MayGo) -> Removed:
    found = ended_by_id(tx, ids)
    chosen = [request for request in found if may_go(request)]
    files = files_of(tx, [request.id for request in chosen])
    return Removed(chosen, [RemovedFile(*file) for file in files])


def _note(tx: Connection, ids: Sequence[int], column: str) -> None:
    if not ids:
        return
    rows = [{"request_id": key} for key in ids]
    noted = upsert(tx, pruned).values({column: now()})
    tx.execute(
        noted.on_conflict_do_update(
            index_elements=[pruned.c.request_id], set_={column: noted.excluded[column]}
        ),
        rows,
    )
