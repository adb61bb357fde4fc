"""The bounded pool that answers orders, and the jobs of the last hour."""

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Mapping
from typing import Any

from castad.direct.answering import Answering
from castad.direct.direct_job import DirectJob
from castad.direct.ledger_import import own_id
from castad.direct.threads import FairThreads
from resources.contract.errors import CastadError
from resources.ledger.ledger_errors import ConflictError

KEPT_SECONDS = 3_600.0
"""How long an ended job is remembered, as the source system keeps its results."""
_MOST_KEPT = 10_000
_MOST_BYTES = 256_000_000
"""Of pictures that wait in memory."""


class BusyError(CastadError):
    """The pool takes no more now."""

    code = "busy"


class StoppingError(CastadError):
    """The process is ending and begins nothing more."""

    code = "stopping"

    def __init__(self) -> None:
        super().__init__("this server is stopping; send the order again")


class DirectPool:
    """Answers orders in threads of its own. Whoever waits for an answer holds no thread. Thread-safe."""

    def __init__(self, answering: Answering, *, threads: int, waiting: int, per_owner: int) -> None:
        self._answering = answering
        self._most = threads + waiting
        self._per_owner = per_owner
        self._lock = threading.Lock()
        self._jobs: OrderedDict[str, DirectJob] = OrderedDict()
        self._open: Counter[str | None] = Counter()
        self._bytes: Counter[str | None] = Counter()
        self._ended_at = float("-inf")
        self._is_stopping = False
        self._threads = FairThreads(threads, "castad-direct", self._answer)

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

    @property
    def takes_orders(self) -> bool:
        """Whether the process is not about to end."""
        return not self._is_stopping

    def job(
        self,
        task_id: str,
        owner: str | None,
        payload: Mapping[str, Any],
        pictures: Mapping[str, bytes] | None = None,
    ) -> tuple[DirectJob, bool]:
        """The order's job, which `begin` starts, and whether it is new.

        A job of the last hour with this task_id is this one where owner and order are the same and it has not
        failed. Raises ConflictError where they are not, BusyError and StoppingError.
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
            if self._is_stopping:
                raise StoppingError
            self._refuse_busy(owner, job.picture_bytes)
            self._open[owner] += 1
            self._bytes[owner] += job.picture_bytes
            self._jobs[task_id] = job
            self._jobs.move_to_end(task_id)
            return job, True

    def begin(self, job: DirectJob) -> None:
        """Have the job answered in its owner's turn; where the process is ending, end it at once."""
        self._threads.submit(job.owner, job)
        if self._is_stopping:
            self._end_waiting()

    def find(self, task_id: str) -> DirectJob | None:
        """The job of this task_id, if it is at work, or ended within the last hour."""
        with self._lock:
            self._forget_old()
            return self._jobs.get(task_id)

    def forget(self, task_id: str) -> None:
        """Remove the ended job whose answer was stored under this task_id, or under one of its own."""
        with self._lock:
            for name, job in list(self._jobs.items()):
                names = (name, own_id(name, job.owner))
                if job.has_ended and task_id in names:
                    del self._jobs[name]

    def begin_stop(self) -> None:
        """Take no more orders, and end those that were not begun; those at work go on."""
        with self._lock:
            self._is_stopping = True
        self._end_waiting()

    def end_all(self) -> None:
        """End every order that is still at work: its client has an end, whatever becomes of the work."""
        with self._lock:
            at_work = [job for job in self._jobs.values() if not job.has_ended]
        for job in at_work:
            self._answering.fail(job, StoppingError())

    def close(self, seconds: float) -> None:
        """Stop; orders at work are answered if that takes no longer than so many seconds, else ended."""
        self.begin_stop()
        self._threads.close(seconds if self.open_jobs else 0)
        self.end_all()
        self._answering.close()

    def _end_waiting(self) -> None:
        for job in self._threads.drop_waiting():
            size = job.picture_bytes
            self._answering.fail(job, StoppingError())
            self._leave(job, size)

    def _answer(self, job: DirectJob) -> None:
        size = job.picture_bytes
        try:
            self._answering.answer(job)
        finally:
            self._leave(job, size)

    def _leave(self, job: DirectJob, size: int) -> None:
        with self._lock:
            self._bytes[job.owner] -= size
            self._ended_at = time.monotonic()
            self._open[job.owner] -= 1
            if not self._open[job.owner]:
                del self._open[job.owner]
                del self._bytes[job.owner]

    def _refuse_busy(self, owner: str | None, size: int) -> None:
        """An owner has a bound of its own, and never more than it leaves for the others."""
        open_jobs = self._open.total()
        if open_jobs >= self._most:
            raise BusyError(
                f"{self._most} orders are at work or waiting (CASTAD_DIRECT_WAITING); try again"
            )
        share = min(self._per_owner, self._most - open_jobs)
        if self._open[owner] >= share:
            raise BusyError(
                f"at most {share} orders of one owner are answered at once now "
                "(CASTAD_DIRECT_PER_KEY); try again when one has ended"
            )
        left = _MOST_BYTES - self._bytes.total() - size
        if left < 0 or (self._bytes[owner] and self._bytes[owner] + size > left):
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
