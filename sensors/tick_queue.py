"""The queue in which the ticks of the requests sensor's replicas wait for due requests."""

import logging
import math
import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from pipeline_defs.catalog import Catalog
from resources.ledger.db.database import Database, open_database
from resources.ledger.db.notifications import watch_changes
from resources.ledger.db.retry import describe_db_error
from resources.ledger.db.transient import is_transient_db_error
from resources.ledger.moves.dispatch import dispatch_batch, dispatch_due
from resources.ledger.queries.due import Capacity
from resources.ledger.queries.queue_snapshot import QueueSnapshot, due_task_ids, read_queue_snapshot
from resources.ledger.queries.spending import count_waiting_for, parked_providers
from resources.ledger.request import Request
from resources.process.settings import settings
from sensors.limits import capacity_of
from sensors.tick_pacing import (
    BATCH_SIZE,
    batching_delay,
    seconds_to_next_daemon_loop,
    seconds_until_recheck,
    should_end_tick,
)

SENSOR_IS_OFF = "requests_sensor is switched off, and its replicas with it"
SERVER_IS_STOPPING = "the code server is stopping"

# For changes without a notification: a worker lost or back, a notification lost with its connection.
_RECHECK_SECONDS = 2.0
# While another process has every due row locked.
_CONTENDED_SECONDS = 0.25
# While the ledger does not answer.
_OUTAGE_SECONDS = 1.0
_FAULT_SECONDS = 5.0
_MAX_NAMED = 3
# A query that skips many requests not yet due is slow: queries take a tenth of the time at most.
_REST_PER_QUERY = 9

_log = logging.getLogger("castad.sensor")
_exit_probe = ThreadPoolExecutor(1, thread_name_prefix="castad-probe")

IsOff = Callable[[], bool]


@dataclass(frozen=True)
class DispatchBatch:
    """What a tick returns: requests to run, or the reason why there are none."""

    requests: Sequence[Request] = ()
    reason: str = ""


@dataclass(eq=False)
class _WaitingTick:
    is_off: IsOff
    since: float
    result: DispatchBatch | Exception | None = None


def dispatch_once(is_off: IsOff, pipelines: Catalog) -> DispatchBatch:
    """The requests that are due now are dispatched; the tick does not wait."""
    if is_off():
        return DispatchBatch(reason=SENSOR_IS_OFF)
    config = settings()
    db, capacity = open_database(config.ledger_url), capacity_of(config, pipelines)
    requests = dispatch_due(db, capacity, BATCH_SIZE)
    return (
        DispatchBatch(requests)
        if requests
        else DispatchBatch(reason=idle_reason(db, read_queue_snapshot(db, capacity, BATCH_SIZE)))
    )


def idle_reason(db: Database, queue_snapshot: QueueSnapshot) -> str:
    """Why no request is dispatched, as a sentence for the sensor's page."""
    parked = parked_providers(db) if queue_snapshot.is_parked else []
    reasons = [
        f"{parking.provider} is parked until {parking.until:%H:%M:%S} UTC "
        f"(requests waiting: {count_waiting_for(db, parking.provider)}): {parking.why}"
        for parking in parked
    ]
    if not queue_snapshot.offered:
        reasons.append("no worker is alive: start `castad worker`")
    elif not queue_snapshot.free:
        reasons.append(
            f"no place is free: {queue_snapshot.offered} of {queue_snapshot.offered} are in use"
        )
    elif queue_snapshot.ready and (names := due_task_ids(db, _MAX_NAMED)):
        reasons.append(f"due, but locked or not dispatchable (see the log): {', '.join(names)}")
    return "; ".join(reasons) or "nothing is due"


