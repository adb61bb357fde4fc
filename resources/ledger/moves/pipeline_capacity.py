"""The places of a pipeline: a limit on its requests at work, over all workers.

A request that is dispatched or processing has a place. The dispatcher dispatches no more requests than there are
places; a run that was not dispatched needs a free one when it claims its request.
"""

from sqlalchemy import Connection

from resources.ledger.db.advisory_locks import AdvisoryLock
from resources.ledger.errors import ClaimRefusedError, places_taken
from resources.ledger.queries.lane_capacity import others_at_work
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status


def lock_pipeline_capacity(tx: Connection, places: int | None) -> None:
    """Where the places are limited, no other transaction dispatches or counts them until this one ends."""
    if places is not None:
        AdvisoryLock.DISPATCH.take(tx)


def refusal_without_place(
    tx: Connection, request: Request, places: int | None
) -> ClaimRefusedError | None:
    """Why the request may not be claimed; None where it has a place of its pipeline or may take a free one."""
    if places is None or request.status is Status.DISPATCHED:
        return None
    if others_at_work(tx, request) < places:
        return None
    return ClaimRefusedError(
        f"{request.pipeline}: {places_taken(places)}; request {request.task_id} is {request.status}"
    )
