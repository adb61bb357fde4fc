"""One look for all attempts of a process at the requests they hold, and a word to each that it concerns."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from sqlalchemy import select

from resources.ledger.db.database import Database
from resources.ledger.moves.core import Lease
from resources.ledger.schema.tables import Status, requests
from resources.ledger.workers.lease_registry import Held
from resources.ledger.workers.periodic_task import Recurring

_HEED_SECONDS = 2.0
"""Who was asked to stop has so long to do so by itself."""
_FRESH_LOOKS = 2
"""A look counts as fresh for so many times the pause between two."""


class News(Enum):
    """What an attempt hears of its request."""

    NONE = "it is held, nobody asked to stop, and the time is over"
    CONCERNED = "something has happened, or nothing could be learned"
    HEARD = "a vendor has called back"
    WANTED = "its place is wanted by a request that can use it"


@dataclass(eq=False)
class _Listener:
    """An attempt that waits `until` a moment.

    `callbacks` is how many it knows of, None where one more is no reason to wake it. Where it `yields` its
    place may be given to others meanwhile.
    """

    lease: Lease
    until: float
    callbacks: int | None
    yields: bool
    news: News = News.NONE
    heard: threading.Event = field(default_factory=threading.Event)

    def tell(self, news: News) -> None:
        self.news = news
        self.heard.set()


class Watch:
    """Looks by one query every `watch_seconds` at all that `owner` holds, while it holds anything.

    An attempt that listens hears of it; one that is deep in an exchange and asked to stop is cut off.
    """

    def __init__(
        self,
        db: Database,
        owner: str,
        held: Held,
        watch_seconds: float,
        patience: float,
        lacking: Callable[[], int],
    ) -> None:
        """`lacking` tells how many requests could go on but for a worker's place."""
        self._db = db
        self._owner = owner
        self._held = held
        self._lacking = lacking
        self._leaving: list[Lease] = []
        self._asked_to_stop: Mapping[int, float] = {}
        self._fresh = _FRESH_LOOKS * watch_seconds
        self._patience = patience
        # A signal handler may hand over while its own thread begins to listen.
        self._lock = threading.RLock()
        self._listeners: set[_Listener] = set()
        self._is_over = False
        self._looks = Recurring(
            "castad-watch",
            self._look,
            every=watch_seconds,
            after_failure=watch_seconds,
            needed=lambda: bool(self._listeners) or bool(held.request_ids),
        )

    def start(self) -> None:
        """It looks whenever something is held."""
        self._looks.start()

    def reconsider(self) -> None:
        """What is held has changed."""
        self._looks.reconsider()

    def stop(self) -> None:
        """It looks no more."""
        self._looks.stop()

    def call_off(self) -> None:
        """Nobody waits any longer: all are concerned."""
        with self._lock:
            self._is_over = True
            for listener in self._listeners:
                listener.tell(News.CONCERNED)

    def listen(
        self,
        lease: Lease,
        *,
        since: float,
        until: float,
        callbacks: int | None = None,
        yields: bool = False,
    ) -> News:
        """Wait `until` a moment, or until there is news, as of a look after `since` that is still fresh.

        That a vendor has called back is news where it did so more than `callbacks` times; that others lack a place
        where it `yields`, and then to those that wait longest: to no more than lack one.
        Where no look succeeds for the patience after that moment, the attempt is concerned.
        """
        listener = _Listener(lease, until, callbacks, yields)
        with self._lock:
            if self._is_over:
                return News.CONCERNED
            self._listeners.add(listener)
        self._looks.reconsider()
        try:
            if not listener.heard.wait(max(until - time.monotonic(), 0.0)):
                is_fresh = self._looks.done >= max(since, time.monotonic() - self._fresh)
                if not is_fresh and not listener.heard.wait(self._patience):
                    return News.CONCERNED
            return listener.news
        finally:
            with self._lock:
                self._listeners.discard(listener)

    def _look(self) -> None:
        began = time.monotonic()
        with self._lock:
            listeners = list(self._listeners)
        held = select(
            requests.c.id,
            requests.c.status,
            requests.c.fence,
            requests.c.cancel_requested,
            requests.c.callbacks,
        ).where(requests.c.lease_owner == self._owner)
        with self._db.reading() as tx:
            rows = {row.id: row for row in tx.execute(held)}
        resting = []
        for listener in listeners:
            news = _news(listener, rows)
            if news is not None or listener.until <= began:
                listener.tell(news or News.NONE)
            elif listener.yields:
                resting.append(listener)
        self._cut_off(rows)
        self._give_places(resting, rows)

    def _give_places(self, resting: list[_Listener], rows: Mapping[int, Any]) -> None:
        """As many as lack a place get one, but for those that have one coming to them already."""
        self._leaving = [lease for lease in self._leaving if _is_held(lease, rows)]
        if not resting:
            return
        wanted = max(self._lacking() - len(self._leaving), 0)
        resting.sort(key=lambda listener: listener.until, reverse=True)
        for listener in resting[:wanted]:
            self._leaving.append(listener.lease)
            listener.tell(News.WANTED)

    def _cut_off(self, rows: Mapping[int, Any]) -> None:
        now, before = time.monotonic(), self._asked_to_stop
        asked = [key for key, row in rows.items() if row.cancel_requested]
        self._asked_to_stop = {key: before.get(key, now) for key in asked}
        for key, since in self._asked_to_stop.items():
            if now - since >= _HEED_SECONDS:
                self._held.cut_off(key)


def _is_held(lease: Lease, rows: Mapping[int, Any]) -> bool:
    row = rows.get(lease.request_id)
    return row is not None and (row.fence, row.status) == (lease.fence, Status.PROCESSING)


def _news(listener: _Listener, rows: Mapping[int, Any]) -> News | None:
    if not _is_held(listener.lease, rows):
        return News.CONCERNED
    row = rows[listener.lease.request_id]
    if row.cancel_requested:
        return News.CONCERNED
    if listener.callbacks is not None and row.callbacks > listener.callbacks:
        return News.HEARD
    return None
