"""Dispatch requests for ticks of the requests sensor that wait in a code server.

A stack holds the stop lock while it runs; waiting ticks end when it is released. Otherwise a stopped code server
would abort its ticks, and Dagster's daemon would mark each of them as failed. The kernel releases the lock however
the stack ends.
"""

import fcntl
import logging
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dagster import DagsterInstance, SensorEvaluationContext

from pipeline_defs.catalog import Catalog
from resources.contract.errors import StateUnavailableError
from resources.dagster.internals import InstanceRef
from resources.ledger.db.database import Database, open_database
from resources.ledger.db.notifications import watch_changes
from resources.ledger.db.retry import describe_db_error, is_transient_db_error
from resources.ledger.limits import Limits
from resources.ledger.queries.dispatch import (
    DispatchSnapshot,
    list_due_task_ids,
    read_dispatch_snapshot,
)
from resources.ledger.queries.money import count_waiting_for, read_pauses
from resources.ledger.request import Request
from resources.ledger.transitions.dispatch import dispatch_due_requests
from resources.process.setting_types import STOP_LOCK_VARIABLE
from resources.process.settings import settings

SENSOR_IS_OFF = "requests_sensor is switched off"
SERVER_IS_STOPPING = "the code server is stopping"
LEDGER_IS_SILENT = "the ledger does not answer"
WAIT_SECONDS = 9.5
"""How long a tick waits for a due request.

Dagster's stock daemon evaluates sensors every 5 s, so that the next tick follows soon. On a stop request it waits
for the tick.
"""
SILENT_SECONDS = 10.0
"""How long the ledger may leave a tick without an answer before the tick fails, so that operators see it."""
# Dagster's stock daemon starts the next tick within 5 s.
_SECONDS_BETWEEN_TICKS = 10.0
# The limit of each rest: once the ledger answers again, due requests are dispatched within 2 s.
_LONGEST_REST = 1.0
# The rest while another process has every due row locked.
_CONTENDED_SECONDS = 0.25
_MAX_NAMED = 3
# A query that skips many requests not yet due is slow, so that queries take a tenth of the time at most.
_REST_PER_QUERY = 9
_LONGEST_REST_AFTER_QUERY = 0.5
_log = logging.getLogger("castad.sensor")
IsOff = Callable[[], bool]
PERIOD_SECONDS = 4
"""The period of sensors that do not wait inside their ticks.

Dagster's stock daemon evaluates sensors every 5 s, and would skip every second time if the period were 5 s too.
"""
_opening = threading.Lock()
_opened: list[tuple[InstanceRef, DagsterInstance]] = []
_exit_probe = ThreadPoolExecutor(1, thread_name_prefix="castad-probe")


@dataclass(frozen=True)
class DispatchBatch:
    """The result of one sensor tick: the dispatched requests, or the reason why there are none."""

    requests: Sequence[Request] = ()
    reason: str = ""


@dataclass(eq=False)
class _WaitingTick:
    """A sensor tick that waits since and until these monotonic times; its result is None until it is answered."""

    is_off: IsOff
    since: float
    until: float
    result: DispatchBatch | Exception | None = None


def explain_idle(db: Database, dispatch_snapshot: DispatchSnapshot) -> str:
    """Explain why no request is dispatched, in one sentence for the sensor's page."""
    paused = read_pauses(db) if dispatch_snapshot.is_paused else []
    reasons = [
        f"{pause.provider} is paused until {pause.until:%H:%M:%S} UTC "
        f"(requests waiting: {count_waiting_for(db, pause.provider)}): {pause.why}"
        for pause in paused
    ]
    reasons += [
        f"no worker serves queue {queue}: start `castad worker --queue {queue}`"
        for queue in dispatch_snapshot.unserved
    ]
    if not dispatch_snapshot.offered:
        reasons.append("no worker is alive: start `castad worker`")
    elif not dispatch_snapshot.free:
        reasons.append(
            f"no slot is free: {dispatch_snapshot.offered} of {dispatch_snapshot.offered} are in use"
        )
    elif dispatch_snapshot.full:
        reasons.append(f"no slot is free in queue {' or '.join(dispatch_snapshot.full)}")
    elif dispatch_snapshot.ready and (names := list_due_task_ids(db, _MAX_NAMED)):
        reasons.append(f"due, but locked or not dispatchable (see the log): {', '.join(names)}")
    return "; ".join(reasons) or "nothing is due"


