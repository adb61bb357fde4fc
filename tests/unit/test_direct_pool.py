"""The pool that answers orders: bounded, in order, and one answer an order."""

import threading
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pytest

from castad.direct.pool import BusyError, DirectPool
from castad.direct.steps import step_failed
from castad.direct.threads import DaemonThreads
from resources.ledger.errors import ConflictError
from tests.eventually import eventually


class Answering:
    """It ends each job once it may; `fails` are the task_ids that fail."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.fails: set[str] = set()
        self.begun: list[str] = []

    def answer(self, job: Any) -> None:
        self.begun.append(job.task_id)
        self.may_end.wait(60)
        is_failed = job.task_id in self.fails
        body = {"status": "failed" if is_failed else "completed"}
        job.publish(step_failed("vision", "c", "m") if is_failed else {"progress": 100}, body)

    def close(self) -> None:
        """Nothing is left."""


@pytest.fixture
def answering() -> Answering:
    return Answering()


@pytest.fixture
def pool(answering: Answering) -> Iterator[DirectPool]:
    made: Any = answering
    pool = DirectPool(made, threads=1, waiting=2, per_owner=2)
    yield pool
    answering.may_end.set()
    pool.close()


def begin(pool: DirectPool, task_id: str, owner: str = "shop", **payload: Any) -> Any:
    job, is_new = pool.job(task_id, owner, payload)
    if is_new:
        pool.begin(job)
    return job


def test_job_has_started_before_a_thread_is_free(pool: DirectPool) -> None:
    begin(pool, "a")
    assert begin(pool, "b").events == [{"status": "started", "task_id": "b"}]


def test_owner_beyond_its_share_is_told_to_come_again(pool: DirectPool) -> None:
    begin(pool, "a")
    begin(pool, "b")
    with pytest.raises(BusyError, match="CASTAD_DIRECT_PER_KEY"):
        begin(pool, "c")
    begin(pool, "c", owner="other")


def test_orders_beyond_the_pool_are_told_to_come_again(pool: DirectPool) -> None:
    for owner in "abc":
        begin(pool, owner, owner)
    with pytest.raises(BusyError, match="CASTAD_DIRECT_WAITING"):
        begin(pool, "d", "d")


def test_pictures_beyond_the_memory_for_them_are_told_to_come_again(pool: DirectPool) -> None:
    with pytest.raises(BusyError, match="256 MB"):
        pool.job("a", "shop", {}, {"where": b"x" * 256_000_001})


def test_same_order_is_the_same_job(pool: DirectPool) -> None:
    assert begin(pool, "a", note="x") is begin(pool, "a", note="x")


@pytest.mark.parametrize(("owner", "note"), [("other", "x"), ("shop", "y")])
def test_another_order_of_the_task_id_is_a_conflict(
    pool: DirectPool, owner: str, note: str
) -> None:
    begin(pool, "a", note="x")
    with pytest.raises(ConflictError):
        begin(pool, "a", owner, note=note)


def test_failed_order_that_is_sent_again_is_answered_anew(
    pool: DirectPool, answering: Answering
) -> None:
    answering.fails = {"a"}
    answering.may_end.set()
    first = begin(pool, "a")
    assert eventually(lambda: first.has_failed)
    answering.fails = set()
    assert begin(pool, "a") is not first


def test_ended_orders_make_room(pool: DirectPool, answering: Answering) -> None:
    begin(pool, "a")
    begin(pool, "b")
    answering.may_end.set()
    assert eventually(lambda: pool.open_jobs == 0)
    begin(pool, "c")


def test_listener_that_stops_hears_nothing_more(pool: DirectPool) -> None:
    job, _ = pool.job("a", "shop", {})
    heard: list[Mapping[str, Any]] = []
    stop = job.listen(lambda: heard.append(job.events[-1]))
    job.publish({"n": 1})
    stop()
    job.publish({"n": 2})
    assert heard == [{"n": 1}]


def test_one_thread_executes_in_order() -> None:
    threads, done = DaemonThreads(1, "t"), []
    for number in range(200):
        threads.submit(partial(done.append, number))
    assert eventually(lambda: len(done) == 200)
    threads.close(5)
    assert done == list(range(200))


def test_no_more_tasks_are_at_work_than_there_are_threads() -> None:
    threads, held, begun = DaemonThreads(2, "t"), threading.Event(), []

    def hold(number: int) -> None:
        begun.append(number)
        held.wait(60)

    for number in range(5):
        threads.submit(partial(hold, number))
    assert eventually(lambda: len(begun) == 2)
    assert len(threads._threads) == 2
    held.set()
    assert eventually(lambda: len(begun) == 5)
    threads.close(5)


def test_closed_threads_begin_nothing_more() -> None:
    threads, held, begun = DaemonThreads(1, "t"), threading.Event(), []

    def hold() -> None:
        begun.append(1)
        held.wait(60)

    threads.submit(hold)
    assert eventually(lambda: begun == [1])
    threads.submit(lambda: begun.append(2))
    threads.close(0.01)
    held.set()
    threads.close(5)
    assert begun == [1]
