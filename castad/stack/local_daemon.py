"""The health of the Dagster daemon, its failed ticks, and a local daemon that a command starts and stops."""

import logging
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from castad.dagster_storage.home import build_dagster_environment, log_file, make_dagster_home
from castad.engine.on_demand import is_on_demand, worker_lock
from castad.stack.processes import StopFlag, end_process, may_restart, start_group, stop_groups
from resources.contract.errors import CastadError
from resources.process.configure_logging import open_log
from resources.process.settings import CODE_ROOT, Settings

if TYPE_CHECKING:
    from dagster import DagsterInstance

_CLASS_NAME = re.compile(r"^[\w.]+: ")
_LONGEST = 300


@dataclass(frozen=True)
class TickFailure:
    """A sensor or schedule whose newest ended tick failed; `count` is the number of failures in a row."""

    name: str
    count: int
    age: float
    error: str

    @property
    def sentence(self) -> str:
        """The failure in one sentence for people."""
        ticks = "its last tick" if self.count == 1 else f"its last {self.count} ticks"
        return f"{ticks} failed, the newest {self.age:.0f} s ago: {self.error}"


def read_tick_failures(instance: "DagsterInstance") -> list[TickFailure]:
    """Read the failure of every sensor and schedule whose newest ended tick failed, sorted by name."""
    from resources.dagster.internals import TickStatus

    newest: dict[str, Any] = {}
    ended = [TickStatus.SUCCESS, TickStatus.SKIPPED, TickStatus.FAILURE]
    for state in instance.all_instigator_state():
        origin, selector = state.instigator_origin_id, state.selector_id
        for tick in instance.get_ticks(origin, selector, limit=1, statuses=ended):
            known = newest.get(tick.instigator_name)
            # Each code location that has had the sensor has separate ticks.
            if known is None or tick.timestamp > known.timestamp:
                newest[tick.instigator_name] = tick
    return [
        TickFailure(
            name=name,
            count=max(tick.tick_data.consecutive_failure_count, 1),
            age=max(time.time() - (tick.end_timestamp or tick.timestamp), 0.0),
            error=_find_sentence(tick),
        )
        for name, tick in sorted(newest.items())
        if tick.status is TickStatus.FAILURE
    ]


def _find_sentence(tick: Any) -> str:
    """Find the first line of the sensor's error, without the name of its class."""
    error = tick.error and (tick.error.cause or tick.error)
    lines = error.message.strip().splitlines() if error else []
    if not lines:
        return "the log of the daemon says why"
    return _CLASS_NAME.sub("", lines[0], count=1)[:_LONGEST]


SENSOR = "requests_sensor"
# Its ticks never wait, so the age of the last one shows whether the daemon is running.
_HEALTH_SENSOR = "rescue_sensor"
_REPORTED_SENSORS = (SENSOR, _HEALTH_SENSOR, "outbox_sensor")
_HEARTBEAT_MAX_AGE = 60.0
_TICK_MAX_AGE = 15.0
_POLL_INTERVAL = 3.0
# Time for its ticks to end, and for its code server after them. A kill after that loses nothing.
_DAEMON_GRACE = 10.0
_CODE_SERVER_GRACE = 2.0
_LOG_TAIL = 15


class LocalDaemonError(CastadError):
    """The local daemon or worker did not start, or exited."""

    code = "engine_failed"


@dataclass(frozen=True)
class DaemonHealth:
    """Seconds since the sensor daemon's heartbeat and since `rescue_sensor`'s last tick; None if there was none.

    `tick_ages` has the age of the last tick of each reported sensor. `failures` are sensors and schedules whose
    newest ended tick failed.
    """

    heartbeat_age: float | None
    tick_age: float | None
    is_switched_off: bool = False
    tick_ages: Mapping[str, float] = field(default_factory=dict)
    failures: Sequence[TickFailure] = ()

    @property
    def is_running(self) -> bool:
        """Whether a daemon is running: heartbeat and tick are recent. The tick's age shows an outage sooner."""
        has_heartbeat = self.heartbeat_age is not None and self.heartbeat_age <= _HEARTBEAT_MAX_AGE
        return has_heartbeat and self.tick_age is not None and self.tick_age <= _TICK_MAX_AGE

    @property
    def dispatch_trouble(self) -> str | None:
        """The reason why no request is dispatched; None if requests are dispatched."""
        if self.is_switched_off:
            return f"{SENSOR} is switched off"
        failed = next((each for each in self.failures if each.name == SENSOR), None)
        if failed is not None:
            return f"{SENSOR}: {failed.sentence}"
        if not self.is_running:
            heartbeat, tick = format_time_ago(self.heartbeat_age), format_time_ago(self.tick_age)
            return f"no sensor ticks (last tick {tick}, last heartbeat of the daemon {heartbeat})"
        return None


def format_time_ago(seconds: float | None) -> str:
    """Format how long ago something was, in whole seconds; None is never."""
    return "never" if seconds is None else f"{seconds:.0f} s ago"


def open_instance(settings: Settings) -> "DagsterInstance":
    """Open the Dagster instance of this state folder, with Dagster's warnings and log lines silenced."""
    warnings.simplefilter("ignore")
    logging.getLogger("dagster").setLevel(logging.CRITICAL)
    from dagster import DagsterInstance

    return DagsterInstance.from_config(str(make_dagster_home(settings)))


