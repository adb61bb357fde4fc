"""Read the ledger's events as they become visible, each once.

Events of one request come in order of seq. Ids are drawn before a transaction commits, so on Postgres an event may
become visible after others with higher ids. A reader that kept only the highest id would miss it. So the missing
ids below it are queried again, until every transaction that may have drawn one of them has ended.

Transaction numbers do not name these transactions: an id may be drawn before its transaction has a number. But a
transaction that draws an id holds a lock on the sequence of the ids until it ends. By then its rows are visible.
"""

import re
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Connection,
    bindparam,
    column,
    func,
    select,
    text,
    union_all,
)

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.status import EventView, build_events_query, event_of
from resources.ledger.schema.tables import events, requests

_BATCH = 500
# A new reader waits this long for the open transactions to end; they rarely last longer.
_LOOKS_AT_START = 5
_LOOK_SECONDS = 0.02
# Otherwise it searches this far back for ids that they may have drawn. One transaction may submit a batch of
# orders, and other transactions' ids lie between its ids.
_LOOKBACK_IDS = 100_000
_MAX_GAPS = 1_000
LONGEST_CURSOR = 4000
"""The most characters of a written cursor: every proxy passes a header of this length."""
_WRITTEN = re.compile(r"(\d{1,18})(?:!(\d{1,18}-\d{1,18}(?:\.\d{1,18}-\d{1,18})*))?")
_PREPARED = "-1/"
"""The prefix of a prepared transaction's name after a restart of the server; before, it keeps its name."""
Gap = tuple[int, int]
"""The first and the last of consecutive ids."""
_LOOKED_AT = 20_000
"""The most ids that one query scans: it skips other owners' events, but not a whole ledger at once."""


@dataclass(frozen=True)
class Cursor:
    """A reader's position: it has read every event up to `top` except those in the `gaps`."""

    top: int
    gaps: tuple[Gap, ...] = ()

    def __contains__(self, event_id: int) -> bool:
        if event_id > self.top:
            return False
        before = self._count_gaps_begun(event_id)
        return not before or event_id > self.gaps[before - 1][1]

    def _count_gaps_begun(self, event_id: int) -> int:
        """Count the gaps that begin up to this id."""
        return bisect_right(self.gaps, event_id, key=itemgetter(0))

    def past(self, ids: Iterable[int]) -> "Cursor":
        """Return the cursor that contains these events too."""
        cursor = self
        for each in sorted(ids):
            cursor = cursor._past(each)
        return cursor

    def _past(self, event_id: int) -> "Cursor":
        if event_id > self.top:
            skipped = ((self.top + 1, event_id - 1),) if event_id > self.top + 1 else ()
            return Cursor(event_id, (*self.gaps, *skipped))
        if event_id in self:
            return self
        at = self._count_gaps_begun(event_id) - 1
        first, last = self.gaps[at]
        parts = ((first, event_id - 1), (event_id + 1, last))
        left = (part for part in parts if part[0] <= part[1])
        return Cursor(self.top, (*self.gaps[:at], *left, *self.gaps[at + 1 :]))

    def without_gaps_below(self, up_to: int) -> "Cursor":
        """Return the cursor without gaps up to this id, where no event can become visible any more."""
        left = ((max(first, up_to + 1), last) for first, last in self.gaps)
        return Cursor(self.top, tuple((first, last) for first, last in left if first <= last))

    def up_to(self, event_id: int) -> "Cursor":
        """Return the cursor that contains only the events up to this id."""
        gaps = ((first, min(last, event_id)) for first, last in self.gaps if first <= event_id)
        return Cursor(min(self.top, event_id), tuple(gaps))

    def joined(self, other: "Cursor") -> "Cursor":
        """Return the cursor that contains the events of both."""
        top = max(self.top, other.top)
        return Cursor(top, tuple(_intersect(self.missing(top), other.missing(top))))

    def missing(self, top: int) -> tuple[Gap, ...]:
        """Return the gaps of ids that it does not contain, up to `top` and to its own top, in order."""
        return (*self.gaps, (self.top + 1, top)) if self.top < top else self.gaps

    @property
    def fits_header(self) -> bool:
        """Whether the cursor is short enough for an HTTP header."""
        return len(str(self)) <= LONGEST_CURSOR

    def __str__(self) -> str:
        gaps = ".".join(f"{first}-{last}" for first, last in self.gaps)
        return f"{self.top}!{gaps}" if gaps else str(self.top)

    @classmethod
    def read(cls, written: str) -> "Cursor | None":
        """Parse a cursor written by `str`; None where the text is malformed."""
        match = _WRITTEN.fullmatch(written)
        if match is None or not written.isascii():
            return None
        top, bounds = int(match[1]), [int(number) for number in re.findall(r"\d+", match[2] or "")]
        if bounds != sorted(bounds) or any(bound >= top for bound in bounds):
            return None
        return cls(top, tuple(zip(bounds[::2], bounds[1::2], strict=True)))


