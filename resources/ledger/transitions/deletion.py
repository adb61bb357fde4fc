"""One ended request is deleted by a person; that it was, when and by whom is kept, and what it cost."""

from dataclasses import dataclass

from sqlalchemy import delete, insert

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import InDoubtError, NotEndedError
from resources.ledger.queries.ended import ended_by_id, files_of
from resources.ledger.request import Request
from resources.ledger.retention_rules import Hold, why_barred
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import deleted_requests, requests
from resources.ledger.transitions.core import lock_task
from resources.ledger.transitions.retention import RemovedFile


@dataclass(frozen=True)
class DeletedRequest:
    """The request as it was, and its files, which no other request has."""

    request: Request
    files: tuple[RemovedFile, ...]


@retry_transient
def delete_request(db: Database, task_id: str, deleted_by: str) -> DeletedRequest:
    """The request is gone from the ledger with everything that belongs to it, webhooks that are due too.

    Raises UnknownRequestError, NotEndedError and InDoubtError.
    """
    with db.writing() as tx:
        request, _ = lock_task(tx, task_id)
        [ended] = ended_by_id(tx, [request.id])
        hold = why_barred(ended)
        if hold is Hold.ALIVE:
            raise NotEndedError(task_id, request.status)
        if hold is Hold.IN_DOUBT:
            raise InDoubtError(task_id)
        files = tuple(RemovedFile(*file) for file in files_of(tx, [request.id]))
        note = {"request_id": request.id, "task_id": task_id, "pipeline": request.pipeline}
        by = {"owner": request.owner, "deleted_by": deleted_by, "deleted_at": now()}
        tx.execute(insert(deleted_requests).values(**note, **by))
        tx.execute(delete(requests).where(requests.c.id == request.id))
        return DeletedRequest(request, files)
