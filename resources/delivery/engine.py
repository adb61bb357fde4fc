"""Deliver entries later: decide what becomes of each after a try, and claim and send what is due in threads.

The decisions (`Schedule`, `Shares`) are pure; `DeliveryLoop` applies them to a store, the ledger's or the spool's.
"""

import logging
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from resources.contract.errors import CastadError
from resources.ledger.schema.tables import DeliveryStatus
from resources.process.configure_logging import LOG_FIELDS

_SPREAD = 0.1
# A target that takes longer is served from the slow targets' share.
_SLOW_SECONDS = 2.0
_MOST_REMEMBERED = 1000


@dataclass(frozen=True)
class DeliveryFailure:
    """Why one try of a delivery failed.

    `ends` is the final status if no further try can succeed, else None. `retry_after` is the pause in seconds that
    the receiver asks for; 0 if it asks for none.
    """

    message: str
    code: str | None = None
    ends: DeliveryStatus | None = None
    retry_after: float = 0.0


@dataclass(frozen=True)
class Decision:
    """The status of a delivery after a try, and the `wait` in seconds before the next try.

    `code` and `message` describe the failure; they are None for a successful try.
    """

    status: DeliveryStatus
    wait: float = 0.0
    code: str | None = None
    message: str | None = None


DELIVERED = Decision(DeliveryStatus.DELIVERED)


@dataclass(frozen=True)
class Schedule:
    """The waits in seconds before each further try of a delivery.

    Without a lifetime, a delivery is dead after the last wait's try. With one, in seconds, the last wait is
    repeated until the delivery expires.
    """

    waits: Sequence[float]
    lifetime: float = math.inf

    def decide(
        self,
        failure: DeliveryFailure | None,
        tries_before: int,
        jitter: float,
        seconds_left: float = math.inf,
    ) -> Decision:
        """Decide the status after a try (`failure` None: it succeeded) and the wait before the next one.

        `jitter` in [0, 1) lengthens the wait by up to a tenth. A pause that the receiver asks for can only
        lengthen the wait. A delivery that would expire during the wait (`seconds_left`) is dead at once.
        """
        if failure is None:
            return DELIVERED
        code, message = failure.code, failure.message
        if failure.ends is not None:
            return Decision(failure.ends, code=code, message=message)
        if math.isinf(self.lifetime) and tries_before >= len(self.waits):
            return Decision(DeliveryStatus.DEAD, code=code, message=message)
        planned = self.waits[min(tries_before, len(self.waits) - 1)]
        wait = max(planned, failure.retry_after) * (1 + _SPREAD * jitter)
        if wait >= seconds_left:
            message = f"not delivered in {self.lifetime / 3600:g} hours: {message}"
            return Decision(DeliveryStatus.DEAD, code=code, message=message)
        return Decision(DeliveryStatus.PENDING, wait, code, message)


class Shares:
    """Counts of the deliveries in progress, by target, with their limits. Not thread-safe.

    At most `total` are in progress, and `per_target` for one target. All targets whose last try was slow have
    `for_slow` together, so that a free place is left for the other targets.
    """

    def __init__(self, total: int, per_target: int, for_slow: int) -> None:
        self._total, self._per_target, self._for_slow = total, per_target, for_slow
        self._under_way: Counter[str] = Counter()
        self._slow: set[str] = set()

    @property
    def under_way(self) -> int:
        """The number of deliveries in progress."""
        return self._under_way.total()

    @property
    def is_full(self) -> bool:
        """Whether `total` deliveries are in progress."""
        return self.under_way >= self._total

    @property
    def busy(self) -> frozenset[str]:
        """The targets that have reached their limit, so that no delivery to them may start."""
        full = {target for target, count in self._under_way.items() if count >= self._per_target}
        to_slow = sum(self._under_way[target] for target in self._slow)
        return frozenset(full | self._slow if to_slow >= self._for_slow else full)

    def begin(self, target: str) -> None:
        """Count one more delivery to the target as in progress."""
        self._under_way[target] += 1

    def end(self, target: str, seconds: float) -> None:
        """Count one delivery to the target as ended after `seconds`.

        The target counts as slow from a try of more than two seconds until a faster one.
        """
        self._under_way[target] -= 1
        if self._under_way[target] == 0:
            del self._under_way[target]
        if seconds <= _SLOW_SECONDS:
            self._slow.discard(target)
        elif len(self._slow) < _MOST_REMEMBERED:
            self._slow.add(target)


