"""castad's daemon and a worker over some stand-ins of ComfyUI, in processes of their own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from sqlalchemy import func, select

from castad.dagster_storage.home import build_dagster_environment
from castad.stack.processes import start_group, stop_groups
from resources.ledger.db.database import Database
from resources.ledger.schema.tables import Status, requests
from resources.process.settings import Settings
from tests.fakes.comfyui import FakeComfyUI

WORKFLOW: Mapping[str, Any] = {
    "1": {
        "class_type": "EmptyImage",
        "inputs": {"width": 16, "height": 16, "batch_size": 1, "color": 0},
    },
    "2": {"class_type": "SaveImage", "inputs": {"images": ["1", 0], "filename_prefix": "castad"}},
}
_STOP_SECONDS = 20
_MAX_RETRIES = 20


class PictureStack:
    """The processes, and the ledger that they share."""

    def __init__(self, settings: Settings, log: IO[bytes]) -> None:
        self.db = Database(settings.ledger_url)
        self._environment = build_dagster_environment(settings)
        self._log = log
        self._daemon = self._start("daemon")
        self._worker = self._start("worker")

    def order(self, count: int) -> None:
        """So many orders are rows, in the order of their numbers."""
        payload = json.dumps({"workflow": WORKFLOW})
        with self.db.writing() as tx:
            for number in range(count):
                row = {
                    "task_id": task_id(number),
                    "pipeline": "image",
                    "payload": payload,
                    "max_retries": _MAX_RETRIES,
                }
                tx.execute(requests.insert().values(row))

    def ended(self) -> int:
        """How many orders are completed or dead."""
        done = select(func.count()).where(requests.c.status.in_((Status.COMPLETED, Status.DEAD)))
        with self.db.reading() as tx:
            return int(tx.execute(done).scalar_one())

    def kill_worker(self) -> None:
        """The worker is gone by SIGKILL, and another begins."""
        self._worker.kill()
        self._worker.wait()
        self._worker = self._start("worker")

    def close(self) -> None:
        """No process is left."""
        stop_groups([self._daemon, self._worker], _STOP_SECONDS)
        self.db.close()

    def _start(self, command: str) -> "subprocess.Popen[bytes]":
        arguments = [sys.executable, "-m", "castad", command]
        return start_group(arguments, self._environment, self._log)


def task_id(number: int) -> str:
    """The name of the order of this number."""
    return f"picture-{number:05}"


@contextmanager
def picture_stack(
    folder: Path, fakes: Sequence[FakeComfyUI], variables: Mapping[str, str]
) -> Iterator[PictureStack]:
    """castad works over these servers while the block runs; what it says is in the folder's castad.log."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    urls = ",".join(fake.url for fake in fakes)
    chosen = {"CASTAD_HOME": str(home), "CASTAD_COMFYUI_URLS": urls, **variables}
    before = dict(os.environ)
    os.environ.update(chosen)
    try:
        with (folder / "castad.log").open("ab") as log:
            stack = PictureStack(Settings(), log)
            try:
                yield stack
            finally:
                stack.close()
    finally:
        os.environ.clear()
        os.environ.update(before)
