"""Profiles: what an owner's orders of a pipeline have in common. Read-only."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from resources.contract.written_text import composed
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.schema.tables import profiles


@dataclass(frozen=True)
class Profile:
    """A profile of an owner; `fields` are those of an order of the pipeline, unchecked."""

    pipeline: str
    name: str
    fields: Mapping[str, Any]


@retry_transient
def profiles_of(db: Database, owner: str, pipeline: str | None = None) -> list[Profile]:
    """The owner's profiles by name: for orders of the pipeline, if one is given."""
    of_pipeline = () if pipeline is None else (profiles.c.pipeline == pipeline,)
    query = (
        select(profiles.c.pipeline, profiles.c.name, profiles.c.fields)
        .where(profiles.c.owner == owner, *of_pipeline)
        .order_by(profiles.c.name)
    )
    with db.reading() as tx:
        return [Profile(row.pipeline, row.name, _fields(row.fields)) for row in tx.execute(query)]


def find_profile(db: Database, owner: str, pipeline: str, name: str) -> Profile | None:
    """The owner's profile of this name, if there is one; one that was kept before may be decomposed."""
    name = composed(name)
    return next(
        (each for each in profiles_of(db, owner, pipeline) if composed(each.name) == name), None
    )


def _fields(text: str) -> Mapping[str, Any]:
    """An operator may have written anything."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