class TickQueue:
    """Waiting ticks, first come, first served, at most one per replica.

    One thread watches the ledger for all of them while any tick waits: a database that hangs blocks this
    thread, never a tick.
    """

    def __init__(self, replicas: int, pipelines: Catalog) -> None:
        self._replicas = replicas
        self._pipelines = pipelines
        self._changed = threading.Condition()
        self._waiting: list[_WaitingTick] = []
        self._watcher: threading.Thread | None = None
        self._reason = ""
        self._is_stopping = False
        self._last_arrival = -math.inf
        self._gone = 0
        self._last_answer = -math.inf

    def wait_for_batch(self, is_off: IsOff) -> DispatchBatch:
        """Wait until requests are dispatched for this tick, or until it should end.

        Raises the error that occurred while this tick was the first in the queue.
        """
        if is_off():
            return DispatchBatch(reason=SENSOR_IS_OFF)
        with self._changed:
            if self._is_stopping:
                return DispatchBatch(reason=SERVER_IS_STOPPING)
            if len(self._waiting) >= self._replicas:
                return DispatchBatch(
                    reason=f"{self._replicas} ticks wait already, as many as the code server has threads for"
                )
            tick = self._join(is_off)
            try:
                while tick.result is None and not self._should_end(tick):
                    at = time.monotonic()
                    self._changed.wait(
                        seconds_until_recheck(at - self._last_arrival, at - tick.since)
                    )
            finally:
                self._leave(tick)
        if isinstance(tick.result, Exception):
            raise tick.result
        return tick.result or DispatchBatch(reason=self._reason)

    def stop(self) -> None:
        """Every waiting tick ends now, and later ones do not wait."""
        with self._changed:
            self._is_stopping = True
        self._release_all(SERVER_IS_STOPPING)

    def _join(self, is_off: IsOff) -> _WaitingTick:
        if not self._waiting:
            self._reason = "the ledger does not answer"
        tick = _WaitingTick(is_off, time.monotonic())
        self._waiting.append(tick)
        self._last_arrival = tick.since
        self._gone = 0
        if self._watcher is None:
            self._watcher = threading.Thread(
                target=self._run_watcher, name="castad-tick-queue", daemon=True
            )
            self._watcher.start()
        self._changed.notify_all()
        return tick

    def _should_end(self, tick: _WaitingTick) -> bool:
        at = time.monotonic()
        return should_end_tick(
            self._waiting.index(tick),
            self._gone,
            self._replicas,
            since_arrival=at - self._last_arrival,
            waited=at - tick.since,
        )

    def _leave(self, tick: _WaitingTick) -> None:
        if tick in self._waiting:
            self._waiting.remove(tick)
            self._gone += 1
            self._changed.notify_all()

    def _run_watcher(self) -> None:
        while self._has_waiters():
            try:
                self._dispatch_while_waited_for()
            except Exception as error:  # noqa: BLE001 - the first tick raises it, where operators see it
                self._handle_error(error)

    def _handle_error(self, error: Exception) -> None:
        if not is_transient_db_error(error):
            self._answer_first(error)
            time.sleep(_FAULT_SECONDS)
            return
        self._reason = f"the ledger does not answer ({describe_db_error(error)})"
        _log.warning("%s", self._reason)
        time.sleep(_OUTAGE_SECONDS * (0.5 + random.random()))  # noqa: S311 - jitter needs no secrecy

    def _has_waiters(self) -> bool:
        with self._changed:
            if not self._waiting:
                self._watcher = None
            return bool(self._waiting)

    def _dispatch_while_waited_for(self) -> None:
        config = settings()
        db, capacity = open_database(config.ledger_url), capacity_of(config, self._pipelines)
        with watch_changes(db) as watch:
            rest = 0.0
            while self._waiting:
                watch.wait(rest)
                if _interpreter_is_exiting():
                    self._release_all(SERVER_IS_STOPPING)
                else:
                    rest = self._dispatch_round(db, capacity)

    def _dispatch_round(self, db: Database, capacity: Capacity) -> float:
        """Query the ledger, dispatch what is due; returns the seconds until the next query without a change."""
        started = time.monotonic()
        queue_snapshot = read_queue_snapshot(db, capacity, BATCH_SIZE)
        if not queue_snapshot.ready:
            self._reason = idle_reason(db, queue_snapshot)
            time.sleep(_REST_PER_QUERY * (time.monotonic() - started))
            return min(_RECHECK_SECONDS, max(queue_snapshot.changes_in or _RECHECK_SECONDS, 0.001))
        if queue_snapshot.ready < BATCH_SIZE:
            time.sleep(self._batching_delay())
        if self._is_off():
            return _RECHECK_SECONDS
        requests = dispatch_batch(db, capacity, BATCH_SIZE)
        if not requests:
            self._reason = idle_reason(db, queue_snapshot)
            time.sleep(_CONTENDED_SECONDS)
        else:
            self._answer_first(DispatchBatch(requests))
        return 0.0

    def _batching_delay(self) -> float:
        at, refill = (
            time.monotonic(),
            seconds_to_next_daemon_loop(time.monotonic() - self._last_arrival),
        )
        waiting = max(len(self._waiting), 1)
        return batching_delay(waiting, self._replicas, at - self._last_answer, refill)

    def _is_off(self) -> bool:
        """Whether the sensor was switched off meanwhile; then all waiting ticks end."""
        with self._changed:
            front = next(iter(self._waiting), None)
        if front is None or front.is_off():
            self._release_all(SENSOR_IS_OFF)
            return True
        return False

    def _release_all(self, reason: str) -> None:
        while self._waiting:
            self._answer_first(DispatchBatch(reason=reason))

    def _answer_first(self, result: DispatchBatch | Exception) -> None:
        """The first tick has the result. Without a waiting tick, `rescue_sensor` requeues the requests."""
        with self._changed:
            if self._waiting:
                self._waiting.pop(0).result = result
                self._gone += 1
                self._last_answer = time.monotonic()
                self._changed.notify_all()


def _interpreter_is_exiting() -> bool:
    """Whether the interpreter waits for its threads to end; every tick runs in one.

    The only sign of it is that an executor accepts no more work.
    """
    try:
        _exit_probe.submit(int)
    except RuntimeError:
        return True
    return False
