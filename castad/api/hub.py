"""One reader of the ledger for all streams of this process, whatever their number."""

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass

from castad.readmodels.event_line import EventLine, lines_of
from resources.ledger.db.database import Database
from resources.ledger.db.notifications import watching
from resources.ledger.queries.feed import Cursor, Feed, feed_from_now

# A NOTIFY for every event would make all commits wait for each other (resources/ledger/schema/migrations, 0004);
# a look at the end of a primary key costs less than it does, and only while somebody listens.
_LOOK_EVERY = 0.02
_IDLE_SECONDS = 1.0
_TROUBLE_SECONDS = 1.0
_MOST_WAITING = 1000
"""Who has so many events to read is cut off, and may come back for them."""

_log = logging.getLogger("castad.api")


@dataclass(frozen=True)
class Heard:
    """Events in order, and where a reader of all stands after them."""

    lines: Sequence[EventLine]
    cursor: Cursor


class Subscription:
    """What one stream has still to read; belongs to the event loop. `begun` is where the hub stood before it."""

    def __init__(self, wants: Callable[[EventLine], bool], begun: Cursor) -> None:
        self._wants = wants
        self._waiting: deque[EventLine] = deque()
        self._news = asyncio.Event()
        self._cursor = begun
        self.begun = begun
        self.is_cut = False

    def tell(self, heard: Heard) -> None:
        """It has these too, unless it reads too slowly: then it is cut off."""
        self._cursor = heard.cursor
        wanted = [line for line in heard.lines if self._wants(line)]
        if len(self._waiting) + len(wanted) > _MOST_WAITING:
            self._waiting.clear()
            self.is_cut = True
        elif not self.is_cut:
            self._waiting.extend(wanted)
        if wanted:
            self._news.set()

    async def next_heard(self, seconds: float) -> Heard:
        """What it has to read, as soon as there is something; no events after so many seconds."""
        if not self._waiting and not self.is_cut:
            self._news.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._news.wait()
        heard = Heard(list(self._waiting), self._cursor)
        self._waiting.clear()
        return heard


class Hub:
    """Reads the ledger's feed in a thread of its own, from the first subscription on."""

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
        """How many streams there are."""
        return len(self._subscriptions)

    @asynccontextmanager
    async def subscribed(self, wants: Callable[[EventLine], bool]) -> AsyncIterator[Subscription]:
        """Whatever becomes visible while the block runs, and is wanted, is told, perhaps with some from before."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            threading.Thread(target=self._read, name="castad-hub", daemon=True).start()
        await self._ready.wait()
        subscription = Subscription(wants, self._cursor)
        self._subscriptions.add(subscription)
        self._awake.set()
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)

    def stop(self) -> None:
        """Nothing is read any more."""
        self._is_over = True
        self._awake.set()

    def _read(self) -> None:
        feed: Feed | None = None
        while not self._is_over:
            try:
                if feed is None:
                    feed = feed_from_now(self._db)
                    self._call(self._begin, feed.cursor)
                self._follow(feed)
            except Exception as error:  # noqa: BLE001 - whatever it was, streams must not fall silent for good
                _log.warning("the ledger cannot be read (%s); trying again", type(error).__name__)
                time.sleep(_TROUBLE_SECONDS)

    def _begin(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._ready.set()

    def _follow(self, feed: Feed) -> None:
        with watching(self._db) if self._db.is_sqlite else nullcontext() as watch:
            while not self._is_over:
                before = feed.cursor
                found = feed.news()
                if feed.cursor != before:
                    self._call(self._tell, Heard(lines_of(found, before), feed.cursor))
                if found:
                    continue
                if not self._subscriptions:
                    self._rest()
                elif watch is not None:
                    watch.wait(_IDLE_SECONDS)
                else:
                    time.sleep(_LOOK_EVERY)

    def _rest(self) -> None:
        """Nobody listens: only now and then a look, so that the feed does not fall behind."""
        self._awake.wait(_IDLE_SECONDS)
        self._awake.clear()

    def _tell(self, heard: Heard) -> None:
        self._cursor = heard.cursor
        for subscription in self._subscriptions:
            subscription.tell(heard)

    def _call(self, work: Callable[..., None], *args: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: the process ends
            if self._loop is not None:
                self._loop.call_soon_threadsafe(work, *args)
