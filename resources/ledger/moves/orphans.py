"""Moves of orphans: submissions, possibly paid for, whose request was deleted or does not wait for them."""

from typing import Any

from sqlalchemy import Connection, func, update

from resources.ledger.moves.upsert import upsert
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import orphans

ACCEPTED_UNWANTED = "it was accepted after an operator had decided not to wait for it"


def record_orphan(tx: Connection, **orphan: Any) -> None:
    """The submission with these columns is recorded as an orphan, once."""
    insert = upsert(tx, orphans).values(**orphan, at=now())
    known = func.coalesce(insert.excluded.external_id, orphans.c.external_id)
    tx.execute(
        insert.on_conflict_do_update(
            index_elements=[orphans.c.token],
            set_={"external_id": known, "cost": insert.excluded.cost},
        )
    )


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