def _intersect(one: Sequence[Gap], other: Sequence[Gap]) -> Iterator[Gap]:
    """Yield the ids that lie in both, as gaps in order."""
    at, at_other = 0, 0
    while at < len(one) and at_other < len(other):
        first = max(one[at][0], other[at_other][0])
        last = min(one[at][1], other[at_other][1])
        if first <= last:
            yield first, last
        if one[at][1] < other[at_other][1]:
            at += 1
        else:
            at_other += 1


class Feed:
    """The events after a cursor; for one reader at a time."""

    def __init__(self, db: Database, cursor: Cursor) -> None:
        self._db = db
        self.cursor = cursor
        # The gaps up to this id close once these transactions, which may have drawn ids of them, have ended.
        self._closing_up_to = 0
        self._drawers: frozenset[str] = frozenset()

    def list_new_events(self) -> Sequence[EventView]:
        """Return the events that became visible since the last call, several hundred at most."""
        before = self.cursor
        drawers, found = _read_after(self._db, before)
        self.cursor = before.past(event.id for event in found)
        if self._db.is_sqlite:
            # SQLite has one writer at a time: events become visible in the order of their ids.
            self.cursor = Cursor(self.cursor.top)
        elif len(found) < _BATCH:
            self._close_gaps(before.top, drawers)
        return found

    def _close_gaps(self, top: int, drawers: frozenset[str]) -> None:
        """Close the gaps that no open transaction can fill.

        The ids up to `top` were drawn before `drawers` were queried, and the events were read after that. So all
        events of a transaction that is not among them have been read.
        """
        self._drawers = is_still_open(self._drawers, drawers)
        if not self._drawers:
            self.cursor = self.cursor.without_gaps_below(self._closing_up_to if drawers else top)
            self._closing_up_to, self._drawers = top, drawers


@retry_transient
def open_feed_from_now(db: Database) -> Feed:
    """Make a feed of the events that become visible after this call."""
    with db.reading() as tx:
        top = tx.execute(_TOP).scalar() or 0
        if db.is_sqlite or not _wait_for_drawers(tx):
            return Feed(db, Cursor(top))
        rows = tx.execute(_GAPS, {"top": top, "from_id": max(top - _LOOKBACK_IDS, 1)}).all()
    gaps = sorted((row.before + 1, row.id - 1) for row in rows)
    return Feed(db, Cursor(top, tuple(gaps)))


@retry_transient
def find_cursor_from_now(db: Database, known: Cursor) -> Cursor:
    """Advance a cursor that is a little behind past every event that is visible now."""
    feed = Feed(db, known)
    while len(feed.list_new_events()) == _BATCH:
        pass
    return feed.cursor


def find_newest_event_id(db: Database) -> int:
    """Return the highest id of an event; 0 where there is none."""
    return int(db.fetch_value(_TOP) or 0)


def _wait_for_drawers(tx: Connection) -> frozenset[str]:
    """Wait a moment, and return the transactions that may have drawn ids and are still open."""
    drawers = _read_open_drawers(tx)
    for _ in range(_LOOKS_AT_START):
        if not drawers:
            break
        time.sleep(_LOOK_SECONDS)
        drawers = is_still_open(drawers, _read_open_drawers(tx))
    return drawers


def is_still_open(were: frozenset[str], are: frozenset[str]) -> frozenset[str]:
    """Return the transactions that may still be open: a prepared one may be any of them."""
    return frozenset(each for each in are if each in were or each.startswith(_PREPARED))


def _read_open_drawers(tx: Connection) -> frozenset[str]:
    """Return the open transactions that may have drawn ids of events."""
    return frozenset(tx.execute(_DRAWERS).scalars())


