"""The slots of a pipeline: a limit on its requests at work, over all workers.

A request that is dispatched or processing has a slot. The dispatcher dispatches no more requests than there are
slots; a run that was not dispatched needs a free one when it claims its request.
"""

from sqlalchemy import Connection

from resources.ledger.db.advisory_locks import AdvisoryLock
from resources.ledger.ledger_errors import ClaimRefusedError, slots_taken
from resources.ledger.queries.queue_capacity import others_at_work
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status


def lock_pipeline_capacity(tx: Connection, slots: int | None) -> None:
    """Where the slots are limited, no other transaction dispatches or counts them until this one ends."""
    if slots is not None:
        AdvisoryLock.DISPATCH.take(tx)


def refusal_without_slot(
    tx: Connection, request: Request, slots: int | None
) -> ClaimRefusedError | None:
    """Why the request may not be claimed; None where it has a slot of its pipeline or may take a free one."""
    if slots is None or request.status is Status.DISPATCHED:
        return None
    if others_at_work(tx, request) < slots:
        return None
    return ClaimRefusedError(
        f"{request.pipeline}: {slots_taken(slots)}; request {request.task_id} is {request.status}"
    )
