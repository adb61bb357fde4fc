"""A periodic task of a process, in a thread of its own."""

import logging
import random
import threading
import time
from collections.abc import Callable

_log = logging.getLogger("castad.worker")


class PeriodicTask:
    """Calls `work` every `every` seconds while `is_needed`.

    After an exception or False the next call follows in `failure_delay`. An exception does not end the
    thread, which runs from `start` to `stop`.
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
        """Start the thread; `last_success` is when the work was last done, if it was."""
        if last_success is not None:
            self.last_success, self._due = last_success, last_success + self._every
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        self._thread.join()

    def run_now(self) -> None:
        """Call `work` now, even if it is not due."""
        with self._changed:
            self._run_now = True
            self._changed.notify_all()

    def reconsider(self) -> None:
        """Evaluate `is_needed` again."""
        with self._changed:
            self._changed.notify_all()

    def wait_for_success(self, since: float, seconds: float, unless: Callable[[], bool]) -> bool:
        """Whether a call that began at or after `since` succeeds within `seconds`; gives up at `unless`."""
        with self._changed:
            self._changed.wait_for(lambda: self.last_success >= since or unless(), seconds)
            return self.last_success >= since

    def _run(self) -> None:
        while self._wait_until_due():
            began = time.monotonic()
            try:
                succeeded = self._work() is not False
            except Exception as error:  # noqa: BLE001 - leases must be renewed whatever happened
                self._log_transition(type(error).__name__)
                self._due = time.monotonic() + self._retry_delay()
            else:
                self._log_transition(None)
                self._due = (
                    began + self._every if succeeded else time.monotonic() + self._retry_delay()
                )
                with self._changed:
                    self.last_success = began
                    self._changed.notify_all()

    def _retry_delay(self) -> float:
        return self._failure_delay * random.uniform(0.5, 1.5)  # noqa: S311 - jitter

    def _log_transition(self, error_name: str | None) -> None:
        if error_name != self._last_error:
            if error_name is None:
                _log.warning("periodic task recovered: task=%s", self._name)
            else:
                _log.warning("periodic task failed: task=%s error=%s", self._name, error_name)
            self._last_error = error_name

    def _wait_until_due(self) -> bool:
        """Wait until the work is due or requested; False once the task is stopped."""
        with self._changed:
            while not self._stopped:
                left = self._due - time.monotonic()
                if self._run_now or (self._is_needed() and left <= 0):
                    break
                self._changed.wait(left if self._is_needed() else None)
            self._run_now = False
            return not self._stopped
