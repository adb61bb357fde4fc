"""One reader of the ledger's events for all streams of this process."""

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext, suppress

from castad.api.subscription import EventBatch, Subscription
from castad.readmodels.events import ChangedOrders, LiveProgress, ProgressReader, render_events
from resources.ledger.db.database import Database
from resources.ledger.db.notifications import watch_changes
from resources.ledger.queries.feed import Cursor, Feed, open_feed_from_now
from resources.process.configure_logging import LOG_FIELDS

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
        """Every event that becomes visible while the block runs is pushed, perhaps after earlier ones.

        So is the progress between them, at most twice a second. With `order_id` it is only of that order, with
        `owner` of that owner's. With `wants_orders` also what changed orders are like after their events, at most
        five times a second.
        """
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            threading.Thread(target=self._read, name="castad-broadcaster", daemon=True).start()
        await self._ready.wait()
        subscription = Subscription(order_id, self._cursor, owner=owner, wants_orders=wants_orders)
        self._subscriptions.add(subscription)
        self._note_followed()
        self._awake.set()
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)
            self._note_followed()

    def _note_followed(self) -> None:
        """The orders whose progress is wanted, None for all; replaced as a whole, since the reader looks at it."""
        self._are_orders_wanted = any(each.wants_orders for each in self._subscriptions)
        ids = {subscription.order_id for subscription in self._subscriptions}
        named = frozenset(number for number in ids if number is not None)
        self._followed = None if None in ids else named

    def stop(self) -> None:
        """The reading thread ends."""
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
                self._changed.note(event.request_id for event in found)
                if feed.cursor != before:
                    self._call_in_loop(
                        self._broadcast, EventBatch(render_events(found, before), feed.cursor)
                    )
                self._read_progress()
                self._read_orders()
                if found:
                    continue
                if not self._subscriptions:
                    self._idle()
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
        """What changed orders are like is pushed, if anybody wants it; it is read once for all."""
        if not self._are_orders_wanted:
            self._changed.clear()
            return
        if self._changed and time.monotonic() >= self._orders_due:
            self._orders_due = time.monotonic() + _ORDERS_SECONDS
            self._call_in_loop(self._push_orders, self._changed.frame())

    def _push_orders(self, frame: bytes) -> None:
        for subscription in self._subscriptions:
            if subscription.wants_orders:
                subscription.push_orders(frame)

    @property
    def _is_progress_wanted(self) -> bool:
        return self._followed is None or bool(self._followed)

    def _read_progress(self) -> None:
        """The progress of the orders that are followed is pushed, at most twice a second."""
        if self._is_progress_wanted and time.monotonic() >= self._progress_due:
            self._progress_due = time.monotonic() + _PROGRESS_SECONDS
            self._call_in_loop(self._push_progress, self._progress.read(self._followed))

    def _push_progress(self, found: Mapping[int, LiveProgress]) -> None:
        for subscription in self._subscriptions:
            subscription.push_progress(found)

    def _idle(self) -> None:
        """Without subscriptions the feed is read once a second, so that it does not fall behind."""
        self._awake.wait(_IDLE_SECONDS)
        self._awake.clear()

    def _broadcast(self, batch: EventBatch) -> None:
        self._cursor = batch.cursor
        for subscription in self._subscriptions:
            subscription.push(batch)

    def _call_in_loop(self, work: Callable[..., None], *args: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: the process is ending
            if self._loop is not None:
                self._loop.call_soon_threadsafe(work, *args)