_QUIET_SECONDS = 0.25
_LONGEST_BUSY = 3.0
_STOP_SECONDS = 10.0
_log = logging.getLogger("castad.delivery")


class Delivery(Protocol):
    """A message for one target, such as a webhook or a spool entry."""

    @property
    def id(self) -> int:
        """The delivery's number in its store."""

    @property
    def target(self) -> str:
        """The name or host of the receiver; a receiver that is down delays no deliveries to other receivers."""

    @property
    def attempt(self) -> int:
        """The number of tries that have ended."""


D = TypeVar("D", bound=Delivery)
Send = Callable[[D], DeliveryFailure | None]
"""Sends a delivery once; returns the reason if it failed, and raises nothing that is expected."""


class Store(Protocol[D]):
    """A queue of deliveries, from which any number of processes may claim."""

    @property
    def kind(self) -> str:
        """The noun for one delivery in log lines, such as "webhook"."""

    def claim(self, busy: Collection[str]) -> Sequence[D]:
        """Claim the oldest due deliveries of one target not in `busy`; return an empty sequence if none is due."""

    def record(self, delivery: D, failure: DeliveryFailure | None) -> Decision | None:
        """Save how the try ended (failure None: delivered) and return what follows by the store's schedule.

        Return None, and save nothing, if the claim was lost meanwhile.
        """

    def release(self, target: str) -> None:
        """Release this process' claim on the deliveries of the target."""


class DeliveryLoop(Generic[D]):
    """A background thread that delivers due deliveries in further threads, as many at a time as the shares allow.

    The store is searched every `look_seconds` while nothing is due. In a process that answers requests,
    `seconds_idle` returns the seconds since the last answer. The loop then waits until these reach a quarter of a
    second before it searches, but for no longer than 3 s.
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
        """Run the loop for at least the given seconds from now; start its thread if needed, and return at once."""
        with self._changed:
            self._awake_until = max(self._awake_until, time.monotonic() + seconds)
            if self._thread is None:
                name = f"castad-{self._store.kind}s"
                thread = threading.Thread(target=self._work, name=name, daemon=True)
                thread.start()
                self._thread = thread

    def rest(self) -> None:
        """Stop the loop: start no further delivery, and wait up to 10 s for those in progress."""
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
        """Whether the time until which the loop is to run is not over."""
        return time.monotonic() < self._awake_until

    def _work(self) -> None:
        """Start due deliveries until the loop is to stop: the body of the loop's thread."""
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
        """Wait until the process has answered nothing for a quarter of a second, for 3 s at most."""
        until = time.monotonic() + _LONGEST_BUSY
        while (
            time.monotonic() < until and (left := _QUIET_SECONDS - self._measure_seconds_idle()) > 0
        ):
            with self._changed:
                self._changed.wait(left)

    def _begin_next(self, busy: Collection[str]) -> bool:
        """Start the next due deliveries to a target that is not busy; return whether there were any.

        An error is logged and counts as none.
        """
        try:
            batch = self._store.claim(busy)
            if batch:
                self._begin(batch)
        except Exception as error:  # noqa: BLE001 - no error may stop the loop
            self._log_error("not begun", error)
            return False
        return bool(batch)

    def _begin(self, batch: Sequence[D]) -> None:
        """Start a thread that delivers the batch, whose deliveries have one target."""
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
        """Deliver the batch one by one until the loop is to stop, and free its target; log an error."""
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
        """Release the target's claim and count the batch, which took the given seconds, as ended."""
        self._store.release(target)
        with self._changed:
            self._shares.end(target, seconds)
            self._note_change()

    def _log_error(self, what: str, error: Exception) -> None:
        """Log the error of a batch; an error of another library by its class only.

        Its message may hold an address with its password.
        """
        why = error.message if isinstance(error, CastadError) else type(error).__name__
        _log.warning("%ss %s: %s", self._store.kind, what, why)


def deliver(store: Store[D], send: Send[D], delivery: D) -> bool:
    """Try the delivery once, save how it ended, and return whether it was delivered."""
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
    """Deliver everything that is due now, for up to `seconds`; return the number of successful deliveries.

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
