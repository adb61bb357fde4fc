"""Moves of orphans: submissions, possibly paid for, whose request or row was deleted."""

from sqlalchemy import Connection, func, update

from resources.ledger.moves.upsert import upsert
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import orphans


def record_orphan(
    tx: Connection,
    *,
    token: str,
    provider: str,
    external_id: str | None,
    task_id: str,
    stage: str,
    cost: int,
    why: str,
) -> None:
    """The submission is recorded as an orphan, once; `cost` in micro-dollars."""
    insert = upsert(tx, orphans).values(
        token=token,
        provider=provider,
        external_id=external_id,
        task_id=task_id,
        stage=stage,
        cost=cost,
        at=now(),
        why=why,
    )
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
