"""A process that sends webhooks until a test kills it."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from pipeline_defs.catalog import catalog
from resources.ledger.db.database import Database
from resources.process.settings import Settings
from sensors.webhooks.sender import WebhookSender

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
    WebhookSender(Database(url), settings, catalog()).stay_awake(3600)
    threading.Event().wait()