def compute_rest(query_seconds: float) -> float:
    """Compute the seconds to wait after a query that found nothing, from the query's own duration in seconds."""
    return min(_REST_PER_QUERY * query_seconds, _LONGEST_REST_AFTER_QUERY)


class DispatchWaiter:
    """A dispatcher that answers waiting sensor ticks, the newest one first.

    An older tick has usually lost its daemon. A separate thread reads the ledger while a tick waits: a database
    that hangs blocks this thread, never a tick.
    """

    def __init__(
        self, pipelines: Catalog, wait_seconds: float, *, silent_seconds: float = SILENT_SECONDS
    ) -> None:
        self._pipelines = pipelines
        self._wait_seconds = wait_seconds
        self._silent_seconds = silent_seconds
        self._changed = threading.Condition()
        self._waiting: list[_WaitingTick] = []
        self._watcher: threading.Thread | None = None
        self._answered_at = float("-inf")
        self._trouble = LEDGER_IS_SILENT
        self._has_recovered = True
        self._is_stopping = False

    def wait_for_batch(self, is_off: IsOff) -> DispatchBatch:
        """Wait until requests are dispatched for this tick, or until its waiting time is over.

        `is_off()` returns whether the sensor is off. Raises the error that occurred while this tick was the newest
        one, and StateUnavailableError if the ledger does not answer.
        """
        with self._changed:
            if self._is_stopping:
                return DispatchBatch(reason=SERVER_IS_STOPPING)
            now = time.monotonic()
            tick = _WaitingTick(is_off, now, now + self._wait_seconds)
            self._waiting.append(tick)
            self._changed.notify_all()
            if self._watcher is None:
                self._watcher = threading.Thread(
                    target=self._run_watcher, name="castad-dispatch", daemon=True
                )
                self._watcher.start()
            while tick.result is None:
                silent_at = max(tick.since, self._answered_at) + self._silent_seconds
                if time.monotonic() >= silent_at:
                    self._waiting.remove(tick)
                    self._has_recovered = False
                    raise StateUnavailableError(self._trouble)
                self._changed.wait(silent_at - time.monotonic())
        if isinstance(tick.result, Exception):
            raise tick.result
        return tick.result

    def stop(self) -> None:
        """End every waiting tick; later ticks end at once."""
        with self._changed:
            self._is_stopping = True
        self._release_all(SERVER_IS_STOPPING)

    def _run_watcher(self) -> None:
        """Dispatch until no tick has waited for a while: the body of the watcher thread.

        A transient error becomes the reason of the silence; the newest tick raises any other error.
        """
        while True:
            with self._changed:
                if not self._waiting:
                    self._watcher = None
                    return
            try:
                self._dispatch_while_waited_for()
            except Exception as error:  # noqa: BLE001 - the tick raises it, where operators see it
                if is_transient_db_error(error):
                    self._trouble = f"{LEDGER_IS_SILENT} ({describe_db_error(error)})"
                    _log.warning("dispatch waits: %s", self._trouble)
                else:
                    with self._changed:
                        self._has_recovered = False
                        if self._waiting:
                            self._answer(self._waiting[-1], error)
                jitter = random.uniform(0.5, 1)  # noqa: S311 - jitter needs no secrecy
                time.sleep(_LONGEST_REST * jitter)

    def _is_waited_for(self) -> bool:
        """Wait up to 10 s for a waiting tick, so that it finds the watcher connected.

        Return whether there is one.
        """
        with self._changed:
            return self._changed.wait_for(lambda: bool(self._waiting), _SECONDS_BETWEEN_TICKS)

    def _dispatch_while_waited_for(self) -> None:
        """Connect to the ledger and dispatch round by round, until no tick has waited for 10 s."""
        config = settings()
        db, limits = open_database(config.ledger_url), self._pipelines.collect_limits(config)
        with watch_changes(db) as watch:
            rest = 0.0
            while self._is_waited_for():
                with self._changed:
                    ends = min((tick.until for tick in self._waiting), default=0.0)
                watch.wait(min(rest, max(0.0, ends - time.monotonic())))
                if _is_interpreter_exiting():
                    self._release_all(SERVER_IS_STOPPING)
                else:
                    rest = self._dispatch_round(db, limits)

    def _dispatch_round(self, db: Database, limits: Limits) -> float:
        """Query the ledger and dispatch due requests to the newest tick.

        Return the seconds until the next query, unless a change notification comes sooner.
        """
        started = time.monotonic()
        dispatch_snapshot = read_dispatch_snapshot(db, limits, 1)
        requests: Sequence[Request] = ()
        if dispatch_snapshot.ready:
            with self._changed:
                newest = self._waiting[-1] if self._waiting else None
            if newest is None or newest.is_off():
                self._release_all(SENSOR_IS_OFF)
                return 0.0
            requests = dispatch_due_requests(db, limits)
        self._answered_at = time.monotonic()
        self._trouble = LEDGER_IS_SILENT
        if requests:
            with self._changed:
                # Ticks fail while a dispatch hangs. If none comes, `rescue_sensor` requeues the requests.
                if self._is_waited_for():
                    self._answer(self._waiting[-1], DispatchBatch(requests))
            return 0.0
        self._end_expired(explain_idle(db, dispatch_snapshot))
        if dispatch_snapshot.ready:
            time.sleep(_CONTENDED_SECONDS)
            return 0.0
        time.sleep(compute_rest(time.monotonic() - started))
        if not self._waiting:
            return 0.0
        # Limited: a worker may be lost or return, and a notification is lost with its connection.
        return min(_LONGEST_REST, max(dispatch_snapshot.changes_in or _LONGEST_REST, 0.001))

    def _end_expired(self, reason: str) -> None:
        """End the ticks whose time is over, with the reason.

        After a failed tick end all, to clear the error on the page.

        Ticks do not end by themselves, so that no request is dispatched for a tick that is about to end.
        """
        with self._changed:
            over = time.monotonic() if self._has_recovered else float("inf")
            for tick in [tick for tick in self._waiting if tick.until <= over]:
                self._answer(tick, DispatchBatch(reason=reason))

    def _release_all(self, reason: str) -> None:
        with self._changed:
            for tick in list(self._waiting):
                self._answer(tick, DispatchBatch(reason=reason))

    def _answer(self, tick: _WaitingTick, result: DispatchBatch | Exception) -> None:
        """Give the tick its result, an error is raised by it, and remove it from the waiting ones."""
        self._waiting.remove(tick)
        self._has_recovered = self._has_recovered or isinstance(result, DispatchBatch)
        tick.result = result
        self._changed.notify_all()


