"""Moves of a provider: parked, unparked."""

from sqlalchemy import or_, update

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.moves.upsert import upsert
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import providers


@retry_transient
def park(db: Database, provider: str, why: str, seconds: float) -> None:
    """Nothing is ordered from the provider for this long, and requests that wait for it are not dispatched.

    A provider that is parked for longer stays so, with its reason.
    """
    is_longer = or_(providers.c.parked_until.is_(None), providers.c.parked_until < after(seconds))
    with db.writing() as tx:
        tx.execute(upsert(tx, providers).values(name=provider).on_conflict_do_nothing())
        tx.execute(
            update(providers)
            .where(providers.c.name == provider, is_longer)
            .values(parked_until=after(seconds), parked_why=why)
        )


@retry_transient
def unpark(db: Database, provider: str) -> bool:
    """The provider may be called at once; False if it was not parked."""
    with db.writing() as tx:
        statement = (
            update(providers)
            .where(providers.c.name == provider, providers.c.parked_until > now())
            .values(parked_until=None, parked_why=None)
            .returning(providers.c.name)
        )
        return tx.execute(statement).one_or_none() is not None
