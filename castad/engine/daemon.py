"""Run Dagster's daemon, with a sensor loop that wakes as soon as a tick has ended."""

import os
import sys
import threading
from collections.abc import Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing
from pathlib import Path
from typing import Any

from dagster import DagsterInstance
from dagster_shared.error import SerializableErrorInfo

from castad.dagster_storage.home import build_dagster_environment, make_dagster_home
from resources.dagster.internals import (
    SensorDaemon,
    SpanMarker,
    WorkspaceFileTarget,
    capture_interrupts,
    create_daemon_of_type,
    daemon_controller_from_instance,
    execute_sensor_iteration,
    serializable_error_info_from_exc_info,
)
from resources.process.setting_types import STOP_LOCK_VARIABLE
from resources.process.settings import Settings
from sensors.dispatch_waiter import StopLock, call_on_release

SHORTEST_PAUSE = 0.05
LONGEST_PAUSE = 1.0
"""Also after an error: once a database answers again, ticks resume at once."""
_TICKS_GRACE = 3.0
Tick = Future[Any]


def run_daemon(settings: Settings, workspace: Path) -> None:
    """Run the daemon until a signal stops it, and wait until its ticks have ended."""
    os.environ.update(build_dagster_environment(settings))
    folder = make_dagster_home(settings)
    with (
        closing(_StopTicks(folder)) as stop_ticks,
        capture_interrupts(),
        DagsterInstance.from_config(str(folder)) as instance,
        daemon_controller_from_instance(
            instance,
            WorkspaceFileTarget([str(workspace)]),
            gen_daemons=_make_daemons,
            code_server_log_level="warning",
            log_level="error",
        ) as controller,
    ):
        try:
            controller.check_daemon_loop()
        except KeyboardInterrupt:
            # The code server still answers here: a tick that loses it is marked as failed.
            stop_ticks.close()
            sensors = controller.get_daemon(SensorDaemon.daemon_type())
            if isinstance(sensors, PromptSensorDaemon):
                sensors.finish()


class _StopTicks:
    """The stop lock of this process, unless its parent process holds one for it."""

    def __init__(self, folder: Path) -> None:
        self._lock = None if STOP_LOCK_VARIABLE in os.environ else StopLock(folder)
        if self._lock is not None:
            os.environ[STOP_LOCK_VARIABLE] = self._lock.path

    def close(self) -> None:
        """End the ticks that wait in a code server of this process. Idempotent."""
        if self._lock is not None:
            self._lock.release()


def _make_daemons(instance: DagsterInstance) -> Iterable[Any]:
    """Make Dagster's daemons, with our sensor daemon in place of the stock one."""
    for kind in instance.get_required_daemon_types():
        if kind == SensorDaemon.daemon_type():
            yield PromptSensorDaemon(instance.get_sensor_settings())
        else:
            yield create_daemon_of_type(kind, instance)


class PromptSensorDaemon(SensorDaemon):
    """Dagster's sensor daemon, which evaluates the sensors when a tick has ended, and every second.

    The stock loop does so every 5 s, also after an error. A sensor that has just answered could then not wait for
    the next request.
    """

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self._ticks: dict[str, Tick] = {}
        self._stopping = threading.Event()
        call_on_release(self._stopping.set)

    def core_loop(
        self,
        workspace_process_context: Any,
        shutdown_event: threading.Event,
    ) -> Generator[Any, None, None]:
        """Start ticks until the process ends, each sensor's no sooner than its minimum interval allows."""
        while True:
            yield SpanMarker.START_SPAN
            if not self._stopping.is_set():
                yield from self._start_ticks(workspace_process_context)
            yield SpanMarker.END_SPAN
            shutdown_event.wait(pause_after(self._ticks.values()))

    def _start_ticks(self, workspace_process_context: Any) -> Generator[Any, None, None]:
        try:
            yield from execute_sensor_iteration(
                workspace_process_context,
                self._logger,
                self._threadpool_executor,
                self._submit_threadpool_executor,
                self._ticks,
            )
        except Exception:
            # The stock loop would pause for 5 s after this error.
            error = serializable_error_info_from_exc_info(sys.exc_info())
            self._logger.exception("sensors were not evaluated")
            yield error

    def finish(self) -> None:
        """Start no further tick, and wait until those in progress have ended or their grace is over."""
        self._stopping.set()
        wait(list(self._ticks.values()), _TICKS_GRACE)


def pause_after(ticks: Iterable[Tick]) -> float:
    """Wait for a tick to end, at most the longest pause; return how long to wait further, in seconds."""
    running = [tick for tick in ticks if not tick.done()]
    if not running:
        return LONGEST_PAUSE
    ended, _ = wait(running, LONGEST_PAUSE, FIRST_COMPLETED)
    # A code server that is down would fail tick after tick.
    return LONGEST_PAUSE if any(map(_has_failed, ended)) else SHORTEST_PAUSE


def _has_failed(tick: Tick) -> bool:
    # Dagster's storage may fail while a tick is saved; then the tick has no result.
    if tick.exception() is not None:
        return True
    return any(isinstance(result, SerializableErrorInfo) for result in tick.result())
