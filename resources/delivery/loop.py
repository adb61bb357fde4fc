"""Claim due deliveries, send them in threads, and record how each try ended."""

import logging
import math
import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import Generic, Protocol, TypeVar

from resources.contract.errors import CastadError
from resources.delivery.rules import Decision, Failure, Shares
from resources.ledger.schema.tables import DeliveryStatus
from resources.process.configure_logging import LOG_FIELDS

_QUIET_SECONDS = 0.25
_LONGEST_BUSY = 3.0
_STOP_SECONDS = 10.0
_log = logging.getLogger("castad.delivery")


class Delivery(Protocol):
    """A message for a target."""

    @property
    def id(self) -> int:
        """Its number in its store."""

    @property
    def target(self) -> str:
        """Where it goes; a target that is down delays no other."""

    @property
    def attempt(self) -> int:
        """The number of ended tries."""


D = TypeVar("D", bound=Delivery)
Send = Callable[[D], Failure | None]
"""Sends a delivery once; returns the reason if it failed, and raises nothing that is expected."""


class Store(Protocol[D]):
    """What is to be delivered. Any number of processes may claim from it."""

    @property
    def kind(self) -> str:
        """The noun for one delivery, as in the log."""

    def claim(self, busy: Collection[str]) -> Sequence[D]:
        """Claim the oldest due deliveries of one target that is not busy; return none if nothing is due."""

    def record(self, delivery: D, failure: Failure | None) -> Decision | None:
        """Save the try by the store's schedule; return None if the claim was lost meanwhile."""

    def release(self, target: str) -> None:
        """End this process' claim on the target's deliveries."""


class DeliveryLoop(Generic[D]):
    """Delivers in threads while it is awake, as many at a time as the shares allow.

    A store is searched every `look_seconds` while nothing is due. In a process that answers people, `seconds_idle`
    returns for how long it has answered none: deliveries wait until that is a quarter of a second, but no longer
    than 3 s.
    """

    def __init__(
        self,
        store: Store[D],
        send: Send[D],
        shares: Shares,
        look_seconds: float,
        seconds_idle: Callable[[], float] = lambda: math.inf,
    ) -> None:
        self._store, self._send, self._shares = store, send, shares
        self._look_seconds, self._measure_seconds_idle = look_seconds, seconds_idle
        self._changed = threading.Condition()
        self._changes = 0
        self._awake_until = 0.0
        self._thread: threading.Thread | None = None

    def stay_awake(self, seconds: float = math.inf) -> None:
        """Deliver what becomes due in the next seconds; return at once."""
        with self._changed:
            self._awake_until = max(self._awake_until, time.monotonic() + seconds)
            if self._thread is None:
                name = f"castad-{self._store.kind}s"
                thread = threading.Thread(target=self._work, name=name, daemon=True)
                thread.start()
                self._thread = thread

    def rest(self) -> None:
        """Begin no further delivery; wait up to 10 s for those under way."""
        with self._changed:
            self._awake_until = 0.0
            self._note_change()
            self._changed.wait_for(
                lambda: not self._thread and not self._shares.under_way, _STOP_SECONDS
            )

    def _note_change(self) -> None:
        self._changes += 1
        self._changed.notify_all()

    @property
    def _is_awake(self) -> bool:
        return time.monotonic() < self._awake_until

    def _work(self) -> None:
        self._wait_until_quiet()
        while True:
            with self._changed:
                if not self._is_awake:
                    self._thread = None
                    self._note_change()
                    return
                seen, is_full, busy = self._changes, self._shares.is_full, self._shares.busy
            if not is_full and self._begin_next(busy):
                continue
            with self._changed:
                # One that ended during the search may have made room.
                is_woken = self._changes != seen or self._changed.wait(self._look_seconds)
            if not is_woken:
                self._wait_until_quiet()

    def _wait_until_quiet(self) -> None:
        until = time.monotonic() + _LONGEST_BUSY
        while (
            time.monotonic() < until and (left := _QUIET_SECONDS - self._measure_seconds_idle()) > 0
        ):
            with self._changed:
                self._changed.wait(left)

    def _begin_next(self, busy: Collection[str]) -> bool:
        """Begin the next due deliveries to a target that is not busy; return whether there were any."""
        try:
            batch = self._store.claim(busy)
            if batch:
                self._begin(batch)
        except Exception as error:  # noqa: BLE001 - no error may stop the loop
            self._log_error("not begun", error)
            return False
        return bool(batch)

    def _begin(self, batch: Sequence[D]) -> None:
        name = f"castad-{self._store.kind}"
        thread = threading.Thread(target=self._deliver, args=(batch,), name=name, daemon=True)
        with self._changed:
            self._shares.begin(batch[0].target)
        try:
            thread.start()
        except RuntimeError:
            self._end(batch[0].target, 0.0)
            raise

    def _deliver(self, batch: Sequence[D]) -> None:
        began = time.monotonic()
        try:
            for each in batch:
                deliver(self._store, self._send, each)
                if not self._is_awake:
                    break
        except Exception as error:  # noqa: BLE001 - it is tried again
            self._log_error("not saved", error)
            # The target stays busy, for it would get the same deliveries again at once.
            time.sleep(self._look_seconds)
        self._end(batch[0].target, time.monotonic() - began)

    def _end(self, target: str, seconds: float) -> None:
        self._store.release(target)
        with self._changed:
            self._shares.end(target, seconds)
            self._note_change()

    def _log_error(self, what: str, error: Exception) -> None:
        """Log a driver's error by its class only, because its message may hold an address with its password."""
        why = error.message if isinstance(error, CastadError) else type(error).__name__
        _log.warning("%ss %s: %s", self._store.kind, what, why)


def deliver(store: Store[D], send: Send[D], delivery: D) -> bool:
    """Try the delivery once and record it; return whether it was delivered."""
    failure = send(delivery)
    decision = store.record(delivery, failure)
    if decision is not None and failure is not None:
        fields = {"id": delivery.id, "target": delivery.target, "error": decision.message}
        if decision.status is not DeliveryStatus.PENDING:
            _log.warning("%s %s", store.kind, decision.status, extra={LOG_FIELDS: fields})
        elif delivery.attempt == 0:
            _log.info("%s not delivered yet", store.kind, extra={LOG_FIELDS: fields})
    return failure is None


def deliver_due(store: Store[D], send: Send[D], seconds: float = math.inf) -> int:
    """Deliver what is due now, for up to `seconds`; return the number of delivered ones.

    A target is skipped after its first failure, and while another process has claimed it.
    """
    until, count = time.monotonic() + seconds, 0
    failed: set[str] = set()
    while time.monotonic() < until and (batch := store.claim(failed)):
        target = batch[0].target
        try:
            for each in batch:
                if time.monotonic() >= until:
                    break
                if not deliver(store, send, each):
                    failed.add(target)
                    break
                count += 1
        finally:
            store.release(target)
    return count
