"""What a reader has missed: the events between two cursors. Read-only."""

from collections.abc import Sequence

from sqlalchemy import bindparam, func

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.feed import Cursor, Gap
from resources.ledger.queries.reads import EventView, event_of, events_query
from resources.ledger.schema.tables import events, requests

_BATCH = 500
_LOOKED_AT = 20_000
"""Ids that one query looks at, at most: it passes over others' events, but not over a whole ledger at once."""


class PastEvents:
    """The events in `until` that are not in `since`; with `owner`, those of its orders. For one reader at a time.

    All of them are visible or deleted already, so each is found, in order of id.
    """

    def __init__(
        self, db: Database, since: Cursor, until: Cursor, owner: str | None = None
    ) -> None:
        self._db = db
        self._since = since
        self._until = until
        self._owner = owner
        missed = ((first, min(last, until.top)) for first, last in since.missing(until.top))
        self._left: list[Gap] = [part for part in missed if part[0] <= part[1]]

    @property
    def is_over(self) -> bool:
        """Whether all were told."""
        return not self._left

    def next_events(self) -> Sequence[EventView]:
        """The next of them, several hundred at most; possibly none, though it is not over."""
        first = self._left[0][0]
        # Short gaps that lie near each other are read at once, with what lies between them.
        until = min(self._left[-1][1], first + _LOOKED_AT - 1)
        found = _between(self._db, first, until, self._owner)
        done = found[-1].id if len(found) == _BATCH else until
        left = ((max(begin, done + 1), last) for begin, last in self._left)
        self._left = [part for part in left if part[0] <= part[1]]
        return [event for event in found if event.id in self._until and event.id not in self._since]

    def cursor_at(self, event_id: int) -> Cursor:
        """The reader's position once it was told the events up to this one."""
        return self._since.joined(self._until.up_to(event_id))


@retry_transient
def _between(db: Database, first: int, last: int, owner: str | None) -> list[EventView]:
    query = _BETWEEN if owner is None else _OF_OWNER
    named = {"first": first, "last": last} | ({} if owner is None else {"owner": owner})
    with db.reading() as tx:
        return [event_of(row._mapping) for row in tx.execute(query, named)]


_BETWEEN = (
    events_query()
    .where(events.c.id.between(bindparam("first"), bindparam("last")))
    .order_by(events.c.id)
    .limit(_BATCH)
)
# Not by the index on `owner`: for each query that would read all events of the owner's orders.
_OF_OWNER = _BETWEEN.where(func.coalesce(requests.c.owner, "") == bindparam("owner"))
