"""The slots of a stage: a limit on requests in it over all workers; the others wait.

A request that is dispatched or processing holds a slot through its column `slot`, from its admission or the
start of the stage until the stage is done, failed or released, or the worker is lost.
"""

from collections.abc import Iterable

from sqlalchemy import Connection, select

from resources.ledger.admission import format_slot_wait
from resources.ledger.db.advisory_locks import AdvisoryLock
from resources.ledger.ledger_errors import NoSlotError
from resources.ledger.queries.waiters import has_others_ahead, slots_held
from resources.ledger.schema.tables import requests
from resources.ledger.transitions.core import Lease


def lock_stage_capacity(tx: Connection, stages: Iterable[str]) -> None:
    """No other transaction counts the slots of a stage of such a name until this one ends."""
    for stage in sorted(set(stages)):
        AdvisoryLock.SLOTS.take(tx, stage)


def ensure_slot(tx: Connection, lease: Lease, stage: str, slots: int) -> None:
    """Return if the request holds a slot of this stage or may take a free one.

    A request that asked earlier goes first, unless its priority is lower. Raises NoSlotError.
    """
    # Two concurrent transactions would both take the last slot.
    lock_stage_capacity(tx, [stage])
    row = tx.execute(
        select(
            (requests.c.slot == stage).label("has_one"),
            slots_held(stage, requests.c.pipeline).label("taken"),
            has_others_ahead(format_slot_wait(stage)).label("others"),
        ).where(requests.c.id == lease.request_id)
    ).one_or_none()
    if row is None or row.has_one:
        return
    if row.taken >= slots or row.others:
        raise NoSlotError(stage, slots)
