"""The ledger's events as they become visible: each once, and those of one request in order of seq.

Ids are drawn before a transaction commits, so on Postgres an event may become visible after others with higher
ids. A reader that kept only the highest id would miss it. So the missing ids below it are queried again, until
every transaction that may have drawn one of them has ended.

Which these are, transaction numbers do not say: an id may be drawn before its transaction has a number, and one
that has a number may never draw an id. But who draws an id holds a lock on the sequence of the ids until the
transaction ends, and by then what it wrote is visible.

An event as text. Pure.

An operator may have written anything into the table: a value of an unexpected type is shown as it is.
"""

import re
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from resources.ledger.queries.status import EventView, event_of, events_query
from resources.ledger.schema.tables import events, requests

_BATCH = 500
# A reader that begins waits for so long for the transactions that are open; they rarely last longer.
_LOOKS_AT_START = 5
_LOOK_SECONDS = 0.02
# Else it looks so far back for what they may have drawn. One transaction may submit a batch of orders, and
# other transactions' ids lie between its ids.
_LOOKBACK_IDS = 100_000
_MAX_GAPS = 1_000
LONGEST_CURSOR = 4000
"""Characters of a written cursor, at most: so long a header passes every proxy."""
_WRITTEN = re.compile(r"(\d{1,18})(?:!(\d{1,18}-\d{1,18}(?:\.\d{1,18}-\d{1,18})*))?")
_PREPARED = "-1/"
"""How the name of a prepared transaction begins once the server has restarted; before, it keeps its name."""
Gap = tuple[int, int]
"""The first and the last of consecutive ids."""


@dataclass(frozen=True)
class Cursor:
    """A reader's position: it has read every event up to `top` except those in the `gaps`."""

    top: int
    gaps: tuple[Gap, ...] = ()

    def __contains__(self, event_id: int) -> bool:
        if event_id > self.top:
            return False
        before = self._gaps_begun(event_id)
        return not before or event_id > self.gaps[before - 1][1]

    def _gaps_begun(self, event_id: int) -> int:
        """Return how many gaps begin up to this id."""
        return bisect_right(self.gaps, event_id, key=itemgetter(0))

    def past(self, ids: Iterable[int]) -> "Cursor":
        """The cursor after these events."""
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
        at = self._gaps_begun(event_id) - 1
        first, last = self.gaps[at]
        parts = ((first, event_id - 1), (event_id + 1, last))
        left = (part for part in parts if part[0] <= part[1])
        return Cursor(self.top, (*self.gaps[:at], *left, *self.gaps[at + 1 :]))

    def without_gaps_below(self, up_to: int) -> "Cursor":
        """The cursor without gaps up to this id, where no event will become visible any more."""
        left = ((max(first, up_to + 1), last) for first, last in self.gaps)
        return Cursor(self.top, tuple((first, last) for first, last in left if first <= last))

    def up_to(self, event_id: int) -> "Cursor":
        """The cursor that contains of this one's events those up to this id."""
        gaps = ((first, min(last, event_id)) for first, last in self.gaps if first <= event_id)
        return Cursor(min(self.top, event_id), tuple(gaps))

    def joined(self, other: "Cursor") -> "Cursor":
        """The cursor that contains what either of them contains."""
        top = max(self.top, other.top)
        return Cursor(top, tuple(_in_both(self.missing(top), other.missing(top))))

    def missing(self, top: int) -> tuple[Gap, ...]:
        """What it does not contain of the ids up to `top` and up to its own, in order."""
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
        """The cursor in a text from `str`; None where the text is not one."""
        match = _WRITTEN.fullmatch(written)
        if match is None or not written.isascii():
            return None
        top, bounds = int(match[1]), [int(number) for number in re.findall(r"\d+", match[2] or "")]
        if bounds != sorted(bounds) or any(bound >= top for bound in bounds):
            return None
        return cls(top, tuple(zip(bounds[::2], bounds[1::2], strict=True)))


def _in_both(one: Sequence[Gap], other: Sequence[Gap]) -> Iterator[Gap]:
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

    def new_events(self) -> Sequence[EventView]:
        """The events that became visible since the last call, several hundred at most; possibly none."""
        before = self.cursor
        drawers, found = _after(self._db, before)
        self.cursor = before.past(event.id for event in found)
        if self._db.is_sqlite:
            # SQLite has one writer at a time: events become visible in the order of their ids.
            self.cursor = Cursor(self.cursor.top)
        elif len(found) < _BATCH:
            self._close_gaps(before.top, drawers)
        return found

    def _close_gaps(self, top: int, drawers: frozenset[str]) -> None:
        """Close the gaps that no open transaction can fill.

        The ids up to `top` were drawn before `drawers` were asked for, and the events were read after that. So
        of a transaction that is not among them, everything has been read.
        """
        self._drawers = still_open(self._drawers, drawers)
        if not self._drawers:
            self.cursor = self.cursor.without_gaps_below(self._closing_up_to if drawers else top)
            self._closing_up_to, self._drawers = top, drawers


