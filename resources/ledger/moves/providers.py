"""Moves of a provider: its rate limit's window, and whether it is parked."""

import json
from datetime import datetime

from sqlalchemy import Connection, Row, select, update
from sqlalchemy.dialects import postgresql, sqlite

from resources.ledger.database import Database
from resources.ledger.sqltime import after, now
from resources.ledger.steady import steady
from resources.ledger.tables import providers


@steady
def take_slot(db: Database, provider: str, calls: int, seconds: float) -> bool:
    """One call more is counted, unless `calls` were counted in the last `seconds`; then False."""
    with db.writing() as tx:
        row = _locked(db, tx, provider)
        recent = _recent(row, seconds)
        if len(recent) >= calls:
            return False
        bucket = json.dumps([*recent, row.at.timestamp()])
        tx.execute(update(providers).where(providers.c.name == provider).values(bucket=bucket))
        return True


@steady
def calls_in_window(db: Database, provider: str, seconds: float) -> list[float]:
    """When the calls of the last `seconds` were made, in seconds since 1970 by the database's clock."""
    with db.writing() as tx:
        return _recent(_locked(db, tx, provider), seconds)


def _locked(db: Database, tx: Connection, provider: str) -> Row[tuple[str | None, datetime]]:
    dialect = sqlite if db.is_sqlite else postgresql
    tx.execute(dialect.insert(providers).values(name=provider).on_conflict_do_nothing())
    query = select(providers.c.bucket, now().label("at")).where(providers.c.name == provider)
    return tx.execute(query.with_for_update()).one()


def _recent(row: Row[tuple[str | None, datetime]], seconds: float) -> list[float]:
    at = row.at.timestamp()
    # A clock that was set back must not block the window for longer than it lasts.
    return [call for call in json.loads(row.bucket or "[]") if at - seconds < call <= at]


@steady
def park(db: Database, provider: str, why: str, seconds: float) -> None:
    """Nothing is ordered from the provider for so long; who waits for it is not dispatched meanwhile."""
    with db.writing() as tx:
        _locked(db, tx, provider)
        tx.execute(
            update(providers)
            .where(providers.c.name == provider)
            .values(parked_until=after(seconds), parked_why=why)
        )


@steady
def unpark(db: Database, provider: str) -> bool:
    """The provider is asked again at once; False where it was not parked."""
    with db.writing() as tx:
        statement = (
            update(providers)
            .where(providers.c.name == provider, providers.c.parked_until > now())
            .values(parked_until=None, parked_why=None)
            .returning(providers.c.name)
        )
        return tx.execute(statement).one_or_none() is not None
