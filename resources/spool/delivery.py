"""Deliver the entries of the spool: one thread a target, so that a target that is down delays no other.

A file lock decides which process of a state folder delivers to a target.
"""

import logging
import math
import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from resources.contract.errors import CastadError, PermanentError, StateUnavailableError
from resources.process.configure_logging import LOG_FIELDS
from resources.process.file_locks import lock_if_free
from resources.spool.spool import Spool, Waiting, random_wait_after

Target = Callable[[Mapping[str, Any]], None]
"""Delivers a body. Raises PermanentError where it never can be delivered, and anything else to be called again."""

_LOOK_SECONDS = 0.5
_QUIET_SECONDS = 0.25
_LONGEST_BUSY = 3.0
_PURGE_SECONDS = 3_600.0
_STOP_SECONDS = 10.0
_LONGEST_ERROR = 300

_log = logging.getLogger("castad.spool")


class Delivery:
    """Delivers in the background from `start` to `stop`.

    In a process that answers people, `seconds_idle` returns for how long it has answered none. Messages wait
    until that is a quarter of a second, but no longer than 3 s.
    """

    def __init__(
        self,
        spool: Spool,
        targets: Mapping[str, Target],
        seconds_idle: Callable[[], float] | None = None,
    ) -> None:
        self._spool = spool
        self._seconds_idle = seconds_idle
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(
                target=self._serve, args=(name, target), name=f"castad-save-{name}", daemon=True
            )
            for name, target in targets.items()
        ]

    def start(self) -> None:
        """Start the threads that deliver."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Begin no more deliveries; wait up to 10 s for one under way."""
        self._stopping.set()
        until = time.monotonic() + _STOP_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _serve(self, name: str, target: Target) -> None:
        while not self._stopping.is_set():
            lock = self._take_lock(name)
            if lock is None:
                self._stopping.wait(_LOOK_SECONDS)
                continue
            try:
                self._serve_locked(name, target)
            finally:
                os.close(lock)

    def _serve_locked(self, name: str, target: Target) -> None:
        purge_at = 0.0
        while not self._stopping.is_set():
            self._wait_while_busy()
            try:
                deliver_due(self._spool, name, target, self._stopping.is_set)
                if time.monotonic() >= purge_at:
                    self._spool.purge()
                    purge_at = time.monotonic() + _PURGE_SECONDS
            except StateUnavailableError as error:
                _log.warning("spool not read: %s", error.message)
            except Exception as error:  # noqa: BLE001 - nothing may stop the deliveries of this process for good
                _log.error(
                    "saves not delivered", extra={LOG_FIELDS: {"error": type(error).__name__}}
                )
            self._stopping.wait(_LOOK_SECONDS)

    def _wait_while_busy(self) -> None:
        until = time.monotonic() + _LONGEST_BUSY
        while self._seconds_idle is not None and time.monotonic() < until:
            left = _QUIET_SECONDS - self._seconds_idle()
            if left <= 0 or self._stopping.wait(left):
                return

    def _take_lock(self, name: str) -> int | None:
        try:
            return lock_if_free(_get_lock_file(self._spool.path.parent, name))
        except OSError:
            return None


def _get_lock_file(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"spool-{name}.lock"


def deliver_due(
    spool: Spool,
    name: str,
    target: Target,
    is_stopping: Callable[[], bool] = lambda: False,
    *,
    until_failure: bool = False,
) -> int:
    """Try every due entry of the target once; return the number of delivered ones.

    With `until_failure` it stops at the first failure. Raises StateUnavailableError if the spool is unusable.
    """
    count = 0
    while entries := spool.due(name):
        for entry in entries:
            if is_stopping():
                return count
            was_delivered = _deliver(spool, target, entry)
            if until_failure and not was_delivered:
                return count
            count += was_delivered
    return count


def deliver_once(spool: Spool, targets: Mapping[str, Target], seconds: float = math.inf) -> int:
    """Try due entries once, for up to `seconds`; skip a target that fails or is locked by another process."""
    until, count = time.monotonic() + seconds, 0
    for name, target in targets.items():
        lock = lock_if_free(_get_lock_file(spool.path.parent, name))
        if lock is None:
            continue
        try:
            count += deliver_due(
                spool, name, target, lambda: time.monotonic() > until, until_failure=True
            )
        finally:
            os.close(lock)
    return count


def _deliver(spool: Spool, target: Target, entry: Waiting) -> bool:
    try:
        target(entry.body)
    except PermanentError as error:
        spool.give_up(entry, _describe_error(error))
        _log.error("save is dead", extra={LOG_FIELDS: _build_log_fields(entry, error)})
        return False
    except Exception as error:  # noqa: BLE001 - a target may raise anything, and no entry may stop the others
        spool.failed(entry, _describe_error(error), random_wait_after(entry.attempts + 1))
        if not entry.attempts:
            _log.warning(
                "save not delivered yet", extra={LOG_FIELDS: _build_log_fields(entry, error)}
            )
        return False
    spool.delivered(entry)
    return True


def _describe_error(error: Exception) -> str:
    """Name only the class of a driver's error, because its message may hold an address with its password."""
    text = (
        f"{error.message} [{error.code}]"
        if isinstance(error, CastadError)
        else type(error).__name__
    )
    return text[:_LONGEST_ERROR]


def _build_log_fields(entry: Waiting, error: Exception) -> Mapping[str, Any]:
    return {"target": entry.target, "key": entry.key, "error": _describe_error(error)}
