"""The line in which the twins of the requests sensor wait, each inside its tick, for due requests."""

import logging
import math
import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from resources.ledger.db.database import Database, open_database
from resources.ledger.db.notifications import watching
from resources.ledger.db.retry import silence
from resources.ledger.db.transient import is_weather
from resources.ledger.moves.dispatch import dispatch_due, hand_out
from resources.ledger.queries.due import Places
from resources.ledger.queries.outlook import Outlook, due_names, look
from resources.ledger.queries.spending import parked_providers, waiting_for
from resources.ledger.request import Request
from resources.process.settings import settings
from sensors.lanes import BATCH, linger, may_go_home, next_thought, until_refill
from sensors.limits import Stages, places_of

OFF = "requests_sensor is switched off, and its twins with it"
STOPPING = "the code server is stopping"

# What no word comes of: a worker that went silent, or spoke again; a word lost with its connection.
_LOOK_EVERY = 2.0
# Where somebody else holds every due row locked, or the ledger is in trouble.
_CONTENDED_SECONDS = 0.25
_TROUBLE_SECONDS = 1.0
_FAULT_SECONDS = 5.0
_MOST_NAMED = 3
# A look past many requests that wait for another day is slow: it takes a tenth of the time at most.
_REST_PER_LOOK = 9

_log = logging.getLogger("castad.sensor")
_probe = ThreadPoolExecutor(1, thread_name_prefix="castad-probe")

IsOff = Callable[[], bool]


@dataclass(frozen=True)
class Found:
    """What a tick came back with: requests to run, or why there are none."""

    held: Sequence[Request] = ()
    reason: str = ""


@dataclass(eq=False)
class _Twin:
    is_off: IsOff
    since: float
    found: Found | Exception | None = None


def look_once(is_off: IsOff, stages: Stages) -> Found:
    """What is due now is dispatched; nobody waits."""
    if is_off():
        return Found(reason=OFF)
    config = settings()
    db, places = open_database(config.ledger_url), places_of(config, stages)
    held = dispatch_due(db, places, BATCH)
    return Found(held) if held else Found(reason=why_idle(db, look(db, places, BATCH)))


def why_idle(db: Database, outlook: Outlook) -> str:
    """Why nothing is started, for people."""
    parked = parked_providers(db) if outlook.is_parked else []
    reasons = [
        f"{parking.provider} is parked until {parking.until:%H:%M:%S} UTC "
        f"(requests waiting: {waiting_for(db, parking.provider)}): {parking.why}"
        for parking in parked
    ]
    if not outlook.offered:
        reasons.append("no worker is alive: start `castad worker`")
    elif not outlook.free:
        reasons.append(f"no place is free: {outlook.offered} of {outlook.offered} are taken")
    elif outlook.ready and (names := due_names(db, _MOST_NAMED)):
        reasons.append(f"due, and locked or not to be moved (see the log): {', '.join(names)}")
    return "; ".join(reasons) or "nothing is due"