@retry_transient
def feed_from_now(db: Database) -> Feed:
    """A feed of the events that become visible after this call."""
    with db.reading() as tx:
        top = tx.execute(_TOP).scalar() or 0
        if db.is_sqlite or not _outlasting(tx):
            return Feed(db, Cursor(top))
        rows = tx.execute(_GAPS, {"top": top, "from_id": max(top - _LOOKBACK_IDS, 1)}).all()
    gaps = sorted((row.before + 1, row.id - 1) for row in rows)
    return Feed(db, Cursor(top, tuple(gaps)))


@retry_transient
def cursor_from_now(db: Database, known: Cursor) -> Cursor:
    """Return the position after every event that is visible now, given one that is a little behind."""
    feed = Feed(db, known)
    while len(feed.new_events()) == _BATCH:
        pass
    return feed.cursor


@retry_transient
def newest_event_id(db: Database) -> int:
    """Return the highest id of an event; 0 where there is none."""
    with db.reading() as tx:
        return int(tx.execute(_TOP).scalar() or 0)


def _outlasting(tx: Connection) -> frozenset[str]:
    """Return which of the transactions that may have drawn ids by now are still open after a moment."""
    drawers = _open_drawers(tx)
    for _ in range(_LOOKS_AT_START):
        if not drawers:
            break
        time.sleep(_LOOK_SECONDS)
        drawers = still_open(drawers, _open_drawers(tx))
    return drawers


def still_open(were: frozenset[str], are: frozenset[str]) -> frozenset[str]:
    """Return which of the transactions may be open still: a prepared one may be any of them."""
    return frozenset(each for each in are if each in were or each.startswith(_PREPARED))


def _open_drawers(tx: Connection) -> frozenset[str]:
    """Return the open transactions that may have drawn ids of events."""
    return frozenset(tx.execute(_DRAWERS).scalars())


@retry_transient
def _after(db: Database, cursor: Cursor) -> tuple[frozenset[str], list[EventView]]:
    """Return the transactions that may fill a gap, as they were before the events were read, and the events."""
    named: dict[str, Any] = {"top": cursor.top}
    if cursor.gaps:
        firsts, lasts = zip(*cursor.gaps, strict=True)
        named |= {"firsts": list(firsts), "lasts": list(lasts)}
    with db.reading() as tx:
        # In this order: the end of a transaction that is seen here is before its events are looked for.
        drawers = _open_drawers(tx) if cursor.gaps else frozenset()
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
_AFTER = events_query().where(events.c.id > bindparam("top")).order_by(events.c.id).limit(_BATCH)
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
    events_query().where(events.c.id.in_(select(_NEW_IDS.c.id))).order_by(events.c.id).limit(_BATCH)
)
# Other databases of the server may have the same numbers for their tables: one made as a copy does.
_DRAWERS = text(
    "SELECT virtualtransaction FROM pg_locks WHERE mode = 'RowExclusiveLock' "
    "AND relation = pg_get_serial_sequence('events', 'id')::regclass "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


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


_MARKUP = re.compile(r"[\\`*_{}\[\]<>()#!|~&]")
_DETAILS = ("stage", "provider", "external_id", "message")


def describe_event(event: EventView) -> str:
    """The event as one line of history, whatever its data."""
    transition = (
        "" if event.before == event.after else f": {event.before or 'nothing'} → {event.after}"
    )
    details = details_of(event.data)
    return one_line(f"{event.type}{transition}" + (f" ({', '.join(details)})" if details else ""))


def details_of(data: Mapping[str, Any]) -> list[str]:
    """What these data say of an event, each in a few words."""
    details = [str(data[name]) for name in _DETAILS if data.get(name) is not None]
    changed = data.get("changed")
    if isinstance(changed, Mapping):
        details += [f"{name} = {value}" for name, value in changed.items()]
    if data.get("choice") is not None:
        details.append(f"choice {data['choice']}")
    if data.get("moment") is not None:
        details.append(f"at {data['moment']} s")
    if data.get("by") is not None:
        details.append(f"by {data['by']}")
    if data.get("cost"):
        details.append(f"{_usd(data['cost'])} USD")
    if "attempt" in data:
        details.append(f"attempt {data['attempt']}")
    return details


def one_line(text: str) -> str:
    """The text without line breaks. JSON can hold a lone surrogate, UTF-8 cannot."""
    return " ".join(text.split()).encode(errors="replace").decode()


def as_markdown(text: str) -> str:
    """Markdown that renders as this line: a vendor's text must not become an image, a link or a tag."""
    return _MARKUP.sub(r"\\\g<0>", text)


def _usd(micro: Any) -> str:
    try:
        return f"{micro / 1_000_000:.4f}"
    except (TypeError, ArithmeticError):
        return str(micro)


@retry_transient
def unmirrored_events(db: Database, limit: int) -> Sequence[EventView]:
    """The oldest events that are not yet in the Dagster event log."""
    query = events_query().where(~events.c.mirrored).order_by(events.c.id).limit(limit)
    with db.reading() as tx:
        return [event_of(row._mapping) for row in tx.execute(query)]
