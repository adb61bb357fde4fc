"""Profiles are kept and removed."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import delete, func, insert, select

from resources.contract.written_text import spellings
from resources.ledger.db.advisory_locks import AdvisoryLock
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import ManyProfilesError, UnknownProfileError
from resources.ledger.request import payload_text
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import profiles

MOST_PROFILES = 100


@retry_transient
def keep_profile(
    db: Database, owner: str, pipeline: str, name: str, fields: Mapping[str, Any]
) -> None:
    """The owner's profile of this name has these fields; raises ManyProfilesError."""
    of_owner = (profiles.c.owner == owner, profiles.c.pipeline == pipeline)
    with db.writing() as tx:
        AdvisoryLock.PROFILES.take(tx, f"{owner} {pipeline}")
        # One that was kept before may have the same name decomposed.
        tx.execute(delete(profiles).where(*of_owner, profiles.c.name.in_(spellings(name))))
        if tx.execute(select(func.count()).where(*of_owner)).scalar_one() >= MOST_PROFILES:
            raise ManyProfilesError(MOST_PROFILES)
        kept = {"fields": payload_text(fields), "updated_at": now()}
        tx.execute(insert(profiles).values(owner=owner, pipeline=pipeline, name=name, **kept))


@retry_transient
def remove_profile(db: Database, owner: str, pipeline: str, name: str) -> None:
    """The owner has no profile of this name; raises UnknownProfileError where there was none."""
    of_owner = (profiles.c.owner == owner, profiles.c.pipeline == pipeline)
    named = profiles.c.name.in_(spellings(name))
    with db.writing() as tx:
        if tx.execute(delete(profiles).where(*of_owner, named)).rowcount == 0:
            raise UnknownProfileError(name)