class Line:
    """Where ticks wait: first come, first served, and no more of them than the code server bears.

    One thread watches the ledger for all, from the first that comes until the last has left: what hangs with
    the database is this thread, and never a tick.
    """

    def __init__(self, twins: int, stages: Stages) -> None:
        self._twins = twins
        self._stages = stages
        self._changed = threading.Condition()
        self._standing: list[_Twin] = []
        self._watcher: threading.Thread | None = None
        self._reason = ""
        self._is_stopping = False
        self._last_arrival = -math.inf
        self._gone = 0
        self._last_answer = -math.inf

    def stand(self, is_off: IsOff) -> Found:
        """Wait until something is due and has a place, and is dispatched; or until it is time to leave.

        Raises what broke while this one stood at the front.
        """
        if is_off():
            return Found(reason=OFF)
        with self._changed:
            if self._is_stopping:
                return Found(reason=STOPPING)
            if len(self._standing) >= self._twins:
                return Found(
                    reason=f"{self._twins} twins wait already; the code server bears no more"
                )
            twin = self._join(is_off)
            try:
                while twin.found is None and not self._may_leave(twin):
                    at = time.monotonic()
                    self._changed.wait(next_thought(at - self._last_arrival, at - twin.since))
            finally:
                self._leave(twin)
        if isinstance(twin.found, Exception):
            raise twin.found
        return twin.found or Found(reason=self._reason)

    def stop(self) -> None:
        """Every tick that waits ends now, and later ones do not wait."""
        with self._changed:
            self._is_stopping = True
        self._send_home(STOPPING)

    def _join(self, is_off: IsOff) -> _Twin:
        if not self._standing:
            self._reason = "the ledger does not answer"
        twin = _Twin(is_off, time.monotonic())
        self._standing.append(twin)
        self._last_arrival = twin.since
        self._gone = 0
        if self._watcher is None:
            self._watcher = threading.Thread(target=self._watch, name="castad-line", daemon=True)
            self._watcher.start()
        self._changed.notify_all()
        return twin

    def _may_leave(self, twin: _Twin) -> bool:
        at = time.monotonic()
        return may_go_home(
            self._standing.index(twin),
            self._gone,
            self._twins,
            since_arrival=at - self._last_arrival,
            waited=at - twin.since,
        )

    def _leave(self, twin: _Twin) -> None:
        if twin in self._standing:
            self._standing.remove(twin)
            self._gone += 1
            self._changed.notify_all()

    def _watch(self) -> None:
        while self._is_wanted():
            try:
                self._serve()
            except Exception as error:  # noqa: BLE001 - a tick is where people see it
                self._bear(error)

    def _bear(self, error: Exception) -> None:
        if not is_weather(error):
            self._answer(error)
            time.sleep(_FAULT_SECONDS)
            return
        self._reason = f"the ledger does not answer ({silence(error)})"
        _log.warning("%s", self._reason)
        time.sleep(_TROUBLE_SECONDS * (0.5 + random.random()))  # noqa: S311 - jitter needs no secrecy

    def _is_wanted(self) -> bool:
        with self._changed:
            if not self._standing:
                self._watcher = None
            return bool(self._standing)

    def _serve(self) -> None:
        config = settings()
        db, places = open_database(config.ledger_url), places_of(config, self._stages)
        with watching(db) as watch:
            rest = 0.0
            while self._standing:
                watch.wait(rest)
                if _process_ends():
                    self._send_home(STOPPING)
                else:
                    rest = self._turn(db, places)

    def _turn(self, db: Database, places: Places) -> float:
        """One look and what follows from it; returns how long nothing has to be looked at unasked."""
        began = time.monotonic()
        outlook = look(db, places, BATCH)
        if not outlook.ready:
            self._reason = why_idle(db, outlook)
            time.sleep(_REST_PER_LOOK * (time.monotonic() - began))
            return min(_LOOK_EVERY, max(outlook.changes_in or _LOOK_EVERY, 0.001))
        if outlook.ready < BATCH:
            time.sleep(self._linger())
        if self._is_off():
            return _LOOK_EVERY
        held = hand_out(db, places, BATCH)
        if not held:
            self._reason = why_idle(db, outlook)
            time.sleep(_CONTENDED_SECONDS)
        else:
            self._answer(Found(held))
        return 0.0

    def _linger(self) -> float:
        at, refill = time.monotonic(), until_refill(time.monotonic() - self._last_arrival)
        waiting = max(len(self._standing), 1)
        return linger(waiting, self._twins, at - self._last_answer, refill)

    def _is_off(self) -> bool:
        """Whether somebody has switched the sensor off meanwhile: then everybody is sent home."""
        with self._changed:
            front = next(iter(self._standing), None)
        if front is None or front.is_off():
            self._send_home(OFF)
            return True
        return False

    def _send_home(self, reason: str) -> None:
        while self._standing:
            self._answer(Found(reason=reason))

    def _answer(self, found: Found | Exception) -> None:
        """The one at the front has it. Where nobody stands any more the requests fall back by themselves."""
        with self._changed:
            if self._standing:
                self._standing.pop(0).found = found
                self._gone += 1
                self._last_answer = time.monotonic()
                self._changed.notify_all()


def _process_ends() -> bool:
    """Whether the interpreter waits for its threads to end, of which every tick is one.

    Nothing says so but an executor, which takes no work from then on.
    """
    try:
        _probe.submit(int)
    except RuntimeError:
        return True
    return False