def _is_interpreter_exiting() -> bool:
    """Return whether the interpreter is waiting for its threads to end; every tick runs in such a thread.

    The only sign is that an executor accepts no more work: the main thread is alive until they have ended.
    """
    try:
        _exit_probe.submit(int)
    except RuntimeError:
        return True
    return False


class StopLock:
    """A lock file whose release ends the sensor ticks that wait in code servers.

    It is created in the folder and locked until `release` or the end of the process.
    """

    def __init__(self, folder: Path) -> None:
        self._descriptor, self.path = tempfile.mkstemp(".lock", "stop-", folder)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def release(self) -> None:
        """Release the lock and delete the file: waiting ticks end, and later ones do not wait. Idempotent."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
            Path(self.path).unlink(missing_ok=True)


def call_on_release(call: Callable[[], None]) -> None:
    """Call the function in a separate thread once the stop lock that the environment names is released.

    If the environment names no lock, as under `dagster dev`, the function is never called.
    """
    path = os.environ.get(STOP_LOCK_VARIABLE)
    if path is None:
        return

    def wait() -> None:
        # Without the file, the stack that held the lock has stopped.
        with suppress(FileNotFoundError), Path(path).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
        call()

    threading.Thread(target=wait, name="castad-stop", daemon=True).start()


def get_shared_instance(context: SensorEvaluationContext) -> DagsterInstance:
    """Return the tick's Dagster instance, opened once per process, because opening it takes longer than a tick."""
    ref = context.instance_ref
    if ref is None:
        return context.instance
    with _opening:
        if not _opened or _opened[0][0] != ref:
            _opened[:] = [(ref, DagsterInstance.from_ref(ref))]
        return _opened[0][1]
