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
from resources.ledger.queries.status import EventView, build_events_query, make_event_view
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
    """A reader's position: it has read every event up to the id `top`, except those in the `gaps`."""

    top: int
    gaps: tuple[Gap, ...] = ()

    def __contains__(self, event_id: int) -> bool:
        if event_id > self.top:
            return False
        before = self._count_gaps_begun(event_id)
        return not before or event_id > self.gaps[before - 1][1]

    def _count_gaps_begun(self, event_id: int) -> int:
        """Count the gaps whose first id is at most this id."""
        return bisect_right(self.gaps, event_id, key=itemgetter(0))

    def past(self, ids: Iterable[int]) -> "Cursor":
        """Return a copy of the cursor that also counts these event ids as read."""
        cursor = self
        for each in sorted(ids):
            cursor = cursor._past(each)
        return cursor

    def _past(self, event_id: int) -> "Cursor":
        """Return a copy of the cursor that also counts this event as read; ids skipped by it become a gap."""
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
        """Return a copy without gaps up to and including this id, where no event can become visible any more."""
        left = ((max(first, up_to + 1), last) for first, last in self.gaps)
        return Cursor(self.top, tuple((first, last) for first, last in left if first <= last))

    def up_to(self, event_id: int) -> "Cursor":
        """Return a copy that counts only the events up to this id as read."""
        gaps = ((first, min(last, event_id)) for first, last in self.gaps if first <= event_id)
        return Cursor(min(self.top, event_id), tuple(gaps))

    def joined(self, other: "Cursor") -> "Cursor":
        """Return a cursor that counts as read every event that either of the two has read."""
        top = max(self.top, other.top)
        return Cursor(top, tuple(_intersect_gaps(self.missing(top), other.missing(top))))

    def missing(self, top: int) -> tuple[Gap, ...]:
        """Return the ranges of unread ids in ascending order, up to `top` or the highest id of the cursor."""
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
        """Parse a cursor written by `str`; return None if the text is malformed."""
        match = _WRITTEN.fullmatch(written)
        if match is None or not written.isascii():
            return None
        top, bounds = int(match[1]), [int(number) for number in re.findall(r"\d+", match[2] or "")]
        if bounds != sorted(bounds) or any(bound >= top for bound in bounds):
            return None
        return cls(top, tuple(zip(bounds[::2], bounds[1::2], strict=True)))


def _intersect_gaps(one: Sequence[Gap], other: Sequence[Gap]) -> Iterator[Gap]:
    """Yield the ranges of ids that lie in both sequences of gaps, in ascending order."""
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
    """The events after a cursor, as they become visible.

    For one reader at a time. `cursor` is the present position.
    """

    def __init__(self, db: Database, cursor: Cursor) -> None:
        self._db = db
        self.cursor = cursor
        # The gaps up to this id close once these transactions, which may have drawn ids of them, have ended.
        self._closing_up_to = 0
        self._drawers: frozenset[str] = frozenset()

    def list_new_events(self) -> Sequence[EventView]:
        """Return events that became visible since the last call, at most 500; empty if there are none."""
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
        self._drawers = filter_still_open(self._drawers, drawers)
        if not self._drawers:
            self.cursor = self.cursor.without_gaps_below(self._closing_up_to if drawers else top)
            self._closing_up_to, self._drawers = top, drawers


@retry_transient
def open_feed_from_now(db: Database) -> Feed:
    """Make a feed of the events that become visible after this call.

    On Postgres it waits up to 0.1 s for open transactions to end.
    """
    with db.reading() as tx:
        top = tx.execute(_TOP).scalar() or 0
        if db.is_sqlite or not _wait_for_drawers(tx):
            return Feed(db, Cursor(top))
        rows = tx.execute(_GAPS, {"top": top, "from_id": max(top - _LOOKBACK_IDS, 1)}).all()
    gaps = sorted((row.before + 1, row.id - 1) for row in rows)
    return Feed(db, Cursor(top, tuple(gaps)))


@retry_transient
def find_cursor_from_now(db: Database, known: Cursor) -> Cursor:
    """Advance the cursor past every event that is visible now, and return it.

    `known` should be only a little behind.
    """
    feed = Feed(db, known)
    while len(feed.list_new_events()) == _BATCH:
        pass
    return feed.cursor


