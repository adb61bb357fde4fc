"""The places of a stage: a limit on requests in it over all workers; the others wait in the stage's wait queue.

A request that is dispatched or processing holds a place through its column `place`, from its admission or the
start of the stage until the stage is done, failed or released, or the worker is lost.
"""

from collections.abc import Iterable

from sqlalchemy import Connection, select

from resources.ledger.admission import place_queue
from resources.ledger.db.advisory_locks import AdvisoryLock
from resources.ledger.errors import NoPlaceError
from resources.ledger.moves.core import Lease
from resources.ledger.queries.wait_queues import has_others_ahead, places_held
from resources.ledger.schema.tables import requests


def lock_stage_capacity(tx: Connection, stages: Iterable[str]) -> None:
    """No other transaction counts the places of a stage of such a name until this one ends."""
    for stage in sorted(set(stages)):
        AdvisoryLock.PLACES.take(tx, stage)


def ensure_place(tx: Connection, lease: Lease, stage: str, places: int) -> None:
    """Return if the request holds a place of this stage or may take a free one.

    A request that asked earlier goes first, unless its priority is lower. Raises NoPlaceError.
    """
    # Two concurrent transactions would both take the last place.
    lock_stage_capacity(tx, [stage])
    row = tx.execute(
        select(
            (requests.c.place == stage).label("has_one"),
            places_held(stage, requests.c.pipeline).label("taken"),
            has_others_ahead(place_queue(stage)).label("others"),
        ).where(requests.c.id == lease.request_id)
    ).one_or_none()
    if row is None or row.has_one:
        return
    if row.taken >= places or row.others:
        raise NoPlaceError(stage, places)
