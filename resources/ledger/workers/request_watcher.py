"""One poll for all requests that a process has leased; it wakes the attempts that are concerned."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from sqlalchemy import select

from resources.ledger.db.database import Database
from resources.ledger.schema.tables import Status, requests
from resources.ledger.transitions.core import Lease
from resources.ledger.workers.lease_registry import LeaseRegistry
from resources.ledger.workers.periodic_task import PeriodicTask

_CANCEL_GRACE_SECONDS = 2.0
"""How long an attempt may take to stop after a cancel was requested."""
_FRESH_POLLS = 2
"""A poll counts as fresh for this many poll intervals."""


class WakeReason(Enum):
    """Why an attempt is woken."""

    TIMEOUT = "the time is over; the lease is held and no cancel is requested"
    STATE_CHANGED = "the request may have changed, or its state is unknown"
    CALLBACK = "a vendor has called back"
    SLOT_WANTED = "another request needs the slot"


@dataclass(eq=False)
class _WaitingAttempt:
    """An attempt that waits `until` a moment.

    `callbacks` is the number that it has seen, None where a callback does not wake it. Where it `yields`, it gives
    up its slot to a request that needs one.
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
    """Polls every `watch_seconds`, by one query, the requests that `owner` has leased, while there are any.

    It wakes waiting attempts, and force-cancels an attempt that does not stop within the grace period.
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
        """`count_starved` counts the requests that lack nothing but a worker's slot."""
        self._db = db
        self._owner = owner
        self._registry = held
        self._count_starved = count_starved
        self._yielded: list[Lease] = []
        self._cancel_requested_at: Mapping[int, float] = {}
        self._fresh_seconds = _FRESH_POLLS * watch_seconds
        self._retry_budget = retry_budget
        # A signal handler may call `wake_all` while its own thread is in `wait_for_wake`.
        self._lock = threading.RLock()
        self._attempts: set[_WaitingAttempt] = set()
        self._is_draining = False
        self._poller = PeriodicTask(
            "castad-watcher",
            self._poll,
            every=watch_seconds,
            failure_delay=watch_seconds,
            is_needed=lambda: bool(self._attempts) or bool(held.request_ids),
        )

    def start(self) -> None:
        """Start polling, whenever a lease is held."""
        self._poller.start()

    def reconsider(self) -> None:
        """The held leases have changed."""
        self._poller.reconsider()

    def stop(self) -> None:
        """Stop polling."""
        self._poller.stop()

    def wake_all(self) -> None:
        """Wake every waiting attempt, and every later one at once: the worker drains."""
        with self._lock:
            self._is_draining = True
            for attempt in self._attempts:
                attempt.wake(WakeReason.STATE_CHANGED)

    def wait_for_wake(
        self,
        lease: Lease,
        *,
        since: float,
        until: float,
        callbacks: int | None = None,
        yields: bool = False,
    ) -> WakeReason:
        """Wait `until` a moment, or until a poll after `since` finds a reason to wake; polls must be fresh.

        A callback is a reason where there are more than `callbacks`. A request that lacks a slot is one where the
        attempt `yields`; as many attempts are woken as requests lack one, those that would wait longest first.
        If no poll succeeds within the retry budget after `until`, the reason is STATE_CHANGED.
        """
        attempt = _WaitingAttempt(lease, until, callbacks, yields)
        with self._lock:
            if self._is_draining:
                return WakeReason.STATE_CHANGED
            self._attempts.add(attempt)
        self._poller.reconsider()
        try:
            if not attempt.woken.wait(max(until - time.monotonic(), 0.0)):
                is_fresh = self._poller.last_success >= max(
                    since, time.monotonic() - self._fresh_seconds
                )
                if not is_fresh and not attempt.woken.wait(self._retry_budget):
                    return WakeReason.STATE_CHANGED
            return attempt.reason
        finally:
            with self._lock:
                self._attempts.discard(attempt)

    def _poll(self) -> None:
        began = time.monotonic()
        with self._lock:
            attempts = list(self._attempts)
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
        for attempt in attempts:
            reason = _wake_reason(attempt, rows)
            if reason is not None or attempt.until <= began:
                attempt.wake(reason or WakeReason.TIMEOUT)
            elif attempt.yields:
                yielding.append(attempt)
        self._force_cancel_overdue(rows)
        self._reclaim_slots(yielding, rows)

    def _reclaim_slots(self, yielding: list[_WaitingAttempt], rows: Mapping[int, Any]) -> None:
        """Wake one yielding attempt for each request that lacks a slot, less the slots already on their way."""
        self._yielded = [lease for lease in self._yielded if _is_held(lease, rows)]
        if not yielding:
            return
        wanted = max(self._count_starved() - len(self._yielded), 0)
        yielding.sort(key=lambda attempt: attempt.until, reverse=True)
        for attempt in yielding[:wanted]:
            self._yielded.append(attempt.lease)
            attempt.wake(WakeReason.SLOT_WANTED)

    def _force_cancel_overdue(self, rows: Mapping[int, Any]) -> None:
        now, before = time.monotonic(), self._cancel_requested_at
        canceled = [key for key, row in rows.items() if row.cancel_requested]
        self._cancel_requested_at = {key: before.get(key, now) for key in canceled}
        for key, since in self._cancel_requested_at.items():
            if now - since >= _CANCEL_GRACE_SECONDS:
                self._registry.force_cancel(key)


def _is_held(lease: Lease, rows: Mapping[int, Any]) -> bool:
    row = rows.get(lease.request_id)
    return row is not None and (row.fence, row.status) == (lease.fence, Status.PROCESSING)


def _wake_reason(attempt: _WaitingAttempt, rows: Mapping[int, Any]) -> WakeReason | None:
    if not _is_held(attempt.lease, rows):
        return WakeReason.STATE_CHANGED
    row = rows[attempt.lease.request_id]
    if row.cancel_requested:
        return WakeReason.STATE_CHANGED
    if attempt.callbacks is not None and row.callbacks > attempt.callbacks:
        return WakeReason.CALLBACK
    return None
