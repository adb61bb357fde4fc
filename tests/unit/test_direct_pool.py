"""The pool that answers orders: bounded, in order, and one answer an order."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from castad.direct.ledger_import import make_step_failed
from castad.direct.pool import KEPT_SECONDS, BusyError, DirectPool, FairThreads, StoppingError
from resources.contract.errors import CastadError
from resources.ledger.ledger_errors import ConflictError
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
        job.publish(make_step_failed("vision", "c", "m") if is_failed else {"progress": 100}, body)

    def fail(self, job: Any, error: CastadError) -> None:
        job.publish(make_step_failed("vision", error.code, "m"), {"status": "failed"})

    def close(self) -> None:
        """Nothing is left."""


@pytest.fixture
def answering() -> Answering:
    return Answering()


@pytest.fixture
def pool(answering: Answering) -> Iterator[DirectPool]:
    made: Any = answering
    pool = DirectPool(made, threads=1, waiting=5, per_owner=2)
    yield pool
    answering.may_end.set()
    pool.close(5)


def begin(pool: DirectPool, task_id: str, owner: str = "shop", **payload: Any) -> Any:
    job, is_new = pool.job(task_id, owner, payload)
    if is_new:
        pool.begin(job)
    return job


def test_job_has_started_before_a_thread_is_free(pool):
    begin(pool, "a")
    assert begin(pool, "b").events == [{"status": "started", "task_id": "b"}]


def test_owner_beyond_its_share_is_told_to_come_again(pool):
    begin(pool, "a")
    begin(pool, "b")
    with pytest.raises(BusyError, match="CASTAD_DIRECT_PER_KEY"):
        begin(pool, "c")
    begin(pool, "c", owner="other")


def test_orders_beyond_the_pool_are_told_to_come_again(pool):
    for owner in "abcdef":
        begin(pool, owner, owner)
    with pytest.raises(BusyError, match="CASTAD_DIRECT_WAITING"):
        begin(pool, "g", "g")


def test_pictures_beyond_the_memory_for_them_are_told_to_come_again(pool):
    with pytest.raises(BusyError, match="256 MB"):
        pool.job("a", "shop", {}, {"where": b"x" * 256_000_001})


class Picture:
    """A picture of so many bytes, without them."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size


def take(pool: DirectPool, owner: str, megabytes: int, more: int = 0) -> None:
    size: Any = Picture(megabytes * 1_000_000 + more)
    pool.job(f"{owner}{megabytes}", owner, {}, {"where": size})


@pytest.mark.parametrize(
    ("own", "others", "fits"), [(0, 0, 256), (0, 200, 56), (100, 0, 28), (100, 56, 0), (20, 56, 80)]
)
def test_pictures_fit_up_to_all_that_is_left_and_an_owners_further_ones_up_to_half(
    pool, own, others, fits
):
    for owner, megabytes in (("shop", own), ("other", others)):
        if megabytes:
            take(pool, owner, megabytes)
    with pytest.raises(BusyError, match="256 MB"):
        take(pool, "shop", fits, 1)
    take(pool, "shop", fits)


def test_same_order_is_the_same_job(pool):
    assert begin(pool, "a", note="x") is begin(pool, "a", note="x")


@pytest.mark.parametrize(("owner", "note"), [("other", "x"), ("shop", "y")])
def test_another_order_of_the_task_id_is_a_conflict(pool, owner, note):
    begin(pool, "a", note="x")
    with pytest.raises(ConflictError):
        begin(pool, "a", owner, note=note)


def test_failed_order_that_is_sent_again_is_answered_again(pool, answering):
    answering.fails = {"a"}
    answering.may_end.set()
    first = begin(pool, "a")
    assert eventually(lambda: first.has_failed)
    answering.fails = set()
    assert begin(pool, "a") is not first


def test_ended_orders_make_room(pool, answering):
    begin(pool, "a")
    begin(pool, "b")
    answering.may_end.set()
    assert eventually(lambda: pool.open_jobs == 0)
    begin(pool, "c")


