"""Transitions of orphans: submissions, possibly paid for, whose request was deleted or does not wait for them."""

from typing import Any

from sqlalchemy import Connection, func, select, update

from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import deleted_requests, orphans
from resources.ledger.transitions.upsert import upsert

ACCEPTED_UNWANTED = "it was accepted after an operator had decided not to wait for it"


def save_orphan(tx: Connection, **orphan: Any) -> None:
    """The submission with these columns is saved as an orphan, once."""
    insert = upsert(tx, orphans).values(**orphan, at=now())
    known = func.coalesce(insert.excluded.external_id, orphans.c.external_id)
    tx.execute(
        insert.on_conflict_do_update(
            index_elements=[orphans.c.token],
            set_={"external_id": known, "cost": insert.excluded.cost},
        )
    )


def is_summed(tx: Connection, deleted_request_id: int, external_id: str | None) -> bool:
    """Whether the deleted submission with this id was settled, so that its cost is in `spent_days`.

    A person's deletion is refused while one is in doubt. One without an id may have been settled as never sent.
    """
    by_person = deleted_requests.c.request_id == deleted_request_id
    found = select(deleted_requests.c.request_id).where(by_person)
    return external_id is not None and tx.execute(found).scalar() is not None


def set_orphan_external_id(
    tx: Connection, provider: str, token: str, external_id: str | None
) -> None:
    """An orphan without an id has this one."""
    without_id = (
        orphans.c.token == token,
        orphans.c.provider == provider,
        orphans.c.external_id.is_(None),
    )
    tx.execute(update(orphans).where(*without_id).values(external_id=external_id))
