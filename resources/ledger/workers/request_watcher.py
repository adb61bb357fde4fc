"""Renew leases and watch their requests while attempts run."""

import logging
import random
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

ForceCancel = Callable[[], object]
"""Ends an attempt that does not stop after a cancel was requested."""
_CANCEL_GRACE_SECONDS = 2.0
"""How long an attempt may take to stop after a cancel was requested."""
_FRESH_POLLS = 2
"""A poll counts as fresh for this many poll intervals."""
_log = logging.getLogger("castad.worker")


class LeaseRegistry:
    """The leases that this process renews, each with its attempt's `ForceCancel`. Thread-safe."""

    def __init__(self) -> None:
        self._attempts: Mapping[Lease, ForceCancel] = {}
        self._changing = threading.Lock()

    @property
    def request_ids(self) -> frozenset[int]:
        """The ids of the requests whose leases are registered."""
        return frozenset(lease.request_id for lease in self._attempts)

    def add(self, lease: Lease, force_cancel: ForceCancel) -> None:
        """Register the lease for renewal, with the function that force-cancels its attempt."""
        with self._changing:
            self._attempts = {**self._attempts, lease: force_cancel}

    def remove(self, lease: Lease) -> None:
        """Stop renewing the lease; does nothing if it is not registered."""
        with self._changing:
            self._attempts = {one: stop for one, stop in self._attempts.items() if one != lease}

    def force_cancel(self, request_id: int) -> None:
        """Call the `ForceCancel` of the attempt of this request; does nothing if no lease of it is registered."""
        for lease, force_cancel in self._attempts.items():
            if lease.request_id == request_id:
                force_cancel()


class PeriodicTask:
    """A thread that calls `work` every `every` seconds while `is_needed` returns true.

    If `work` raises or returns False, the next call follows after `failure_delay` seconds, with jitter. An
    exception does not end the thread, which runs from `start` to `stop`.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[], bool | None],
        *,
        every: float,
        failure_delay: float,
        is_needed: Callable[[], bool] = lambda: True,
    ) -> None:
        self._name = name
        self._work = work
        self._every = every
        self._failure_delay = failure_delay
        self._is_needed = is_needed
        self._changed = threading.Condition()
        self._stopped = False
        self._run_now = False
        self._due = 0.0
        self._last_error: str | None = None
        self.last_success = float("-inf")
        """When the last successful call began, by this process' monotonic clock."""
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self, last_success: float | None = None) -> None:
        """Start the thread.

        With `last_success`, a moment of the monotonic clock, the first call follows `every` seconds after it.
        """
        if last_success is not None:
            self.last_success, self._due = last_success, last_success + self._every
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread, and wait until it has ended."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        self._thread.join()

    def run_now(self) -> None:
        """Make the thread call `work` now, even if it is not due or not needed. Returns at once."""
        with self._changed:
            self._run_now = True
            self._changed.notify_all()

    def reconsider(self) -> None:
        """Make the thread evaluate `is_needed` again."""
        with self._changed:
            self._changed.notify_all()

    def wait_for_success(self, since: float, seconds: float, unless: Callable[[], bool]) -> bool:
        """Wait up to `seconds` for a successful call that began at `since` or later; return whether there was one.

        Stops waiting early if `unless` returns true. `since` is a moment of the monotonic clock.
        """
        with self._changed:
            self._changed.wait_for(lambda: self.last_success >= since or unless(), seconds)
            return self.last_success >= since

    def _run(self) -> None:
        """Call `work` whenever it is due, until the task is stopped."""
        while self._wait_until_due():
            began = time.monotonic()
            try:
                succeeded = self._work() is not False
            except Exception as error:  # noqa: BLE001 - leases must be renewed whatever happened
                self._log_transition(type(error).__name__)
                self._due = time.monotonic() + self._draw_retry_delay()
            else:
                self._log_transition(None)
                self._due = (
                    began + self._every
                    if succeeded
                    else time.monotonic() + self._draw_retry_delay()
                )
                with self._changed:
                    self.last_success = began
                    self._changed.notify_all()

    def _draw_retry_delay(self) -> float:
        """Return the seconds until the next call after a failure: 0.5 to 1.5 times `failure_delay`."""
        return self._failure_delay * random.uniform(0.5, 1.5)  # noqa: S311 - jitter

    def _log_transition(self, error_name: str | None) -> None:
        """Log the first failure after a success, and the first success after a failure.

        `error_name` is None on success.
        """
        if error_name != self._last_error:
            if error_name is None:
                _log.warning("periodic task recovered: task=%s", self._name)
            else:
                _log.warning("periodic task failed: task=%s error=%s", self._name, error_name)
            self._last_error = error_name

    def _wait_until_due(self) -> bool:
        """Wait until the work is due or was requested; return False once the task is stopped."""
        with self._changed:
            while not self._stopped:
                left = self._due - time.monotonic()
                if self._run_now or (self._is_needed() and left <= 0):
                    break
                self._changed.wait(left if self._is_needed() else None)
            self._run_now = False
            return not self._stopped