def read_daemon_health(instance: "DagsterInstance") -> DaemonHealth:
    """Read the daemon's health from Dagster's storage."""
    from resources.dagster.internals import InstigatorStatus, InstigatorType

    now = time.time()
    heartbeat = instance.get_daemon_heartbeats().get("SENSOR")
    states = instance.all_instigator_state(instigator_type=InstigatorType.SENSOR)
    ticks: dict[str, float] = {}
    for state in states:
        if state.name in _REPORTED_SENSORS:
            started = getattr(state.instigator_data, "last_tick_start_timestamp", None) or 0.0
            ticks[state.name] = max(started, ticks.get(state.name, 0.0))
    ages = {name: now - started for name, started in ticks.items() if started}
    return DaemonHealth(
        heartbeat_age=None if heartbeat is None else now - heartbeat.timestamp,
        tick_age=ages.get(_HEALTH_SENSOR),
        tick_ages=ages,
        failures=read_tick_failures(instance),
        is_switched_off=any(
            state.name == SENSOR and state.status is InstigatorStatus.STOPPED for state in states
        ),
    )


class LocalDaemon:
    """The daemon that a command needs: one that already runs, or one that it starts itself."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._instance = open_instance(settings)
        self._log = log_file(settings, "daemon")
        self._daemon: subprocess.Popen[bytes] | None = None
        self._worker: subprocess.Popen[bytes] | None = None
        self._last_check = 0.0
        self._deaths: list[float] = []

    @property
    def is_started_here(self) -> bool:
        """Whether this process started the daemon and will stop it."""
        return self._daemon is not None

    def ensure_running(self) -> None:
        """Start a daemon if none is running, and restart one of this process that was killed.

        Raises LocalDaemonError if its sensor is off or a process started here exited.
        """
        if self._daemon is not None:
            if self._count_kill("Dagster daemon", self._daemon, self._log):
                stop_groups([self._daemon], _CODE_SERVER_GRACE)
                self._daemon = self._start_daemon()
            log = log_file(self._settings, "worker")
            if self._worker is not None and self._count_kill("worker", self._worker, log):
                self._worker = self._start_worker()
            return
        if time.monotonic() - self._last_check < _POLL_INTERVAL:
            return
        self._last_check = time.monotonic()
        daemon_health = read_daemon_health(self._instance)
        if daemon_health.is_switched_off:
            raise LocalDaemonError(
                f"{SENSOR} is switched off, so no request is dispatched; switch it on in the Dagster UI "
                "(`castad up`, Automation)",
                code="sensor_off",
            )
        if not daemon_health.is_running:
            self._worker = self._start_worker()
            self._daemon = self._start_daemon()

    def _count_kill(self, what: str, process: "subprocess.Popen[bytes]", log: Path) -> bool:
        """Count the death of a process that a signal killed, and return whether it was killed.

        Raises LocalDaemonError if it exited by itself, or was killed too often.
        """
        status = process.poll()
        if status is None:
            return False
        if status >= 0:
            lines = log.read_text(errors="replace").splitlines()[-_LOG_TAIL:]
            tail = "\n".join(f"  {line}" for line in lines)
            raise LocalDaemonError(
                f"the {what} exited unexpectedly (exit code {status}); the end of {log}:\n{tail}"
            )
        self._deaths.append(time.monotonic())
        if not may_restart(self._deaths, self._deaths[-1]):
            raise LocalDaemonError(f"the {what} is killed again and again; see {log}")
        return True

    def wait_for_run_end(self, run_id: str | None, stop: StopFlag, seconds: float = 15.0) -> None:
        """Wait until a run of this process' daemon has ended in Dagster's storage too, `seconds` at most."""
        deadline = time.monotonic() + seconds
        while self.is_started_here and run_id is not None and time.monotonic() < deadline:
            run = self._instance.get_run_by_id(run_id)
            if run is None or run.is_finished:
                return
            stop.pause(0.1)

    def stop(self) -> None:
        """Stop every process started here, and mirror all ledger events to the event log.

        The daemon's heartbeats are wiped, so that the next command sees at once that no daemon is running.
        """
        with self._instance:
            if self._daemon is None and self._worker is None:
                return
            if self._daemon is not None:
                # The daemon first: its ticks end while their code server answers, and it cannot dispatch requests
                # that the worker requeues.
                end_process(self._daemon, _DAEMON_GRACE)
                stop_groups([self._daemon], _CODE_SERVER_GRACE)
                self._instance.wipe_daemon_heartbeats()
            if self._worker is not None:
                stop_groups([self._worker], self._settings.stop_grace)
            self._daemon = self._worker = None
            from sensors.event_mirror import mirror_events

            mirror_events(self._instance)

    def _start_daemon(self) -> "subprocess.Popen[bytes]":
        return self._start_part("daemon", self._log)

    def _start_part(
        self, command: str, log: Path, inherits: Sequence[int] = ()
    ) -> "subprocess.Popen[bytes]":
        environment = build_dagster_environment(self._settings)
        with open_log(log) as output:
            parts = [sys.executable, "-m", "castad", command]
            return start_group(parts, environment, output, inherits, CODE_ROOT)

    def _start_worker(self) -> "subprocess.Popen[bytes] | None":
        """Start a worker, unless one is alive or operators start workers because there is a broker URL."""
        if not is_on_demand(self._settings):
            return None
        with worker_lock(self._settings) as lock_fd:
            if lock_fd is None:
                return None
            return self._start_part("worker", log_file(self._settings, "worker"), (lock_fd,))
