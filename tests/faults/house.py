"""A whole castad with vendors, in processes that may be killed, stopped or broken at any crash point."""

import json
import multiprocessing
import os
import shutil
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import MappingProxyType
from typing import Any

import psutil

from resources.ledger.db.database import Database
from resources.ledger.queries.status import get_request
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from tests.fakes.comfyui import FakeComfyUI
from tests.fakes.creatomate import FakeCreatomate
from tests.fakes.openai import FakeOpenAI
from tests.fakes.suno import FakeSuno
from tests.faults import processes
from tests.faults.locks import is_locked
from tests.one_order import submit_order

TASK_ID = "fault"
BRIEF = {"customer_name": "봄날 베이커리", "region": "전주", "duration_seconds": 10}
PATIENCE_SECONDS = 90
_LOOK_EVERY = 0.05
FAST = {
    "CASTAD_LEASE_SECONDS": "3",
    "CASTAD_BEAT_SECONDS": "0.5",
    "CASTAD_WATCH_SECONDS": "0.05",
    "CASTAD_POLL_SECONDS": "0.05",
    "CASTAD_POLL_LONGEST": "0.1",
    "CASTAD_DISPATCH_GRACE": "0.5",
    "CASTAD_RETRY_LYRIC": "0.05",
    "CASTAD_RETRY_SONG": "0.05",
    "CASTAD_RETRY_VIDEO": "0.05",
    "CASTAD_RETRY_RENDER": "0.05",
    "CASTAD_RETRY_VISION": "0.05",
    "CASTAD_RETRY_ANSWER": "0.05",
    "CASTAD_RETRY_REWARD": "0.05",
    "CASTAD_RETRY_SAVE": "0.05",
    "CASTAD_STEP_RETRY_DELAY": "0.05",
    "CASTAD_CALL_DEADLINE": "30",
    # Runs are executed by the processes below; nobody may start a worker beside them.
    "CASTAD_BROKER_URL": "redis://127.0.0.1:1/0",
}
_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(["tests.faults.processes"])


class StoppedInTransactionError(Exception):
    """A process was stopped while another of its threads held SQLite's write lock, for as long as it stands.

    A crash point lies outside of transactions, but the beat's thread may be in one at that moment. SQLite takes a
    lock from nobody who lives, so that nothing else could go on before the stopped process does.
    """


@dataclass
class House:
    """One order, three vendors, and what works on it; `crash` is the value of CASTAD_CRASH."""

    home: Path
    db: Database
    openai: FakeOpenAI
    suno: FakeSuno
    creatomate: FakeCreatomate
    comfyui: FakeComfyUI
    environment: dict[str, str]
    stopped: list[BaseProcess] = field(default_factory=list)
    crashed: bool = False

    def order(
        self,
        pipeline: str = "song_video",
        brief: Mapping[str, Any] = MappingProxyType(BRIEF),
        hold: str | None = None,
    ) -> None:
        submit_order(
            self.db,
            TASK_ID,
            dict(brief),
            pipeline=pipeline,
            source="test",
            same_order=lambda stored, given: stored == given,
            hold=hold,
        )

    @property
    def request(self) -> Request:
        return get_request(self.db, TASK_ID)

    @property
    def is_unknown(self) -> bool:
        """Whether it waits in the open for a lost submission."""
        request = self.request
        return (request.status, request.error_code) == (Status.FAILED, "submission_unknown")

    def charges(self) -> Mapping[str, int]:
        """How often each vendor would have charged."""
        return Counter(
            lyric=len(self.openai.charges()),
            song=len(self.suno.charges()),
            video=len(self.creatomate.charges()),
        )

    def work_to_the_end(self) -> None:
        """Tick and run until the order is done or dead: what is unknown is looked for.

        Raises StoppedInTransactionError as `work` does.
        """
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self.request.is_terminal:
            assert time.monotonic() < deadline, f"still {self.request.status} after a while"
            self._round()

    def work(self) -> None:
        """Tick, run and mirror until the order is done, dead or waits for a person.

        Raises StoppedInTransactionError where a stop fell where nobody could go on after it.
        """
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (self.request.is_terminal or self.is_unknown or self.request.held_stage):
            assert time.monotonic() < deadline, f"still {self.request.status} after a while"
            self._round()
        self._do(processes.mirror)

    def wake_the_stopped(self) -> None:
        """Who was stopped goes on, as a zombie, to its end."""
        for process in self.stopped:
            assert process.pid is not None
            os.kill(process.pid, signal.SIGCONT)
            process.join(PATIENCE_SECONDS)
            assert process.exitcode is not None, "a zombie never ended"

    def _round(self) -> None:
        runs = self.home / "runs.json"
        runs.unlink(missing_ok=True)
        self._do(processes.tick, self.home / "cursor", runs)
        for wanted in json.loads(runs.read_text()) if runs.exists() else []:
            self._do(processes.run, wanted)

    def _do(self, work: Callable[..., None], *arguments: Any) -> None:
        process = _forks.Process(target=work, args=(self.environment, *arguments))
        process.start()
        pause = threading.Event()
        while process.is_alive() and not _is_stopped(process):
            pause.wait(_LOOK_EVERY)
        if process.is_alive():
            self.stopped.append(process)
            if self.db.is_sqlite and is_locked(self.home):
                raise StoppedInTransactionError
        self.crashed |= process.is_alive() or process.exitcode == -signal.SIGKILL


def _is_stopped(process: BaseProcess) -> bool:
    try:
        return bool(psutil.Process(process.pid).status() == psutil.STATUS_STOPPED)
    except psutil.NoSuchProcess:
        return False


@contextmanager
def open_house(
    folder: Path, template: Path, database_url: str | None, crash: str
) -> Iterator[House]:
    """A house on a copy of an empty state; every process in it is gone at the end."""
    home = folder / "home"
    shutil.copytree(template, home, symlinks=True)
    with (
        FakeOpenAI(folder / "openai") as openai,
        FakeSuno(folder / "suno") as suno,
        FakeCreatomate(folder / "creatomate") as creatomate,
        FakeComfyUI(folder / "comfyui") as comfyui,
    ):
        environment = {
            **FAST,
            "CASTAD_HOME": str(home),
            "CASTAD_CRASH": crash,
            "OPENAI_API_KEY": openai.key,
            "OPENAI_BASE_URL": openai.url,
            "SUNO_API_KEY": suno.key,
            "SUNO_BASE_URL": suno.url,
            "CREATOMATE_API_KEY": creatomate.key,
            "CREATOMATE_BASE_URL": creatomate.url,
            "CASTAD_COMFYUI_URLS": comfyui.url,
        }
        if database_url is not None:
            environment["CASTAD_DATABASE_URL"] = database_url
        db = Database(database_url or f"sqlite:///{home / 'castad.db'}")
        house = House(home, db, openai, suno, creatomate, comfyui, environment)
        try:
            yield house
        finally:
            for process in house.stopped:
                process.kill()
                process.join()
            db.close()


def make_template(folder: Path, database_url: str | None) -> Path:
    """An empty state to copy: making one again takes longer than a run."""
    environment = {**FAST, "CASTAD_HOME": str(folder)}
    if database_url is not None:
        environment["CASTAD_DATABASE_URL"] = database_url
    process = _forks.Process(target=processes.make_state, args=(environment,))
    process.start()
    process.join()
    assert process.exitcode == 0
    return folder