def test_order_that_ended_over_an_hour_ago_is_forgotten(pool):
    old, young = begin(pool, "a"), begin(pool, "b")
    old.created_at -= KEPT_SECONDS + 1
    assert pool.find("a") is old
    for job in (old, young):
        job.publish({}, {"status": "completed"})
    assert pool.find("a") is None
    assert pool.find("b") is young


def test_oldest_of_more_than_ten_thousand_orders_is_forgotten_once_it_has_ended(answering):
    made: Any = answering
    pool = DirectPool(made, threads=1, waiting=30_000, per_owner=30_000)
    oldest, *_, newest = [pool.job(str(number), "shop", {})[0] for number in range(10_000)]
    oldest.publish({}, {"status": "completed"})
    assert pool.find("0") is oldest
    pool.job("more", "shop", {})
    assert pool.find("0") is None
    pool.job("still more", "shop", {})
    assert pool.find("1") is not None
    assert pool.find(newest.task_id) is newest
    pool.close(0)


def test_deleted_order_is_forgotten_where_it_has_ended(pool):
    ended, other = begin(pool, "a"), begin(pool, "b")
    pool.forget("a")
    assert pool.find("a") is ended
    for job in (ended, other):
        job.publish({}, {"status": "completed"})
    pool.forget("a")
    assert pool.find("a") is None
    assert pool.find("b") is other


def test_listener_that_stops_hears_nothing_more(pool):
    job, _ = pool.job("a", "shop", {})
    heard: list[Mapping[str, Any]] = []
    stop = job.listen(lambda: heard.append(job.events[-1]))
    job.publish({"n": 1})
    stop()
    job.publish({"n": 2})
    assert heard == [{"n": 1}]


def test_owner_has_never_more_orders_than_it_leaves_for_others(answering):
    made: Any = answering
    pool = DirectPool(made, threads=1, waiting=9, per_owner=100)
    for number in range(5):
        begin(pool, f"a{number}", "a")
    with pytest.raises(BusyError, match="at most 5 orders of one owner"):
        begin(pool, "a5", "a")
    begin(pool, "b", "b")
    answering.may_end.set()
    pool.close(5)


def test_owner_has_never_more_bytes_of_pictures_than_it_leaves_for_others(pool):
    pool.job("a", "shop", {}, {"where": b"x" * 100_000_000})
    with pytest.raises(BusyError, match="256 MB"):
        pool.job("b", "shop", {}, {"where": b"x" * 60_000_000})
    pool.job("c", "other", {}, {"where": b"x" * 60_000_000})


def ended_with(job: Any) -> str | None:
    return job.events[-1]["error"]["code"] if job.has_failed else None


def test_stop_takes_no_more_orders(pool):
    pool.begin_stop()
    with pytest.raises(StoppingError, match="stopping; send the order again"):
        begin(pool, "a")


def test_stop_ends_what_waits_and_lets_what_runs_end(pool, answering):
    runs, waits = begin(pool, "a"), begin(pool, "b")
    assert eventually(lambda: answering.begun == ["a"])
    pool.begin_stop()
    assert (ended_with(runs), ended_with(waits)) == (None, "stopping")
    answering.may_end.set()
    assert eventually(lambda: runs.has_ended and not runs.has_failed)
    assert eventually(lambda: pool.open_jobs == 0)
    assert answering.begun == ["a"]


def test_order_that_is_begun_amid_a_stop_has_an_end(pool, answering):
    begin(pool, "a")
    job, _ = pool.job("b", "shop", {})
    pool.begin_stop()
    pool.begin(job)
    assert ended_with(job) == "stopping"


def test_end_of_the_grace_ends_what_still_runs_once(pool, answering):
    runs = begin(pool, "a")
    assert eventually(lambda: answering.begun == ["a"])
    pool.begin_stop()
    pool.end_all()
    answering.may_end.set()
    assert eventually(lambda: pool.open_jobs == 0)
    assert (ended_with(runs), len(runs.events)) == ("stopping", 2)