def find_newest_event_id(db: Database) -> int:
    """Return the highest id of a visible event; 0 if there is none."""
    return int(db.fetch_value(_TOP) or 0)


def _wait_for_drawers(tx: Connection) -> frozenset[str]:
    """Wait up to 0.1 s for the transactions that may have drawn event ids; return those that are still open."""
    drawers = _read_open_drawers(tx)
    for _ in range(_LOOKS_AT_START):
        if not drawers:
            break
        time.sleep(_LOOK_SECONDS)
        drawers = filter_still_open(drawers, _read_open_drawers(tx))
    return drawers


def filter_still_open(were: frozenset[str], are: frozenset[str]) -> frozenset[str]:
    """Return the transactions of the later reading `are` that may also have been open at the earlier one, `were`.

    A prepared transaction counts always, because its name changes when the server restarts.
    """
    return frozenset(each for each in are if each in were or each.startswith(_PREPARED))


def _read_open_drawers(tx: Connection) -> frozenset[str]:
    """Read the names of the open transactions that may have drawn event ids."""
    return frozenset(tx.execute(_DRAWERS).scalars())


@retry_transient
def _read_after(db: Database, cursor: Cursor) -> tuple[frozenset[str], list[EventView]]:
    """Read up to 500 events that the cursor has not read, and the open transactions that may still fill its gaps.

    Without gaps the transactions are not read, and their set is empty.
    """
    named: dict[str, Any] = {"top": cursor.top}
    if cursor.gaps:
        firsts, lasts = zip(*cursor.gaps, strict=True)
        named |= {"firsts": list(firsts), "lasts": list(lasts)}
    with db.reading() as tx:
        # In this order: a transaction that has ended by now has its events in the query that follows.
        drawers = _read_open_drawers(tx) if cursor.gaps else frozenset()
        rows = tx.execute(_AFTER_AND_MISSED if cursor.gaps else _AFTER, named)
        return drawers, [make_event_view(row._mapping) for row in rows]


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
    """The events that `until` counts as read and `since` does not.

    With `owner`, only those of this owner's orders. For one reader at a time. All of them are visible or
    deleted already, so the reader finds each one, in order of id.
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
        """Return the next events, at most 500.

        The list may be empty before the end, which only `is_over` shows. Must not be called once `is_over` is
        true.
        """
        first = self._left[0][0]
        # Short gaps that lie near each other are read at once, with the ids between them.
        until = min(self._left[-1][1], first + _LOOKED_AT - 1)
        found = _read_between(self._db, first, until, self._owner)
        done = found[-1].id if len(found) == _BATCH else until
        left = ((max(begin, done + 1), last) for begin, last in self._left)
        self._left = [part for part in left if part[0] <= part[1]]
        return [event for event in found if event.id in self._until and event.id not in self._since]

    def find_cursor_at(self, event_id: int) -> Cursor:
        """Return the position of a reader that has read the events up to this id."""
        return self._since.joined(self._until.up_to(event_id))


def _read_between(db: Database, first: int, last: int, owner: str | None) -> list[EventView]:
    """Read up to 500 events with ids from `first` to `last`, of one owner's orders or, with None, of all."""
    query = _BETWEEN if owner is None else _OF_OWNER
    named = {"first": first, "last": last} | ({} if owner is None else {"owner": owner})
    return [make_event_view(row._mapping) for row in db.fetch_all(query, **named)]


_BETWEEN = (
    build_events_query()
    .where(events.c.id.between(bindparam("first"), bindparam("last")))
    .order_by(events.c.id)
    .limit(_BATCH)
)
# Not by the index on `owner`: for each query that would read all events of the owner's orders.
_OF_OWNER = _BETWEEN.where(func.coalesce(requests.c.owner, "") == bindparam("owner"))


def list_unmirrored_events(db: Database, limit: int) -> Sequence[EventView]:
    """List the oldest events that are not yet copied to the Dagster event log, at most `limit`."""
    query = build_events_query().where(~events.c.mirrored).order_by(events.c.id).limit(limit)
    return [make_event_view(row._mapping) for row in db.fetch_all(query)]
