"""A process that opens a worker and is killed, stopped or left alone by a test."""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from resources.ledger.db.database import Database
from resources.ledger.workers.worker import Worker
from resources.process.settings import Settings

_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(["tests.integration.worker_process"])


@dataclass(frozen=True)
class WorkerProcess:
    """A worker in a process of its own; `child` is a process that it has started in turn."""

    process: BaseProcess
    name: str
    owner: str
    child: int

    def send(self, number: signal.Signals) -> None:
        assert self.process.pid is not None
        os.kill(self.process.pid, number)

    def kill(self) -> None:
        """It is gone, its child is not."""
        self.send(signal.SIGKILL)
        self.process.join()


@contextmanager
def worker_process(url: str, settings: Settings) -> Iterator[WorkerProcess]:
    """Open a worker; it and its child are gone at the end of the block."""
    here, there = _forks.Pipe()
    process = _forks.Process(target=_live, args=(url, settings, there))
    process.start()
    name, owner, child = here.recv()
    try:
        yield WorkerProcess(process, name, owner, child)
    finally:
        process.kill()
        process.join()
        os.kill(child, signal.SIGKILL)


def _live(url: str, settings: Settings, test: Connection) -> None:
    worker = Worker(Database(url), settings)
    worker.start()
    # As ffmpeg is started; this one outlives its parent.
    child = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(600)"], close_fds=False
    )
    test.send((worker.name, worker.owner, child.pid))
    test.recv()
