"""What threads share is used by one at a time: each use waits for whoever holds the lock."""

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from castad.direct.ledger_import import DirectJob
from castad.direct.pool import DirectPool, FairThreads
from resources.delivery.engine import DeliveryLoop, Shares
from tests.eventually import eventually

_MOMENT = 0.03
"""Seconds in which a use that does not wait has ended, mostly; one that waits never has."""


def waits_for(lock: Any, use: Callable[[], Any]) -> bool:
    """Whether the use ends only once the lock is free."""
    begun = threading.Event()

    def run() -> None:
        begun.set()
        use()

    thread = threading.Thread(target=run, daemon=True)
    with lock:
        thread.start()
        begun.wait(60)
        thread.join(_MOMENT)
        has_waited = thread.is_alive()
    thread.join(60)
    return has_waited and not thread.is_alive()


class Answering:
    """It answers at once, and notes what."""

    def __init__(self) -> None:
        self.begun: list[str] = []

    def answer(self, job: DirectJob) -> None:
        self.begun.append(job.task_id)

    def fail(self, job: DirectJob, error: Exception) -> None:
        job.publish({}, {"status": "failed"})


POOL: dict[str, Callable[[DirectPool, DirectJob], Any]] = {
    "an order": lambda pool, job: pool.job("b", "shop", {}),
    "a look for a job": lambda pool, job: pool.find("a"),
    "a deletion": lambda pool, job: pool.forget("a"),
    "the idle time": lambda pool, job: pool.seconds_idle,
    "the number of orders": lambda pool, job: pool.open_jobs,
    "a stop": lambda pool, job: pool.begin_stop(),
    "the end of all": lambda pool, job: pool.end_all(),
    "an answer's end": lambda pool, job: pool._release_place(job, 0),
}


@pytest.mark.parametrize("use", POOL.values(), ids=POOL.keys())
def test_pool_is_used_by_one_at_a_time(use):
    answering: Any = Answering()
    pool = DirectPool(answering, threads=1, waiting=5, per_owner=5)
    job, _ = pool.job("a", "shop", {})
    assert waits_for(pool._lock, lambda: use(pool, job))


def test_job_is_used_by_one_at_a_time():
    job = DirectJob("a", "shop", {})
    stop = job.listen(lambda: None)
    uses = (lambda: job.publish({}), lambda: job.listen(lambda: None), stop)
    assert [waits_for(job._lock, use) for use in uses] == [True] * 3


def test_fair_threads_are_used_by_one_at_a_time():
    threads = FairThreads[str](1, "t", lambda item: None)
    uses = (lambda: threads.submit("a", "first"), threads.drop_waiting)
    assert [waits_for(threads._lock, use) for use in uses] == [True] * 2


def test_thread_that_is_free_again_waits_before_it_takes_the_next_item():
    begun: list[str] = []
    may_end = threading.Event()

    def work(item: str) -> None:
        begun.append(item)
        may_end.wait(60)

    threads = FairThreads[str](1, "t", work)
    threads.submit("a", "first")
    threads.submit("a", "second")
    assert eventually(lambda: begun == ["first"])
    with threads._lock:
        may_end.set()
        assert not eventually(lambda: len(begun) > 1, _MOMENT)
    assert eventually(lambda: begun == ["first", "second"])


LOOP: dict[str, Callable[[DeliveryLoop[Any]], Any]] = {
    "being kept awake": lambda loop: loop.stay_awake(0),
    "a rest": lambda loop: loop.rest(),
    "a look at what is due": lambda loop: loop._work(),
    "a batch's beginning": lambda loop: loop._begin([SimpleNamespace(target="a")]),
    "a batch's end": lambda loop: loop._end("a", 0),
}


@pytest.mark.parametrize("use", LOOP.values(), ids=LOOP.keys())
def test_delivery_loop_is_used_by_one_at_a_time(use):
    store: Any = SimpleNamespace(kind="message", release=lambda target: None)
    loop = DeliveryLoop(store, lambda delivery: None, Shares(8, 1, 8), 0.01)
    if use is LOOP["a batch's end"]:
        loop._shares.begin("a")
    assert waits_for(loop._changed, lambda: use(loop))
