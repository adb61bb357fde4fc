"""A process that sends webhooks until a test kills it."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from resources.delivery.webhooks import make_webhook_loop
from resources.ledger.db.database import Database
from resources.process.settings import Settings
from sensors.delivery import read_result

_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(["tests.integration.webhook_process"])


@contextmanager
def webhook_process(url: str, settings: Settings) -> Iterator[int]:
    """Its process id; it is gone at the end of the block."""
    process = _forks.Process(target=_live, args=(url, settings))
    process.start()
    assert process.pid is not None
    try:
        yield process.pid
    finally:
        process.kill()
        process.join()


def kill(pid: int) -> None:
    """It is gone, whatever it was about."""
    os.kill(pid, signal.SIGKILL)


def _live(url: str, settings: Settings) -> None:
    make_webhook_loop(Database(url), settings, read_result).stay_awake()
    threading.Event().wait()
