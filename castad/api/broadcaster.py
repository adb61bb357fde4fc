"""One reader of the ledger's events for all streams of this process, and what each has still to send."""

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass

from castad.views.events import (
    ChangedOrders,
    EventLine,
    LiveProgress,
    ProgressReader,
    render_events,
)
from resources.ledger.db.database import Database
from resources.ledger.db.notifications import watch_changes
from resources.ledger.queries.feed import Cursor, Feed, open_feed_from_now
from resources.process.configure_logging import LOG_FIELDS

_MAX_BACKLOG = 1000
"""A subscription with more unread events is dropped; its client may reconnect and continue."""
_MAX_UNREAD_ORDERS = 100
"""So is one with more unread frames of changed orders."""


@dataclass(frozen=True)
class EventBatch:
    """Events in order, the cursor of all events after them, and the progress of orders where it is news.

    `orders` are frames with orders as they are after these or earlier events.
    """

    lines: Sequence[EventLine]
    cursor: Cursor
    progress: Sequence[LiveProgress] = ()
    orders: Sequence[bytes] = ()


class Subscription:
    """The unread events of one stream; not thread-safe, used in the event loop only.

    `order_id` is the order whose stream it is, None for all orders; with `owner` they are that owner's only.
    `start_cursor` is the broadcaster's cursor when it subscribed. `wants_orders` is whether changed orders are
    pushed too.
    """

    def __init__(
        self,
        order_id: int | None,
        start_cursor: Cursor,
        *,
        owner: str | None = None,
        wants_orders: bool = False,
    ) -> None:
        self.order_id = order_id
        self.owner = owner
        self.wants_orders = wants_orders
        self._orders: list[bytes] = []
        self._progress: dict[int, LiveProgress] = {}
        self._unread_progress: dict[int, LiveProgress] = {}
        self._backlog: deque[EventLine] = deque()
        self._has_events = asyncio.Event()
        self._cursor = start_cursor
        self.start_cursor = start_cursor
        self.is_dropped = False

    def push(self, batch: EventBatch) -> None:
        """Add the wanted events to the backlog; drop the subscription if too many are unread."""
        self._cursor = batch.cursor
        wanted = [line for line in batch.lines if self._wants(line.request_id, line.owner)]
        if len(self._backlog) + len(wanted) > _MAX_BACKLOG:
            self._backlog.clear()
            self.is_dropped = True
        elif not self.is_dropped:
            self._backlog.extend(wanted)
        for line in wanted:  # progress is older than these events
            self._progress.pop(line.request_id, None)
            self._unread_progress.pop(line.request_id, None)
        if wanted:
            self._has_events.set()

    def _wants(self, request_id: int, owner: str | None) -> bool:
        return self.order_id in (None, request_id) and self.owner in (None, owner)

    def push_progress(self, found: Mapping[int, LiveProgress]) -> None:
        """Keep the wanted progress as unread, unless it is the same as before."""
        if self.order_id is not None:
            found = {self.order_id: found[self.order_id]} if self.order_id in found else {}
        for request_id, progress in found.items():
            known = self._progress.get(request_id)
            is_news = known is None or not known.is_same(progress)
            if is_news and self._wants(request_id, progress.owner):
                self._progress[request_id] = self._unread_progress[request_id] = progress
        if self._unread_progress:
            self._has_events.set()

    def push_orders(self, frame: bytes) -> None:
        """Keep the frame as unread; drop the subscription if too many are unread."""
        self._orders.append(frame)
        self.is_dropped |= len(self._orders) > _MAX_UNREAD_ORDERS
        self._has_events.set()

    async def wait_for_batch(self, seconds: float) -> EventBatch:
        """Wait until something is unread and return all of it; an empty batch after so many seconds."""
        is_empty = not (self._backlog or self._orders or self._unread_progress)
        if is_empty and not self.is_dropped:
            self._has_events.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._has_events.wait()
        progress = list(self._unread_progress.values())
        batch = EventBatch(list(self._backlog), self._cursor, progress, self._orders)
        self._backlog.clear()
        self._unread_progress.clear()
        self._orders = []
        return batch


# A NOTIFY for every event would serialize all commits (`resources/ledger/schema/triggers.py`); polling
# the end of a primary key costs less, and only while there are subscriptions.
_POLL_INTERVAL = 0.02
_IDLE_SECONDS = 1.0
_RETRY_SECONDS = 1.0
_PROGRESS_SECONDS = 0.5
_ORDERS_SECONDS = 0.2

_log = logging.getLogger("castad.api")


