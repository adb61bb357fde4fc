"""One reader of the ledger's events for all streams of this process."""

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass

from castad.readmodels.event_line import EventLine, render_events
from resources.ledger.db.database import Database
from resources.ledger.db.notifications import watch_changes
from resources.ledger.queries.feed import Cursor, Feed, feed_from_now
from resources.process.configure_logging import LOG_FIELDS

# A NOTIFY for every event would serialize all commits (resources/ledger/schema/migrations, 0004); polling the
# end of a primary key costs less, and only while there are subscriptions.
_POLL_INTERVAL = 0.02
_IDLE_SECONDS = 1.0
_RETRY_SECONDS = 1.0
_MAX_BACKLOG = 1000
"""A subscription with more unread events is dropped; its client may reconnect and continue."""

_log = logging.getLogger("castad.api")


@dataclass(frozen=True)
class EventBatch:
    """Events in order, and the cursor of all events after them."""

    lines: Sequence[EventLine]
    cursor: Cursor


class Subscription:
    """The unread events of one stream; not thread-safe, used in the event loop only.

    `start_cursor` is the broadcaster's cursor when it subscribed.
    """

    def __init__(self, wants: Callable[[EventLine], bool], start_cursor: Cursor) -> None:
        self._wants = wants
        self._backlog: deque[EventLine] = deque()
        self._has_events = asyncio.Event()
        self._cursor = start_cursor
        self.start_cursor = start_cursor
        self.is_dropped = False

    def push(self, batch: EventBatch) -> None:
        """The wanted events are unread, or the subscription is dropped because too many already are."""
        self._cursor = batch.cursor
        wanted = [line for line in batch.lines if self._wants(line)]
        if len(self._backlog) + len(wanted) > _MAX_BACKLOG:
            self._backlog.clear()
            self.is_dropped = True
        elif not self.is_dropped:
            self._backlog.extend(wanted)
        if wanted:
            self._has_events.set()

    async def next_batch(self, seconds: float) -> EventBatch:
        """All unread events as soon as there are any; an empty batch after so many seconds."""
        if not self._backlog and not self.is_dropped:
            self._has_events.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._has_events.wait()
        batch = EventBatch(list(self._backlog), self._cursor)
        self._backlog.clear()
        return batch


class Broadcaster:
    """Reads the ledger's feed in its own thread, which starts with the first subscription."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._subscriptions: set[Subscription] = set()
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
    async def subscribe(self, wants: Callable[[EventLine], bool]) -> AsyncIterator[Subscription]:
        """Every wanted event that becomes visible while the block runs is pushed, perhaps after earlier ones."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            threading.Thread(target=self._read, name="castad-broadcaster", daemon=True).start()
        await self._ready.wait()
        subscription = Subscription(wants, self._cursor)
        self._subscriptions.add(subscription)
        self._awake.set()
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)

    def stop(self) -> None:
        """The reading thread ends."""
        self._is_over = True
        self._awake.set()

    def _read(self) -> None:
        feed: Feed | None = None
        while not self._is_over:
            try:
                if feed is None:
                    feed = feed_from_now(self._db)
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
                found = feed.new_events()
                if feed.cursor != before:
                    self._call_in_loop(
                        self._broadcast, EventBatch(render_events(found, before), feed.cursor)
                    )
                if found:
                    continue
                if not self._subscriptions:
                    self._idle()
                elif watch is not None:
                    watch.wait(_IDLE_SECONDS)
                else:
                    time.sleep(_POLL_INTERVAL)

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