@retry_transient
def _read_after(db: Database, cursor: Cursor) -> tuple[frozenset[str], list[EventView]]:
    """Read the transactions that may fill a gap, and then the events."""
    named: dict[str, Any] = {"top": cursor.top}
    if cursor.gaps:
        firsts, lasts = zip(*cursor.gaps, strict=True)
        named |= {"firsts": list(firsts), "lasts": list(lasts)}
    with db.reading() as tx:
        # In this order: a transaction that has ended by now has its events in the query that follows.
        drawers = _read_open_drawers(tx) if cursor.gaps else frozenset()
        rows = tx.execute(_AFTER_AND_MISSED if cursor.gaps else _AFTER, named)
        return drawers, [event_of(row._mapping) for row in rows]


_TOP = select(func.max(events.c.id))
_NEIGHBOURS = (
    select(
        events.c.id,
        func.coalesce(
            func.lag(events.c.id).over(order_by=events.c.id), bindparam("from_id") - 1
        ).label("before"),
    )
    .where(events.c.id >= bindparam("from_id"), events.c.id <= bindparam("top"))
    .subquery()
)
_GAPS = (
    select(_NEIGHBOURS)
    .where(_NEIGHBOURS.c.id > _NEIGHBOURS.c.before + 1)
    .order_by(_NEIGHBOURS.c.id.desc())
    .limit(_MAX_GAPS)
)
_AFTER = (
    build_events_query().where(events.c.id > bindparam("top")).order_by(events.c.id).limit(_BATCH)
)
_RANGES = (
    func.unnest(
        bindparam("firsts", type_=ARRAY(BigInteger)), bindparam("lasts", type_=ARRAY(BigInteger))
    )
    .table_valued(column("first", BigInteger), column("last", BigInteger))
    .render_derived()
)
_MISSED_IDS = select(events.c.id).join_from(
    _RANGES, events, events.c.id.between(_RANGES.c.first, _RANGES.c.last)
)
_NEW_IDS = union_all(
    _MISSED_IDS, select(events.c.id).where(events.c.id > bindparam("top"))
).subquery()
_AFTER_AND_MISSED = (
    build_events_query()
    .where(events.c.id.in_(select(_NEW_IDS.c.id)))
    .order_by(events.c.id)
    .limit(_BATCH)
)
# Other databases of the server may have the same numbers for their tables: one made as a copy does.
_DRAWERS = text(
    "SELECT virtualtransaction FROM pg_locks WHERE mode = 'RowExclusiveLock' "
    "AND relation = pg_get_serial_sequence('events', 'id')::regclass "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


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
        """Whether all events were returned."""
        return not self._left

    def list_next_events(self) -> Sequence[EventView]:
        """Return the next events, several hundred at most; possibly none before the end."""
        first = self._left[0][0]
        # Short gaps that lie near each other are read at once, with the ids between them.
        until = min(self._left[-1][1], first + _LOOKED_AT - 1)
        found = _read_between(self._db, first, until, self._owner)
        done = found[-1].id if len(found) == _BATCH else until
        left = ((max(begin, done + 1), last) for begin, last in self._left)
        self._left = [part for part in left if part[0] <= part[1]]
        return [event for event in found if event.id in self._until and event.id not in self._since]

    def find_cursor_at(self, event_id: int) -> Cursor:
        """Return the reader's position after the events up to this one."""
        return self._since.joined(self._until.up_to(event_id))


def _read_between(db: Database, first: int, last: int, owner: str | None) -> list[EventView]:
    query = _BETWEEN if owner is None else _OF_OWNER
    named = {"first": first, "last": last} | ({} if owner is None else {"owner": owner})
    return [event_of(row._mapping) for row in db.fetch_all(query, **named)]


_BETWEEN = (
    build_events_query()
    .where(events.c.id.between(bindparam("first"), bindparam("last")))
    .order_by(events.c.id)
    .limit(_BATCH)
)
# Not by the index on `owner`: for each query that would read all events of the owner's orders.
_OF_OWNER = _BETWEEN.where(func.coalesce(requests.c.owner, "") == bindparam("owner"))


def list_unmirrored_events(db: Database, limit: int) -> Sequence[EventView]:
    """List the oldest events that are not yet in the Dagster event log."""
    query = build_events_query().where(~events.c.mirrored).order_by(events.c.id).limit(limit)
    return [event_of(row._mapping) for row in db.fetch_all(query)]
