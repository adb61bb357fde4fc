"""Answer orders directly: threads shared fairly, a pool per pipeline, the deliveries, and the day's budget."""

import math
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from castad.direct.answering import Answering
from castad.direct.budget import DailyBudget
from castad.direct.ledger_import import (
    TARGET,
    DirectJob,
    deliver_import,
    forget_order,
    make_completed_body,
    make_failed_body,
    make_substitute_id,
)
from pipeline_defs.capabilities import Stateless, list_stateless
from pipeline_defs.catalog import Catalog
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import CastadError, StateUnavailableError
from resources.delivery.spool import Spool, Target, make_spool_loop, open_spool
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import ConflictError, UnknownRequestError
from resources.ledger.queries.status import read_stage_result
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.process.settings import Settings

ItemT = TypeVar("ItemT")


class FairThreads(Generic[ItemT]):
    """Threads that process at most `most` items at once, shared fairly between the items' owners.

    An owner never has more items at work than threads are left for the others. Owners alternate, and an
    owner's items are processed in order. Threads start when they are first needed.
    """

    def __init__(self, most: int, name: str, work: Callable[[ItemT], None]) -> None:
        self._most = most
        self._name = name
        self._work = work
        self._waiting: OrderedDict[str | None, deque[ItemT]] = OrderedDict()
        self._running: Counter[str | None] = Counter()
        self._begun: SimpleQueue[tuple[str | None, ItemT] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()

    def submit(self, owner: str | None, item: ItemT) -> None:
        """Queue the item behind the owner's other items. `work`, which processes it, must raise nothing."""
        with self._lock:
            self._waiting.setdefault(owner, deque()).append(item)
            self._begin_waiting()

    def drop_waiting(self) -> list[ItemT]:
        """Remove the items that no thread has begun, and return them."""
        with self._lock:
            dropped = [item for items in self._waiting.values() for item in items]
            self._waiting.clear()
        return dropped

    def close(self, seconds: float) -> None:
        """Drop the items that wait, and wait at most `seconds` for the threads to finish theirs."""
        self.drop_waiting()
        for _ in self._threads:
            self._begun.put(None)
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _begin_waiting(self) -> None:
        """Give waiting items to free threads, one per owner in turn.

        Skips an owner that has at least as many items at work as threads are free.
        """
        is_changed = True
        while is_changed:
            is_changed = False
            for owner in list(self._waiting):
                if self._running[owner] < self._most - self._running.total():
                    if not self._has_free_thread():
                        return
                    self._begin_next(owner)
                    is_changed = True

    def _has_free_thread(self) -> bool:
        """Return whether there is a thread for one more item; start one if needed.

        Raises RuntimeError if the machine starts no thread and there is none yet.
        """
        if self._running.total() < len(self._threads):
            return True
        name = f"{self._name}-{len(self._threads)}"
        thread = threading.Thread(target=self._serve, name=name, daemon=True)
        try:
            thread.start()
        except RuntimeError:
            if not self._threads:
                raise
            return False
        self._threads.append(thread)
        return True

    def _begin_next(self, owner: str | None) -> None:
        """Give the owner's first waiting item to a thread."""
        items = self._waiting[owner]
        self._running[owner] += 1
        self._begun.put((owner, items.popleft()))
        self._waiting.move_to_end(owner)
        if not items:
            del self._waiting[owner]

    def _serve(self) -> None:
        """Process items until `close` ends the thread."""
        while (begun := self._begun.get()) is not None:
            owner, item = begun
            self._work(item)
            with self._lock:
                self._running[owner] -= 1
                if not self._running[owner]:
                    del self._running[owner]
                self._begin_waiting()


KEPT_SECONDS = 3_600.0
"""The time for which an ended job is remembered, as the source system keeps its results."""
_MOST_KEPT = 10_000
_MOST_BYTES = 256_000_000
"""The limit of pictures that wait in memory."""


class BusyError(CastadError):
    """Raised when the pool accepts no further order now.

    It is full, the owner has its share, or the waiting pictures exceed the limit of memory.
    """

    code = "busy"


class StoppingError(CastadError):
    """Raised when the process is stopping and begins no further order."""

    code = "stopping"

    def __init__(self) -> None:
        super().__init__("this server is stopping; send the order again")


class DirectPool:
    """Answers the orders of one pipeline in a pool of threads. Thread-safe. A waiting client holds no thread.

    `waiting` is the number of orders that may wait when all `threads` are busy, `per_owner` the most of one
    owner.
    """

    def __init__(self, answering: Answering, *, threads: int, waiting: int, per_owner: int) -> None:
        self.answering = answering
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
    def seconds_idle(self) -> float:
        """The seconds since an order was last at work or waiting.

        0 while there is one, infinity before the first.
        """
        with self._lock:
            return 0.0 if self._open else time.monotonic() - self._ended_at

    @property
    def open_jobs(self) -> int:
        """The number of orders at work or waiting."""
        with self._lock:
            return self._open.total()

    @property
    def takes_orders(self) -> bool:
        """Whether the pool accepts orders: the process is not stopping."""
        return not self._is_stopping

    def job(
        self,
        task_id: str,
        owner: str | None,
        payload: Mapping[str, Any],
        pictures: Mapping[str, bytes] | None = None,
    ) -> tuple[DirectJob, bool]:
        """Return the order's job, and whether it is new; the caller passes a new one to `begin`.

        A job of the last hour with this task_id, owner and payload is returned again unless it has failed.
        Raises ConflictError if owner or payload differ, BusyError and StoppingError.
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
            self._ensure_not_busy(owner, job.picture_bytes)
            self._open[owner] += 1
            self._bytes[owner] += job.picture_bytes
            self._jobs[task_id] = job
            self._jobs.move_to_end(task_id)
            return job, True

    def begin(self, job: DirectJob) -> None:
        """Queue the job to be answered; end it at once if the process is stopping."""
        self._threads.submit(job.owner, job)
        if self._is_stopping:
            self._end_waiting()

    def find(self, task_id: str) -> DirectJob | None:
        """Return the job of this task_id; None if it is neither at work nor ended within the last hour."""
        with self._lock:
            self._forget_old()
            return self._jobs.get(task_id)

    def forget(self, task_id: str) -> None:
        """Remove from memory the ended jobs that were stored under this task_id, or under its substitute."""
        with self._lock:
            for name, job in list(self._jobs.items()):
                names = (name, make_substitute_id(name, job.owner))
                if job.has_ended and task_id in names:
                    del self._jobs[name]

    def begin_stop(self) -> None:
        """Take no more orders, and end those that were not begun with StoppingError; those at work continue."""
        with self._lock:
            self._is_stopping = True
        self._end_waiting()

    def end_all(self) -> None:
        """End every order that is still at work with StoppingError, so that its client gets an end.

        The threads may continue their work.
        """
        with self._lock:
            at_work = [job for job in self._jobs.values() if not job.has_ended]
        for job in at_work:
            self.answering.fail(job, StoppingError())

    def close(self, seconds: float) -> None:
        """Take no more orders, wait up to `seconds` for those at work, end the rest, and remove the files."""
        self.begin_stop()
        self._threads.close(seconds if self.open_jobs else 0)
        self.end_all()
        self.answering.close()

    def _end_waiting(self) -> None:
        """End the orders that no thread has begun with StoppingError."""
        for job in self._threads.drop_waiting():
            size = job.picture_bytes
            self.answering.fail(job, StoppingError())
            self._release_place(job, size)

    def _answer(self, job: DirectJob) -> None:
        """Answer the job, and then release its place and memory."""
        size = job.picture_bytes
        try:
            self.answering.answer(job)
        finally:
            self._release_place(job, size)

    def _release_place(self, job: DirectJob, size: int) -> None:
        """Release the place and the memory of an ended job; `size` is the bytes of its pictures."""
        with self._lock:
            self._bytes[job.owner] -= size
            self._ended_at = time.monotonic()
            self._open[job.owner] -= 1
            if not self._open[job.owner]:
                del self._open[job.owner]
                del self._bytes[job.owner]

    def _ensure_not_busy(self, owner: str | None, size: int) -> None:
        """Raise BusyError if the pool is full, the owner has its share, or `size` bytes of pictures do not fit."""
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
        """Remove ended jobs that are older than an hour, or that exceed the number that is remembered."""
        oldest = time.time() - KEPT_SECONDS
        while self._jobs:
            task_id, job = next(iter(self._jobs.items()))
            is_old = job.created_at < oldest or len(self._jobs) > _MOST_KEPT
            if not is_old or not job.has_ended:
                return
            del self._jobs[task_id]


def find_spooled_result(
    spool: Spool, pipeline: Pipeline, key: str, *, is_dead: bool = False
) -> Mapping[str, Any] | None:
    """Return the answer whose import waits in the spool under a key with the prefix `key`, the newest one.

    With `is_dead` it is one whose import was given up. Returns None for an answer that is at work in another
    process. Raises UnknownRequestError if there is no answer.
    """
    for entry in spool.find(TARGET, key, is_dead=is_dead):
        if entry.body.get("pipeline") == pipeline.name:
            return None if entry.is_intent else _make_imported(pipeline, entry.body)
    raise UnknownRequestError(key.partition("/")[0])


def _make_imported(pipeline: Pipeline, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Build the client's answer from the body of an import."""
    if body["error"] is not None:
        return _make_failure(pipeline, body["task_id"], body["payload"], *body["error"])
    results = {stage["stage"]: stage["result"] for stage in body["stages"]}
    return _build_completed_answer(pipeline, body["task_id"], body["payload"], results)


def find_stored_result(
    db: Database, pipeline: Pipeline, request: Request, task_id: str
) -> Mapping[str, Any] | None:
    """Build the client's answer from a stored request; None while the request is at work.

    `task_id` is the id by which the client asked, which may differ from the request's.
    """
    if request.status is Status.COMPLETED:
        results = {}
        for name in pipeline.stage_names:
            result = read_stage_result(db, request.task_id, name)
            if result is not None:
                results[name] = result
        return _build_completed_answer(pipeline, task_id, request.order() or {}, results)
    if request.is_terminal:
        code = request.error_code or str(request.status)
        message = request.error_message or f"it is {request.status}"
        return _make_failure(pipeline, task_id, request.order() or {}, code, message)
    return None


def _make_failure(
    pipeline: Pipeline, task_id: str, payload: Mapping[str, Any], code: str, message: str
) -> Mapping[str, Any]:
    """Build the client's answer of a failed order, with the pipeline's own text of the error."""
    stateless = pipeline.find_extra(Stateless)
    assert stateless is not None  # noqa: S101 - only such pipelines come here
    return make_failed_body(task_id, code, stateless.failure(payload, code, message))


def _build_completed_answer(
    pipeline: Pipeline,
    task_id: str,
    payload: Mapping[str, Any],
    results: Mapping[str, Mapping[str, Any]],
) -> Mapping[str, Any]:
    """Build the client's answer of a completed order from its stages' results."""
    stateless = pipeline.find_extra(Stateless)
    assert stateless is not None  # noqa: S101 - only such pipelines come here
    result = stateless.result(pipeline.parse(payload), pipeline.parse_products(results))
    return make_completed_body(task_id, result, is_kept=True)


def list_targets(pipelines: Catalog) -> dict[str, Target]:
    """Return the functions that deliver spooled messages, by target name.

    Empty if no pipeline answers directly.
    """
    stateless = list_stateless(pipelines)
    if not stateless:
        return {}
    saves = {name: save for each in stateless for name, save in each.targets.items()}
    return {TARGET: deliver_import, **saves}


_STOP_SECONDS = 5.0


class DirectService:
    """The pools that answer orders directly, by pipeline name. No thread runs before `start`."""

    def __init__(self, settings: Settings, pipelines: Catalog) -> None:
        self.spool: Spool = open_spool(settings.home)
        self._settings = settings
        self._budget = DailyBudget(self.spool, settings.daily_budget)
        self.pools: Mapping[str, DirectPool] = {
            each.name: DirectPool(
                Answering(each, settings, self.spool, self._budget),
                threads=settings.direct_threads,
                waiting=settings.direct_waiting,
                per_owner=settings.direct_per_key,
            )
            for each in pipelines
            if each.find_extra(Stateless) is not None
        }
        targets = list_targets(pipelines)
        self.targets = tuple(targets)
        self._delivery = make_spool_loop(self.spool, targets, self._measure_seconds_idle)
        self._stopping = threading.Event()
        self._stop_at: float | None = None
        self._pipelines = pipelines

    def start(self, db: Database) -> None:
        """Warm the pipelines; start the deliveries from the spool and the exchange of sums with the ledger."""
        for each in list_stateless(self._pipelines):
            if each.warm is not None:
                each.warm()
        self._delivery.stay_awake()
        self._budget.start(db, self._stopping)

    def forget(self, task_id: str) -> None:
        """Remove a deleted order's ended job from memory and empty its dead imports in the spool.

        Costs are kept. An order that is still at work stays in memory. An unavailable spool is ignored.
        """
        for pool in self.pools.values():
            pool.forget(task_id)
        with suppress(StateUnavailableError):
            forget_order(self.spool, task_id)

    def begin_stop(self) -> float:
        """Take no more orders, and set a timer that ends those at work.

        Return its seconds, 0 if none is at work.
        """
        for pool in self.pools.values():
            pool.begin_stop()
        if not any(pool.open_jobs for pool in self.pools.values()):
            return 0.0
        grace = self._settings.stop_grace
        self._stop_at = time.monotonic() + grace
        timer = threading.Timer(grace, self._end_all)
        timer.daemon = True
        timer.start()
        return grace

    def _end_all(self) -> None:
        """End every order that is still at work."""
        for pool in self.pools.values():
            pool.end_all()

    def stop(self) -> None:
        """Wait for the orders at work until the timer of `begin_stop`, or 5 s without one, and end the rest.

        No more deliveries are begun.
        """
        self._stopping.set()
        until = self._stop_at or time.monotonic() + _STOP_SECONDS
        for pool in self.pools.values():
            pool.close(max(0.0, until - time.monotonic()))
        self._delivery.rest()
        for each in list_stateless(self._pipelines):
            if each.rest is not None:
                each.rest()

    def _measure_seconds_idle(self) -> float:
        """Return the seconds since any pool last had an order; 0 while one has, infinity without pools."""
        return min((pool.seconds_idle for pool in self.pools.values()), default=math.inf)
