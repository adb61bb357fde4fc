"""Transitions of a provider: paused, resumed."""

from sqlalchemy import or_, update

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import providers
from resources.ledger.transitions.upsert import upsert


@retry_transient
def pause_provider(db: Database, provider: str, why: str, seconds: float) -> None:
    """Nothing is submitted to the provider for this long, and requests that wait for it are not dispatched.

    A provider that is paused for longer stays so, with its reason.
    """
    is_longer = or_(providers.c.paused_until.is_(None), providers.c.paused_until < after(seconds))
    with db.writing() as tx:
        tx.execute(upsert(tx, providers).values(name=provider).on_conflict_do_nothing())
        tx.execute(
            update(providers)
            .where(providers.c.name == provider, is_longer)
            .values(paused_until=after(seconds), pause_reason=why)
        )


@retry_transient
def resume_provider(db: Database, provider: str) -> bool:
    """The provider may be called at once; False if it was not paused."""
    with db.writing() as tx:
        statement = (
            update(providers)
            .where(providers.c.name == provider, providers.c.paused_until > now())
            .values(paused_until=None, pause_reason=None)
            .returning(providers.c.name)
        )
        return tx.execute(statement).one_or_none() is not None
