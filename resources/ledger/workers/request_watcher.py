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
from resources.ledger.workers.lease_registry import LeaseRegistry
from resources.ledger.workers.periodic_task import PeriodicTask

_CANCEL_GRACE_SECONDS = 2.0
"""Who was asked to stop has so long to do so by itself."""
_FRESH_POLLS = 2
"""A look counts as fresh for so many times the pause between two."""


class WakeReason(Enum):
    """What an attempt hears of its request."""

    TIMEOUT = "it is held, nobody asked to stop, and the time is over"
    STATE_CHANGED = "something has happened, or nothing could be learned"
    CALLBACK = "a vendor has called back"
    PLACE_WANTED = "its place is wanted by a request that can use it"


@dataclass(eq=False)
class _Waiter:
    """An attempt that waits `until` a moment.

    `callbacks` is how many it knows of, None where one more is no reason to wake it. Where it `yields` its
    place may be given to others meanwhile.
    """

    lease: Lease
    until: float
    callbacks: int | None
    yields: bool
    reason: WakeReason = WakeReason.TIMEOUT
    woken: threading.Event = field(default_factory=threading.Event)

    def wake(self, reason: WakeReason) -> None:
        self.reason = reason
        self.woken.set()


class RequestWatcher:
    """Looks by one query every `watch_seconds` at all that `owner` holds, while it holds anything.

    An attempt that listens hears of it; one that is deep in an exchange and asked to stop is cut off.
    """

    def __init__(
        self,
        db: Database,
        owner: str,
        held: LeaseRegistry,
        watch_seconds: float,
        retry_budget: float,
        count_starved: Callable[[], int],
    ) -> None:
        """`lacking` tells how many requests could go on but for a worker's place."""
        self._db = db
        self._owner = owner
        self._registry = held
        self._count_starved = count_starved
        self._yielded: list[Lease] = []
        self._cancel_requested_at: Mapping[int, float] = {}
        self._fresh_seconds = _FRESH_POLLS * watch_seconds
        self._retry_budget = retry_budget
        # A signal handler may hand over while its own thread begins to listen.
        self._lock = threading.RLock()
        self._waiters: set[_Waiter] = set()
        self._is_draining = False
        self._poller = PeriodicTask(
            "castad-watch",
            self._poll,
            every=watch_seconds,
            failure_delay=watch_seconds,
            is_needed=lambda: bool(self._waiters) or bool(held.request_ids),
        )

    def start(self) -> None:
        """It looks whenever something is held."""
        self._poller.start()

    def reconsider(self) -> None:
        """What is held has changed."""
        self._poller.reconsider()

    def stop(self) -> None:
        """It looks no more."""
        self._poller.stop()

    def wake_all(self) -> None:
        """Nobody waits any longer: all are concerned."""
        with self._lock:
            self._is_draining = True
            for waiter in self._waiters:
                waiter.wake(WakeReason.STATE_CHANGED)

    def wait_for_wake(
        self,
        lease: Lease,
        *,
        since: float,
        until: float,
        callbacks: int | None = None,
        yields: bool = False,
    ) -> WakeReason:
        """Wait `until` a moment, or until there is news, as of a look after `since` that is still fresh.

        That a vendor has called back is news where it did so more than `callbacks` times; that others lack a place
        where it `yields`, and then to those that wait longest: to no more than lack one.
        Where no look succeeds for the patience after that moment, the attempt is concerned.
        """
        waiter = _Waiter(lease, until, callbacks, yields)
        with self._lock:
            if self._is_draining:
                return WakeReason.STATE_CHANGED
            self._waiters.add(waiter)
        self._poller.reconsider()
        try:
            if not waiter.woken.wait(max(until - time.monotonic(), 0.0)):
                is_fresh = self._poller.last_success >= max(
                    since, time.monotonic() - self._fresh_seconds
                )
                if not is_fresh and not waiter.woken.wait(self._retry_budget):
                    return WakeReason.STATE_CHANGED
            return waiter.reason
        finally:
            with self._lock:
                self._waiters.discard(waiter)

    def _poll(self) -> None:
        began = time.monotonic()
        with self._lock:
            waiters = list(self._waiters)
        held = select(
            requests.c.id,
            requests.c.status,
            requests.c.fence,
            requests.c.cancel_requested,
            requests.c.callbacks,
        ).where(requests.c.lease_owner == self._owner)
        with self._db.reading() as tx:
            rows = {row.id: row for row in tx.execute(held)}
        yielding = []
        for waiter in waiters:
            reason = _wake_reason(waiter, rows)
            if reason is not None or waiter.until <= began:
                waiter.wake(reason or WakeReason.TIMEOUT)
            elif waiter.yields:
                yielding.append(waiter)
        self._force_cancel_overdue(rows)
        self._reclaim_places(yielding, rows)

    def _reclaim_places(self, yielding: list[_Waiter], rows: Mapping[int, Any]) -> None:
        """As many as lack a place get one, but for those that have one coming to them already."""
        self._yielded = [lease for lease in self._yielded if _is_held(lease, rows)]
        if not yielding:
            return
        wanted = max(self._count_starved() - len(self._yielded), 0)
        yielding.sort(key=lambda waiter: waiter.until, reverse=True)
        for waiter in yielding[:wanted]:
            self._yielded.append(waiter.lease)
            waiter.wake(WakeReason.PLACE_WANTED)

    def _force_cancel_overdue(self, rows: Mapping[int, Any]) -> None:
        now, before = time.monotonic(), self._cancel_requested_at
        asked = [key for key, row in rows.items() if row.cancel_requested]
        self._cancel_requested_at = {key: before.get(key, now) for key in asked}
        for key, since in self._cancel_requested_at.items():
            if now - since >= _CANCEL_GRACE_SECONDS:
                self._registry.force_cancel(key)


def _is_held(lease: Lease, rows: Mapping[int, Any]) -> bool:
    row = rows.get(lease.request_id)
    return row is not None and (row.fence, row.status) == (lease.fence, Status.PROCESSING)


def _wake_reason(waiter: _Waiter, rows: Mapping[int, Any]) -> WakeReason | None:
    if not _is_held(waiter.lease, rows):
        return WakeReason.STATE_CHANGED
    row = rows[waiter.lease.request_id]
    if row.cancel_requested:
        return WakeReason.STATE_CHANGED
    if waiter.callbacks is not None and row.callbacks > waiter.callbacks:
        return WakeReason.CALLBACK
    return None
