"""Delete and purge requests, store reports, pause providers, and mark events as mirrored."""

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, or_, select, update

from resources.ledger.db.database import Database
from resources.ledger.db.retry import AdvisoryLock, retry_transient
from resources.ledger.ledger_errors import IllegalTransitionError
from resources.ledger.queries.hours import StageFigures
from resources.ledger.queries.retention import list_ended_by_id, list_files_of
from resources.ledger.request import Request
from resources.ledger.retention_rules import EndedRequest, Hold, MayGo, explain_barred
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import (
    artifacts,
    deleted_requests,
    events,
    providers,
    pruned,
    reports,
    requests,
)
from resources.ledger.transitions.core import build_upsert, lock_request
from resources.process.crash_points import trigger_crash_point


@dataclass(frozen=True)
class RemovedFile:
    """A file that no request lists any more; `where` is its path relative to the artifact folder."""

    where: str
    bytes: int


@dataclass(frozen=True)
class Removed:
    """The requests that were removed or lost their files, and the files that may be deleted now."""

    requests: Sequence[EndedRequest] = ()
    files: Sequence[RemovedFile] = ()


@retry_transient
def purge_requests(db: Database, ids: Collection[int], may_go: MayGo) -> Removed:
    """Delete the requests with these ids for which `may_go` is True, with their rows; return what was removed."""
    with db.writing() as tx:
        removed = _lock_removable_requests(tx, ids, may_go)
        gone = [request.id for request in removed.requests]
        tx.execute(delete(requests).where(requests.c.id.in_(gone)))
        trigger_crash_point("retention.before_commit")
        return removed


@retry_transient
def prune_files(db: Database, ids: Collection[int], may_go: MayGo) -> Removed:
    """Delete the file rows of the requests with these ids for which `may_go` is True; return what was removed.

    The caller deletes the files.
    """
    with db.writing() as tx:
        removed = _lock_removable_requests(tx, ids, may_go)
        gone = [request.id for request in removed.requests]
        tx.execute(delete(artifacts).where(artifacts.c.request_id.in_(gone)))
        _save_pruned_time(tx, gone, "files_at")
        return removed


@retry_transient
def find_removable_requests(db: Database, ids: Collection[int], may_go: MayGo) -> Removed:
    """Return what a removal of the requests with these ids would remove, without removing it."""
    with db.reading() as tx:
        return _select_removable_requests(tx, ids, may_go)


@retry_transient
def save_log_pruned(db: Database, ids: Collection[int]) -> None:
    """Save that Dagster's rows of the requests with these ids were deleted."""
    with db.writing() as tx:
        AdvisoryLock.RETENTION.take(tx)
        # The lock keeps each request until its note refers to it.
        there = select(requests.c.id).where(requests.c.id.in_(ids)).order_by(requests.c.id)
        held = there.with_for_update(read=True, key_share=True)
        _save_pruned_time(tx, tx.execute(held).scalars().all(), "log_at")


@retry_transient
def purge_reports(db: Database, before: datetime) -> int:
    """Delete the reports of hours before this time; return the number of rows."""
    with db.writing() as tx:
        return tx.execute(delete(reports).where(reports.c.hour < before)).rowcount


def _lock_removable_requests(tx: Connection, ids: Collection[int], may_go: MayGo) -> Removed:
    """Lock the requests with these ids that may go, and return them with their files.

    Skips a request that another transaction has locked, because it is changing.
    """
    AdvisoryLock.RETENTION.take(tx)
    locked = select(requests.c.id).where(requests.c.id.in_(ids)).with_for_update(skip_locked=True)
    return _select_removable_requests(tx, tx.execute(locked).scalars().all(), may_go)


def _select_removable_requests(tx: Connection, ids: Collection[int], may_go: MayGo) -> Removed:
    """Return those of the requests that have ended and may go, with the files that no other request lists."""
    found = list_ended_by_id(tx, ids)
    chosen = [request for request in found if may_go(request)]
    files = list_files_of(tx, [request.id for request in chosen])
    return Removed(chosen, [RemovedFile(*file) for file in files])