class WakeReason(Enum):
    """The reason why a waiting attempt wakes."""

    TIMEOUT = "the time is over; the lease is held and no cancel is requested"
    STATE_CHANGED = "the request may have changed, or its state is unknown"
    CALLBACK = "a vendor has called back"
    SLOT_WANTED = "another request needs the slot"


@dataclass(eq=False)
class _WaitingAttempt:
    """An attempt that waits until the moment `until` of the monotonic clock.

    `callbacks` is the number of callbacks that it has seen, None if a callback does not wake it. If it
    `yields`, it gives up its slot to a request that needs one.
    """

    lease: Lease
    until: float
    callbacks: int | None
    yields: bool
    reason: WakeReason = WakeReason.TIMEOUT
    woken: threading.Event = field(default_factory=threading.Event)

    def wake(self, reason: WakeReason) -> None:
        """Wake the attempt for this reason."""
        self.reason = reason
        self.woken.set()


class RequestWatcher:
    """A thread that watches the requests that the lease owner `owner` holds, by one query every `watch_seconds`.

    It polls only while there is a lease. It wakes waiting attempts, and force-cancels an attempt that does not
    stop within the grace period after a cancel was requested.
    """

    def __init__(
        self,
        db: Database,
        owner: str,
        held: LeaseRegistry,
        watch_seconds: float,
        retry_budget: float,
        count_starved_requests: Callable[[], int],
    ) -> None:
        """Store what the watcher needs; `start` begins the polling.

        Args:
            retry_budget: seconds to wait for a successful poll after a wait, if the latest polls failed.
            count_starved_requests: counts the requests that could run if this worker had a free slot.
        """
        self._db = db
        self._owner = owner
        self._registry = held
        self._count_starved_requests = count_starved_requests
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
        """Start the thread, which polls whenever a lease is held."""
        self._poller.start()

    def reconsider(self) -> None:
        """Make the thread poll, or pause, after the held leases have changed."""
        self._poller.reconsider()

    def stop(self) -> None:
        """Stop polling, and wait until the thread has ended."""
        self._poller.stop()

    def wake_all(self) -> None:
        """Wake every waiting attempt, and end every later wait at once, because the worker is stopping."""
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
        """Wait until the moment `until`, or until a poll finds a reason to wake; return the reason.

        If no poll succeeds within the retry budget after `until`, the reason is STATE_CHANGED.

        Args:
            since: only polls that began after this moment count. Both moments are of the monotonic clock.
            callbacks: a higher number of callbacks is a reason to wake; None: callbacks are ignored.
            yields: a request that lacks a slot is a reason. As many attempts wake as requests lack a slot, those
                with the longest wait first.
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
        """Read the held requests, and wake, force-cancel or ask for the slots of their attempts."""
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
            reason = _find_wake_reason(attempt, rows)
            if reason is not None or attempt.until <= began:
                attempt.wake(reason or WakeReason.TIMEOUT)
            elif attempt.yields:
                yielding.append(attempt)
        self._force_cancel_overdue(rows)
        self._reclaim_slots(yielding, rows)

    def _reclaim_slots(self, yielding: list[_WaitingAttempt], rows: Mapping[int, Any]) -> None:
        """Wake as many of the yielding attempts as there are requests that lack a slot.

        Attempts that were woken for this before and still hold their slot are counted too.
        """
        self._yielded = [lease for lease in self._yielded if _is_held(lease, rows)]
        if not yielding:
            return
        wanted = max(self._count_starved_requests() - len(self._yielded), 0)
        yielding.sort(key=lambda attempt: attempt.until, reverse=True)
        for attempt in yielding[:wanted]:
            self._yielded.append(attempt.lease)
            attempt.wake(WakeReason.SLOT_WANTED)

    def _force_cancel_overdue(self, rows: Mapping[int, Any]) -> None:
        """Force-cancel the attempts that have not stopped within the grace period after a cancel was requested."""
        now, before = time.monotonic(), self._cancel_requested_at
        canceled = [key for key, row in rows.items() if row.cancel_requested]
        self._cancel_requested_at = {key: before.get(key, now) for key in canceled}
        for key, since in self._cancel_requested_at.items():
            if now - since >= _CANCEL_GRACE_SECONDS:
                self._registry.force_cancel(key)


def _is_held(lease: Lease, rows: Mapping[int, Any]) -> bool:
    """Return whether the lease is still valid according to `rows`, the held requests by id."""
    row = rows.get(lease.request_id)
    return row is not None and (row.fence, row.status) == (lease.fence, Status.PROCESSING)


def _find_wake_reason(attempt: _WaitingAttempt, rows: Mapping[int, Any]) -> WakeReason | None:
    """Return why the attempt has to wake according to `rows`, the held requests by id; None if it need not."""
    if not _is_held(attempt.lease, rows):
        return WakeReason.STATE_CHANGED
    row = rows[attempt.lease.request_id]
    if row.cancel_requested:
        return WakeReason.STATE_CHANGED
    if attempt.callbacks is not None and row.callbacks > attempt.callbacks:
        return WakeReason.CALLBACK
    return None
