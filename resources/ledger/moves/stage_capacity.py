"""Places of a stage: so many of a kind are at work at once, over all workers; the others wait in a line.

A place is held by a request that is dispatched or processing with `place`, from the moment it is admitted or
begins the stage, and free again with whatever ends that: done, failed, given back, or its worker buried.
"""

from collections.abc import Iterable

from sqlalchemy import Connection, func, select

from resources.ledger.admission import place_queue
from resources.ledger.db.advisory_locks import AdvisoryLock
from resources.ledger.errors import NoPlaceError
from resources.ledger.moves.core import Lease
from resources.ledger.queries.wait_queues import has_others_ahead, places_held
from resources.ledger.schema.tables import requests


def lock_stage_capacity(tx: Connection, stages: Iterable[str]) -> None:
    """Nobody else counts the places of these stages until the transaction ends."""
    if tx.dialect.name != "sqlite":
        for stage in sorted(stages):
            tx.execute(
                select(func.pg_advisory_xact_lock(AdvisoryLock.PLACES, func.hashtext(stage)))
            )


def ensure_place(tx: Connection, lease: Lease, stage: str, places: int) -> None:
    """Return where the request has a place of this stage or may take one that is free.

    Nobody passes who has asked before, unless by a higher priority. Raises NoPlaceError.
    """
    # Two that count at the same moment would both take the last place.
    lock_stage_capacity(tx, [stage])
    row = tx.execute(
        select(
            (requests.c.place == stage).label("has_one"),
            places_held(stage).label("taken"),
            has_others_ahead(place_queue(stage)).label("others"),
        ).where(requests.c.id == lease.request_id)
    ).one_or_none()
    if row is None or row.has_one:
        return
    if row.taken >= places or row.others:
        raise NoPlaceError(stage, places)
