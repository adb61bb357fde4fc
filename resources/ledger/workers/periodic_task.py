"""Work that a process does again and again, in one thread for all who need it."""

import logging
import random
import threading
import time
from collections.abc import Callable

_log = logging.getLogger("castad.worker")


class Recurring:
    """Does `work` every so many seconds while it is `needed`, and sooner where it went wrong or says False.

    What goes wrong ends nothing: the thread lives from start to stop.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[], bool | None],
        *,
        every: float,
        after_failure: float,
        needed: Callable[[], bool] = lambda: True,
    ) -> None:
        self._name = name
        self._work = work
        self._every = every
        self._after_failure = after_failure
        self._needed = needed
        self._changed = threading.Condition()
        self._stopped = False
        self._asked = False
        self._due = 0.0
        self._trouble: str | None = None
        self._done = float("-inf")
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self, done: float | None = None) -> None:
        """The thread runs; `done` is when the work was last done already, if it was."""
        if done is not None:
            self._done, self._due = done, done + self._every
        self._thread.start()

    def stop(self) -> None:
        """The work is done no more."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        self._thread.join()

    def ask(self) -> None:
        """The work is done now, whenever it is due."""
        with self._changed:
            self._asked = True
            self._changed.notify_all()

    def reconsider(self) -> None:
        """Whether the work is needed may have changed."""
        with self._changed:
            self._changed.notify_all()

    @property
    def done(self) -> float:
        """When the last work that succeeded began, by this process' monotonic clock."""
        return self._done

    def wait_until_done(self, since: float, seconds: float, unless: Callable[[], bool]) -> bool:
        """Whether work that began at or after `since` succeeds within so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._done >= since or unless(), seconds)
            return self._done >= since

    def _run(self) -> None:
        while self._wait_for_turn():
            began = time.monotonic()
            try:
                is_whole = self._work() is not False
            except Exception as error:  # noqa: BLE001 - leases must be renewed whatever happened
                self._tell(type(error).__name__)
                self._due = time.monotonic() + self._pause()
            else:
                self._tell(None)
                self._due = began + self._every if is_whole else time.monotonic() + self._pause()
                with self._changed:
                    self._done = began
                    self._changed.notify_all()

    def _pause(self) -> float:
        return self._after_failure * random.uniform(0.5, 1.5)  # noqa: S311 - jitter

    def _tell(self, trouble: str | None) -> None:
        if trouble != self._trouble:
            _log.warning("%s: %s", self._name, trouble or "all is well again")
            self._trouble = trouble

    def _wait_for_turn(self) -> bool:
        """Wait until the work is due or asked for; False once it is to stop."""
        with self._changed:
            while not self._stopped:
                left = self._due - time.monotonic()
                if self._asked or (self._needed() and left <= 0):
                    break
                self._changed.wait(left if self._needed() else None)
            self._asked = False
            return not self._stopped
