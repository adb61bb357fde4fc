"""The ledger's events as they become visible: each once, those of one request in order of seq.

Ids are given out before a transaction commits, so on Postgres an event may become visible after others with
higher ids. A reader that remembered the highest id alone would miss it for ever: what has not been seen
below it is asked for again, until every transaction that may hold it has ended.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, func, select, text

from resources.ledger.database import Database
from resources.ledger.reads import EventView, event_of, events_query
from resources.ledger.steady import steady
from resources.ledger.tables import events

_BATCH = 500
_IN_FLIGHT = 1000
"""How many ids below the highest one may belong to transactions that have not ended."""
_WRITTEN = re.compile(r"(\d{1,18})(?:\+(\d{1,18}(?:\.\d{1,18}){0,999}))?")


@dataclass(frozen=True)
class Cursor:
    """How far a reader has come: every event up to `low` is behind it, and besides those in `seen`."""

    low: int
    seen: frozenset[int] = frozenset()

    def __contains__(self, event_id: int) -> bool:
        return event_id <= self.low or event_id in self.seen

    @property
    def top(self) -> int:
        """The highest id that is behind it."""
        return max((self.low, *self.seen))

    def past(self, ids: Iterable[int]) -> "Cursor":
        """The same after these events too."""
        seen, low = self.seen.union(ids), self.low
        while low + 1 in seen:
            low += 1
        return self._kept(low, seen)

    def from_low(self, low: int) -> "Cursor":
        """The same where nothing more will become visible up to `low`."""
        return self if low <= self.low else self._kept(low, self.seen).past(())

    @staticmethod
    def _kept(low: int, seen: frozenset[int]) -> "Cursor":
        return Cursor(low, frozenset(each for each in seen if each > low))

    def __str__(self) -> str:
        seen = ".".join(map(str, sorted(self.seen)))
        return f"{self.low}+{seen}" if seen else str(self.low)

    @classmethod
    def read(cls, written: str) -> "Cursor | None":
        """The cursor that was written like this; None where that is none."""
        match = _WRITTEN.fullmatch(written)
        if match is None:
            return None
        return cls(int(match[1])).past(map(int, match[2].split(".")) if match[2] else ())


class Feed:
    """What is new after a cursor; for one reader at a time."""

    def __init__(self, db: Database, cursor: Cursor) -> None:
        self._db = db
        self.cursor = cursor
        self._top = cursor.top
        # Up to that id all is settled once every transaction before that number has ended.
        self._mark: tuple[int, int] | None = None

    def news(self) -> Sequence[EventView]:
        """The events that became visible since the last call, several hundred at most; perhaps none."""
        oldest, next_one = self._transactions()
        found = _after(self._db, self.cursor)
        self.cursor = self.cursor.past(event.id for event in found)
        if len(found) < _BATCH:
            self._settle(oldest, next_one)
        self._top = max((self._top, *(event.id for event in found)))
        return found

    def _transactions(self) -> tuple[int, int]:
        """The oldest one going on and the number of the next; asked for only where something may be missing."""
        if self.cursor.seen and not self._db.is_sqlite:
            return _snapshot(self._db)
        return 0, 0

    def _settle(self, oldest: int, next_one: int) -> None:
        """What is missing never comes where whoever might have written it had ended before this look."""
        if self._db.is_sqlite:
            # One writer at a time: all below what is visible was written before.
            self.cursor = self.cursor.from_low(max(self.cursor.seen, default=0))
        elif self._mark is not None and oldest >= self._mark[1]:
            self.cursor = self.cursor.from_low(self._mark[0])
            self._mark = None
        elif self._mark is None and next_one:
            self._mark = (self._top, next_one)


def feed_from_now(db: Database) -> Feed:
    """A feed of what is not visible yet at this moment."""
    return Feed(db, _newest(db))


@steady
def _newest(db: Database) -> Cursor:
    with db.reading() as tx:
        ids = [row.id for row in tx.execute(_NEWEST_IDS)]
    if db.is_sqlite or not ids:
        return Cursor(max(ids, default=0))
    return Cursor(ids[-1] - 1 if len(ids) == _IN_FLIGHT else 0).past(ids)


@steady
def _after(db: Database, cursor: Cursor) -> list[EventView]:
    with db.reading() as tx:
        rows = tx.execute(_AFTER, {"low": cursor.low, "seen": list(cursor.seen)})
        return [event_of(row._mapping) for row in rows]


@steady
def _snapshot(db: Database) -> tuple[int, int]:
    """The oldest transaction that is still going on, and the number of the next one to begin."""
    with db.reading() as tx:
        row = tx.execute(_SNAPSHOT).one()
    return int(row.oldest), int(row.next_one)


# Made once: to build such a statement takes longer than to run it.
_NEWEST_IDS = select(events.c.id).order_by(events.c.id.desc()).limit(_IN_FLIGHT)
_AFTER = (
    events_query()
    .where(
        events.c.id > bindparam("low"),
        events.c.id.not_in(bindparam("seen", expanding=True)),
    )
    .order_by(events.c.id)
    .limit(_BATCH)
)
_SNAPSHOT = select(
    func.pg_snapshot_xmin(text("pg_current_snapshot()")).label("oldest"),
    func.pg_snapshot_xmax(text("pg_current_snapshot()")).label("next_one"),
)
