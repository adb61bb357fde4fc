"""The ledger's events as they become visible: each once, and those of one request in order of seq.

Ids are assigned before a transaction commits, so on Postgres an event may become visible after others with higher
ids. A reader that kept only the highest id would miss it. So the missing ids below it are queried again, until
every transaction that may hold one of them has ended.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ARRAY, BigInteger, bindparam, column, func, select, text, union_all

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.reads import EventView, event_of, events_query
from resources.ledger.schema.tables import events

_BATCH = 500
# One transaction may submit a batch of orders, and other transactions' ids lie between its ids.
_LOOKBACK_IDS = 20_000
_MAX_GAPS = 500
_MAX_WRITTEN_GAPS = 64
_WRITTEN = re.compile(r"(\d{1,18})(?:!(\d{1,18}-\d{1,18}(?:\.\d{1,18}-\d{1,18}){0,63}))?")
Gap = tuple[int, int]
"""The first and the last of consecutive ids."""


@dataclass(frozen=True)
class Cursor:
    """A reader's position: it has read every event up to `top` except those in the `gaps`."""

    top: int
    gaps: tuple[Gap, ...] = ()

    def __contains__(self, event_id: int) -> bool:
        in_gap = any(first <= event_id <= last for first, last in self.gaps)
        return event_id <= self.top and not in_gap

    def past(self, ids: Iterable[int]) -> "Cursor":
        """The cursor after these events."""
        top, gaps = self.top, list(self.gaps)
        for each in sorted(ids):
            if each > top:
                gaps += [(top + 1, each - 1)] if each > top + 1 else []
                top = each
            else:
                gaps = [part for gap in gaps for part in _without(gap, each)]
        return Cursor(top, tuple(gaps))

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
        both = (
            (max(first, begin), min(last, end))
            for first, last in self.missing(top)
            for begin, end in other.missing(top)
        )
        return Cursor(top, tuple(sorted(gap for gap in both if gap[0] <= gap[1])))

    def missing(self, top: int) -> tuple[Gap, ...]:
        """What it does not contain of the ids up to `top` and up to its own, in order."""
        return (*self.gaps, (self.top + 1, top)) if self.top < top else self.gaps

    @property
    def fits_header(self) -> bool:
        """Whether the cursor is short enough for an HTTP header."""
        return len(self.gaps) <= _MAX_WRITTEN_GAPS

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


def _without(gap: Gap, event_id: int) -> list[Gap]:
    first, last = gap
    if not first <= event_id <= last:
        return [gap]
    parts = [(first, event_id - 1), (event_id + 1, last)]
    return [part for part in parts if part[0] <= part[1]]


class Feed:
    """The events after a cursor; for one reader at a time."""

    def __init__(self, db: Database, cursor: Cursor) -> None:
        self._db = db
        self.cursor = cursor
        # The gaps up to the first number close once every transaction before the second one has ended.
        self._pending_close: tuple[int, int] | None = None

    def new_events(self) -> Sequence[EventView]:
        """The events that became visible since the last call, several hundred at most; possibly none."""
        before = self.cursor
        oldest, next_one = _snapshot(self._db) if before.gaps else (0, 0)
        found = _after(self._db, before)
        self.cursor = before.past(event.id for event in found)
        if self._db.is_sqlite:
            # SQLite has one writer at a time: events become visible in the order of their ids.
            self.cursor = Cursor(self.cursor.top)
        elif len(found) < _BATCH:
            self._close_gaps(before.top, oldest, next_one)
        return found

    def _close_gaps(self, top: int, oldest: int, next_one: int) -> None:
        """Close gaps whose transactions, if there were any, had ended before this query."""
        if self._pending_close is not None and oldest >= self._pending_close[1]:
            self.cursor = self.cursor.without_gaps_below(self._pending_close[0])
            self._pending_close = None
        elif self._pending_close is None and next_one:
            self._pending_close = (top, next_one)


@retry_transient
def feed_from_now(db: Database) -> Feed:
    """A feed of the events that become visible after this call."""
    with db.reading() as tx:
        top = tx.execute(_TOP).scalar() or 0
        if db.is_sqlite:
            return Feed(db, Cursor(top))
        rows = tx.execute(_GAPS, {"top": top, "from_id": max(top - _LOOKBACK_IDS, 1)}).all()
    gaps = sorted((row.before + 1, row.id - 1) for row in rows)
    return Feed(db, Cursor(top, tuple(gaps)))


@retry_transient
def _after(db: Database, cursor: Cursor) -> list[EventView]:
    named: dict[str, Any] = {"top": cursor.top}
    if cursor.gaps:
        firsts, lasts = zip(*cursor.gaps, strict=True)
        named |= {"firsts": list(firsts), "lasts": list(lasts)}
    with db.reading() as tx:
        rows = tx.execute(_AFTER_AND_MISSED if cursor.gaps else _AFTER, named)
        return [event_of(row._mapping) for row in rows]


@retry_transient
def _snapshot(db: Database) -> tuple[int, int]:
    """The oldest running transaction, and the number of the next one to begin."""
    with db.reading() as tx:
        row = tx.execute(_SNAPSHOT).one()
    return int(row.oldest), int(row.next_one)


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
_SNAPSHOT = select(
    func.pg_snapshot_xmin(text("pg_current_snapshot()")).label("oldest"),
    func.pg_snapshot_xmax(text("pg_current_snapshot()")).label("next_one"),
)
