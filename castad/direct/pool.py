"""The bounded pool that answers orders, and the jobs of the last hour."""

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Mapping
from functools import partial
from typing import Any

from castad.direct.answering import Answering
from castad.direct.job import DirectJob
from castad.direct.threads import DaemonThreads
from resources.contract.errors import CastadError
from resources.ledger.errors import ConflictError

KEPT_SECONDS = 3_600.0
"""How long an ended job is remembered, as the source system keeps its results."""
_MOST_KEPT = 10_000
_MOST_BYTES = 256_000_000
"""Of pictures that wait in memory."""
_STOP_SECONDS = 5.0


class BusyError(CastadError):
    """The pool takes no more now."""

    code = "busy"


class DirectPool:
    """Answers orders in threads of its own. Whoever waits for an answer holds no thread. Thread-safe."""

    def __init__(self, answering: Answering, *, threads: int, waiting: int, per_owner: int) -> None:
        self._answering = answering
        self._most = threads + waiting
        self._per_owner = per_owner
        self._lock = threading.Lock()
        self._jobs: OrderedDict[str, DirectJob] = OrderedDict()
        self._open: Counter[str | None] = Counter()
        self._bytes = 0
        self._ended_at = float("-inf")
        self._threads = DaemonThreads(threads, "castad-direct")

    @property
    def answering(self) -> Answering:
        """What answers the orders."""
        return self._answering

    @property
    def seconds_idle(self) -> float:
        """For how long no order has been at work or waiting; 0 while one is."""
        with self._lock:
            return 0.0 if self._open else time.monotonic() - self._ended_at

    @property
    def open_jobs(self) -> int:
        """How many orders are at work or waiting."""
        with self._lock:
            return self._open.total()

    def job(
        self,
        task_id: str,
        owner: str | None,
        payload: Mapping[str, Any],
        pictures: Mapping[str, bytes] | None = None,
    ) -> tuple[DirectJob, bool]:
        """The order's job, which `begin` starts, and whether it is new.

        A job of the last hour with this task_id is this one where owner and order are the same and it has not
        failed. Raises ConflictError where they are not, and BusyError.
        """
        with self._lock:
            self._forget_old()
            known = self._jobs.get(task_id)
            if known is not None:
                if known.owner != owner or known.payload != payload:
                    raise ConflictError(task_id)
                if not known.has_failed:
                    return known, False
            job = DirectJob(task_id, owner, payload, pictures or {})
            self._refuse_busy(owner, job.picture_bytes)
            self._open[owner] += 1
            self._bytes += job.picture_bytes
            self._jobs[task_id] = job
            self._jobs.move_to_end(task_id)
            return job, True

    def begin(self, job: DirectJob) -> None:
        """The job is answered as soon as a thread is free."""
        self._threads.submit(partial(self._answer, job))

    def find(self, task_id: str) -> DirectJob | None:
        """The job of this task_id, if it is at work, or ended within the last hour."""
        with self._lock:
            self._forget_old()
            return self._jobs.get(task_id)

    def close(self) -> None:
        """Orders at work are answered if that takes no longer than a while; those that wait are not begun."""
        self._threads.close(_STOP_SECONDS)
        self._answering.close()

    def _answer(self, job: DirectJob) -> None:
        size = job.picture_bytes
        try:
            self._answering.answer(job)
        finally:
            with self._lock:
                self._bytes -= size
                self._ended_at = time.monotonic()
                self._open[job.owner] -= 1
                if not self._open[job.owner]:
                    del self._open[job.owner]

    def _refuse_busy(self, owner: str | None, size: int) -> None:
        if self._open[owner] >= self._per_owner:
            raise BusyError(
                f"at most {self._per_owner} orders of one owner are answered at once "
                "(CASTAD_DIRECT_PER_KEY); try again when one has ended"
            )
        if self._open.total() >= self._most:
            raise BusyError(
                f"{self._most} orders are at work or waiting (CASTAD_DIRECT_WAITING); try again"
            )
        if self._bytes + size > _MOST_BYTES:
            raise BusyError(
                f"pictures of {_MOST_BYTES // 1_000_000} MB are at work or waiting; try again"
            )

    def _forget_old(self) -> None:
        oldest = time.time() - KEPT_SECONDS
        while self._jobs:
            task_id, job = next(iter(self._jobs.items()))
            is_old = job.created_at < oldest or len(self._jobs) > _MOST_KEPT
            if not is_old or not job.has_ended:
                return
            del self._jobs[task_id]