def _save_pruned_time(tx: Connection, ids: Sequence[int], column: str) -> None:
    """Save the present time in this column of `pruned` for the requests with these ids."""
    if not ids:
        return
    rows = [{"request_id": key} for key in ids]
    noted = build_upsert(tx, pruned).values({column: now()})
    tx.execute(
        noted.on_conflict_do_update(
            index_elements=[pruned.c.request_id], set_={column: noted.excluded[column]}
        ),
        rows,
    )


@dataclass(frozen=True)
class DeletedRequest:
    """A deleted request as it was, with those of its files that no other request lists."""

    request: Request
    files: tuple[RemovedFile, ...]


@retry_transient
def delete_request(db: Database, task_id: str, deleted_by: str) -> DeletedRequest:
    """Delete the request with everything that belongs to it, including webhooks that are due.

    `deleted_by` is the person. Raises UnknownRequestError, and IllegalTransitionError if the request has not
    ended or has a submission in doubt.
    """
    with db.writing() as tx:
        request, _ = lock_request(tx, task_id)
        [ended] = list_ended_by_id(tx, [request.id])
        hold = explain_barred(ended)
        if hold is Hold.ALIVE:
            raise IllegalTransitionError(
                f"task_id: {task_id!r} is {request.status}; expected an order that has ended: cancel it first",
                code="not_ended",
            )
        if hold is Hold.IN_DOUBT:
            raise IllegalTransitionError(
                f"task_id: {task_id!r} has a submission that may still be charged; "
                "expected a settled one: `castad resolve` settles it",
                code="in_doubt",
            )
        files = tuple(RemovedFile(*file) for file in list_files_of(tx, [request.id]))
        note = {"request_id": request.id, "task_id": task_id, "pipeline": request.pipeline}
        by = {"owner": request.owner, "deleted_by": deleted_by, "deleted_at": now()}
        tx.execute(insert(deleted_requests).values(**note, **by))
        tx.execute(delete(requests).where(requests.c.id == request.id))
        return DeletedRequest(request, files)


@retry_transient
def save_report(db: Database, hour: datetime, stages: Sequence[StageFigures]) -> None:
    """Replace the hour's report by the figures of these stages, in this order."""
    rows: list[dict[str, Any]] = [
        {
            **vars(figures),
            "position": position,
            "codes": json.dumps(dict(figures.codes)),
            "unusual": json.dumps([asdict(each) for each in figures.unusual]),
        }
        for position, figures in enumerate(stages)
    ]
    with db.writing() as tx:
        AdvisoryLock.REPORT.take(tx)
        tx.execute(delete(reports).where(reports.c.hour == hour))
        if rows:
            tx.execute(insert(reports).values(hour=hour, made_at=now()), rows)


@retry_transient
def pause_provider(db: Database, provider: str, why: str, seconds: float) -> None:
    """Pause the provider for this many seconds, with the reason `why`.

    Meanwhile nothing is submitted to it, and requests that wait for it are not dispatched. A provider that is
    paused for longer keeps its pause and reason.
    """
    is_longer_than = or_(
        providers.c.paused_until.is_(None), providers.c.paused_until < after(seconds)
    )
    with db.writing() as tx:
        tx.execute(build_upsert(tx, providers).values(name=provider).on_conflict_do_nothing())
        tx.execute(
            update(providers)
            .where(providers.c.name == provider, is_longer_than)
            .values(paused_until=after(seconds), pause_reason=why)
        )


@retry_transient
def resume_provider(db: Database, provider: str) -> bool:
    """End the provider's pause; return False if it was not paused."""
    with db.writing() as tx:
        statement = (
            update(providers)
            .where(providers.c.name == provider, providers.c.paused_until > now())
            .values(paused_until=None, pause_reason=None)
            .returning(providers.c.name)
        )
        return tx.execute(statement).one_or_none() is not None


@retry_transient
def mark_events_mirrored(db: Database, event_ids: Sequence[int]) -> None:
    """Mark the events with these ids as copied to Dagster's event log."""
    with db.writing() as tx:
        tx.execute(update(events).where(events.c.id.in_(event_ids)).values(mirrored=True))
