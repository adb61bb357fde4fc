"""Start a worker on demand: where the broker is a folder, the process that launches a run starts one.

Two locks in the state folder decide; the kernel releases them however their holders end. Every process that may
launch runs holds the keep-alive lock `keepers.lock`, shared: the worker stops once it is free. The worker holds
`worker.lock`. Its parent locks it first and the child inherits the locked descriptor, so that at most one worker
starts, however many processes try at once.
"""

import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from castad.dagster_storage.home import build_dagster_environment, log_file
from resources.ledger.workers.worker import get_workers_folder
from resources.process.configure_logging import open_log
from resources.process.file_locks import lock_if_free, open_lock_file, try_exclusive_lock
from resources.process.settings import CODE_ROOT, Settings

_POLL_INTERVAL = 0.5
_IDLE_SECONDS = 3.0


def is_on_demand(settings: Settings) -> bool:
    """Check whether workers are started on demand; with a broker URL, operators start them."""
    return settings.broker_url is None


@lru_cache(maxsize=1)
def hold_keepalive_lock(folder: Path) -> int:
    """Hold the keep-alive lock until this process ends; return the descriptor."""
    descriptor = open_lock_file(folder / "keepers.lock")
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    return descriptor


def ensure_worker(settings: Settings) -> None:
    """Start a worker if workers are started on demand and none is alive."""
    if not is_on_demand(settings):
        return
    hold_keepalive_lock(get_workers_folder(settings.home))
    with worker_lock(settings) as lock_fd:
        if lock_fd is not None:
            _start(settings, lock_fd)


@contextmanager
def worker_lock(settings: Settings) -> Iterator[int | None]:
    """Lock a descriptor for a child to inherit; yield None where a worker is alive.

    The child holds the lock until it ends; its own children do not inherit it.
    """
    descriptor = lock_if_free(get_workers_folder(settings.home) / "worker.lock")
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            # Closed, not unlocked: the child shares the open file that the lock belongs to.
            os.close(descriptor)


def wait_until_idle(settings: Settings, stopped: threading.Event) -> bool:
    """Wait until the keep-alive lock has been free for a few seconds; return False if stopped before."""
    descriptor = open_lock_file(get_workers_folder(settings.home) / "keepers.lock")
    free_for = 0.0
    try:
        while free_for < _IDLE_SECONDS:
            if stopped.wait(_POLL_INTERVAL):
                return False
            free_for = free_for + _POLL_INTERVAL if _is_free(descriptor) else 0.0
        return True
    finally:
        os.close(descriptor)


def _is_free(descriptor: int) -> bool:
    if not try_exclusive_lock(descriptor):
        return False
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return True


def _start(settings: Settings, lock_fd: int) -> None:
    with open_log(log_file(settings, "worker")) as log:
        subprocess.Popen(
            [sys.executable, "-m", "castad", "worker", "--while-needed"],
            env=build_dagster_environment(settings),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=(lock_fd,),
            # Python and Dagster import from the working folder, which may be any repository.
            cwd=CODE_ROOT,
        )