class Broadcaster:
    """Reads the ledger's feed in its own thread, which starts with the first subscription."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._subscriptions: set[Subscription] = set()
        self._followed: frozenset[int] | None = frozenset()
        self._progress = ProgressReader(db)
        self._progress_due = 0.0
        self._changed = ChangedOrders(db)
        self._are_orders_wanted = False
        self._orders_due = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready = asyncio.Event()
        self._awake = threading.Event()
        self._is_over = False
        self._cursor = Cursor(0)

    @property
    def listeners(self) -> int:
        """The number of subscriptions."""
        return len(self._subscriptions)

    @asynccontextmanager
    async def subscribe(
        self,
        order_id: int | None = None,
        *,
        owner: str | None = None,
        wants_orders: bool = False,
    ) -> AsyncIterator[Subscription]:
        """Push every event that becomes visible while the block runs, perhaps after earlier ones.

        Progress comes between them, at most twice a second. `order_id` and `owner` limit both to that order or
        owner. With `wants_orders`, changed orders are pushed after their events, at most five times a second.
        """
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            threading.Thread(target=self._read, name="castad-broadcaster", daemon=True).start()
        await self._ready.wait()
        subscription = Subscription(order_id, self._cursor, owner=owner, wants_orders=wants_orders)
        self._subscriptions.add(subscription)
        self._update_followed()
        self._awake.set()
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)
            self._update_followed()

    def _update_followed(self) -> None:
        """Collect the orders whose progress is wanted, None for all, as a new set: another thread reads it."""
        self._are_orders_wanted = any(each.wants_orders for each in self._subscriptions)
        ids = {subscription.order_id for subscription in self._subscriptions}
        named = frozenset(number for number in ids if number is not None)
        self._followed = None if None in ids else named

    def stop(self) -> None:
        """Stop the reading thread."""
        self._is_over = True
        self._awake.set()

    def _read(self) -> None:
        feed: Feed | None = None
        while not self._is_over:
            try:
                if feed is None:
                    feed = open_feed_from_now(self._db)
                    self._call_in_loop(self._set_start_cursor, feed.cursor)
                self._read_events(feed)
            except Exception as error:  # noqa: BLE001 - any error: streams must not fall silent for good
                _log.warning(
                    "event feed not readable, retrying in %g s",
                    _RETRY_SECONDS,
                    extra={LOG_FIELDS: {"error": type(error).__name__}},
                )
                time.sleep(_RETRY_SECONDS)

    def _set_start_cursor(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._ready.set()

    def _read_events(self, feed: Feed) -> None:
        with watch_changes(self._db) if self._db.is_sqlite else nullcontext() as watch:
            while not self._is_over:
                before = feed.cursor
                found = feed.list_new_events()
                # The feed has moved on: what is not noted now is lost when anything below raises.
                self._changed.add(event.request_id for event in found)
                if feed.cursor != before:
                    self._call_in_loop(
                        self._broadcast, EventBatch(render_events(found, before), feed.cursor)
                    )
                self._read_progress()
                self._read_orders()
                if found:
                    continue
                if not self._subscriptions:
                    # Wait at most a second: the feed must not fall behind.
                    self._awake.wait(_IDLE_SECONDS)
                    self._awake.clear()
                elif watch is not None:
                    watch.wait(self._longest_wait)
                else:
                    time.sleep(_POLL_INTERVAL)

    @property
    def _longest_wait(self) -> float:
        if self._changed:
            return _ORDERS_SECONDS
        return _PROGRESS_SECONDS if self._is_progress_wanted else _IDLE_SECONDS

    def _read_orders(self) -> None:
        """Read changed orders once for all subscriptions and push them, if one wants them."""
        if not self._are_orders_wanted:
            self._changed.clear()
            return
        if self._changed and time.monotonic() >= self._orders_due:
            self._orders_due = time.monotonic() + _ORDERS_SECONDS
            self._call_in_loop(self._push_orders, self._changed.take_frame())

    def _push_orders(self, frame: bytes) -> None:
        for subscription in self._subscriptions:
            if subscription.wants_orders:
                subscription.push_orders(frame)

    @property
    def _is_progress_wanted(self) -> bool:
        return self._followed is None or bool(self._followed)

    def _read_progress(self) -> None:
        """Push the progress of the followed orders, at most twice a second."""
        if self._is_progress_wanted and time.monotonic() >= self._progress_due:
            self._progress_due = time.monotonic() + _PROGRESS_SECONDS
            self._call_in_loop(self._push_progress, self._progress.read(self._followed))

    def _push_progress(self, found: Mapping[int, LiveProgress]) -> None:
        for subscription in self._subscriptions:
            subscription.push_progress(found)

    def _broadcast(self, batch: EventBatch) -> None:
        self._cursor = batch.cursor
        for subscription in self._subscriptions:
            subscription.push(batch)

    def _call_in_loop(self, work: Callable[..., None], *args: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: the process is ending
            if self._loop is not None:
                self._loop.call_soon_threadsafe(work, *args)