def test_one_owners_items_are_worked_off_in_order():
    done: list[int] = []
    threads = FairThreads(1, "t", done.append)
    for number in range(200):
        threads.submit("a", number)
    assert eventually(lambda: len(done) == 200)
    threads.close(5)
    assert done == list(range(200))


def test_no_more_threads_are_started_than_have_work_at_once():
    done: list[int] = []
    threads = FairThreads(1, "lonely", done.append)
    for number in range(20):
        threads.submit("a", number)
    assert eventually(lambda: len(done) == 20)
    names = [each.name for each in threading.enumerate() if each.name.startswith("lonely-")]
    threads.close(5)
    assert names == ["lonely-0"]


class Held:
    """Items that are at work until they may end."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.may_end = threading.Semaphore(0)

    def __call__(self, item: str) -> None:
        self.begun.append(item)
        self.may_end.acquire(timeout=60)


def test_one_owner_takes_no_more_threads_than_it_leaves_for_others():
    held = Held()
    threads = FairThreads(8, "t", held)
    for number in range(40):
        threads.submit("a", f"a{number}")
    threads.submit("b", "b")
    assert eventually(lambda: len(held.begun) == 5)
    assert sorted(held.begun) == ["a0", "a1", "a2", "a3", "b"]
    held.may_end.release(99)
    threads.close(5)


def test_many_owners_leave_a_thread_for_another_one():
    held = Held()
    threads = FairThreads(8, "t", held)
    for owner in "abc":
        for number in range(9):
            threads.submit(owner, f"{owner}{number}")
    threads.submit("d", "d")
    assert eventually(lambda: "d" in held.begun)
    held.may_end.release(99)
    threads.close(5)


def test_owners_take_turns():
    held = Held()
    threads = FairThreads(1, "t", held)
    for item in ("a1", "a2", "a3", "b1", "b2"):
        threads.submit(item[0], item)
    held.may_end.release(99)
    assert eventually(lambda: len(held.begun) == 5)
    threads.close(5)
    assert held.begun == ["a1", "a2", "b1", "a3", "b2"]


@given(st.lists(st.sampled_from("abcd"), max_size=40), st.integers(1, 9))
@settings(max_examples=50, deadline=None)
def test_every_item_is_worked_off_once(owners, most):
    done: list[tuple[str, int]] = []
    threads = FairThreads(most, "t", done.append)
    given_items = [(owner, number) for number, owner in enumerate(owners)]
    for item in given_items:
        threads.submit(item[0], item)
    assert eventually(lambda: len(done) == len(owners))
    threads.close(5)
    assert sorted(done) == sorted(given_items)


def test_closed_threads_begin_nothing_more():
    held = Held()
    threads = FairThreads(1, "t", held)
    threads.submit("a", "first")
    assert eventually(lambda: held.begun == ["first"])
    threads.submit("a", "second")
    threads.close(0.01)
    held.may_end.release(9)
    threads.close(5)
    assert held.begun == ["first"]


@contextmanager
def no_new_threads() -> Iterator[None]:
    """No machine has this much memory for a thread."""
    threading.stack_size(2**50)
    try:
        yield
    finally:
        threading.stack_size(0)


def test_thread_that_could_not_start_is_started_for_the_next_item():
    done: list[str] = []
    threads = FairThreads[str](1, "t", done.append)
    with no_new_threads(), pytest.raises(RuntimeError, match="new thread"):
        threads.submit("a", "first")
    threads.submit("a", "second")
    assert eventually(lambda: done == ["first", "second"])
    threads.close(5)


def test_item_for_which_no_thread_could_start_is_worked_off_by_those_that_are_there():
    held = Held()
    threads = FairThreads(2, "t", held)
    threads.submit("a", "first")
    with no_new_threads():
        threads.submit("b", "second")
        held.may_end.release(99)
        assert eventually(lambda: held.begun == ["first", "second"])
    threads.close(5)
