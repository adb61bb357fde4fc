"""Profiles are kept and removed."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import delete, func, select

from resources.ledger.db.advisory_locks import AdvisoryLock
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.errors import ManyProfilesError, UnknownProfileError
from resources.ledger.moves.upsert import upsert
from resources.ledger.request import payload_text
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import profiles

MOST_PROFILES = 100


@retry_transient
def keep_profile(
    db: Database, owner: str, pipeline: str, name: str, fields: Mapping[str, Any]
) -> None:
    """The owner's profile of this name has these fields; raises ManyProfilesError."""
    key = {"owner": owner, "pipeline": pipeline, "name": name}
    value = {"fields": payload_text(fields), "updated_at": now()}
    with db.writing() as tx:
        AdvisoryLock.PROFILES.take(tx, f"{owner} {pipeline}")
        others = select(func.count()).where(
            profiles.c.owner == owner, profiles.c.pipeline == pipeline, profiles.c.name != name
        )
        if tx.execute(others).scalar_one() >= MOST_PROFILES:
            raise ManyProfilesError(MOST_PROFILES)
        row = upsert(tx, profiles).values(**key, **value)
        tx.execute(row.on_conflict_do_update(index_elements=[*key], set_=value))


@retry_transient
def remove_profile(db: Database, owner: str, pipeline: str, name: str) -> None:
    """The owner has no profile of this name; raises UnknownProfileError where there was none."""
    of = (profiles.c.owner == owner, profiles.c.pipeline == pipeline, profiles.c.name == name)
    with db.writing() as tx:
        if tx.execute(delete(profiles).where(*of)).rowcount == 0:
            raise UnknownProfileError(name)
