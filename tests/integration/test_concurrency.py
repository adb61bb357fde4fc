"""Many at once: threads on one database object, and processes of their own."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, TypeVar

import pytest
from sqlalchemy import text

from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import (
    ClaimRefusedError,
    ConflictError,
    DuplicateOrderError,
    IllegalTransitionError,
    LedgerError,
    OtherOptionError,
)
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.access import MOST_PROFILES, save_profile
from resources.ledger.transitions.core import Lease
from tests.eventually import eventually
from tests.ledger_laws import assert_laws
from tests.ledger_steps import Steps

T = TypeVar("T")
Act = Callable[[], Any]
Make = Callable[[Steps], Act]


def at_once(count: int, work: Callable[[int], T]) -> list[T]:
    """What `count` threads return that begin at the same moment."""
    start = Barrier(count)

    def run(number: int) -> T:
        start.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def order_many(steps: Steps, count: int) -> None:
    for number in range(count):
        steps.order(f"r{number}")


def test_dispatchers_never_get_the_same_request(steps):
    order_many(steps, 20)
    handed_out = at_once(8, lambda _: steps.dispatch())
    names = Counter(request.task_id for batch in handed_out for request in batch)
    assert set(names.values()) == {1}


def test_dispatchers_together_leave_nothing_due(steps):
    order_many(steps, 20)
    at_once(8, lambda _: steps.dispatch())
    steps.dispatch()
    assert {steps.row(f"r{number}").status for number in range(20)} == {Status.DISPATCHED}


def test_dispatchers_together_hand_out_no_more_than_the_slots(steps):
    order_many(steps, 20)
    handed_out = at_once(8, lambda _: steps.dispatch(5))
    assert sum(len(batch) for batch in handed_out) == 5


def test_of_many_claims_one_wins(steps):
    steps.order()
    steps.dispatch()

    def claim(number: int) -> Lease | None:
        try:
            return steps.take(dispatched_as=1, owner=f"w{number}:1")
        except ClaimRefusedError:
            return None

    won = [lease for lease in at_once(20, claim) if lease is not None]
    assert len(won) == 1
    assert_laws(steps)


def test_same_order_from_many_at_once_is_one_request(steps):
    keys = {request.id for request in at_once(50, lambda _: steps.order())}
    assert len(keys) == 1
    assert_laws(steps)


def test_of_two_orders_for_one_name_one_wins_and_the_other_hears_of_it(steps):
    def order(number: int) -> str:
        try:
            return f"made {steps.order(payload={'brief': number % 2}).payload}"
        except ConflictError:
            return "conflict"

    assert Counter(at_once(20, order))["conflict"] == 10


def test_cancel_beside_the_last_commit_leaves_one_end(steps):
    lease = steps.working()
    for stage in ("lyric", "song"):
        steps.make_stage(lease, stage)
    entry = steps.begin(lease, "video")

    def transition(number: int) -> object:
        if number == 0:
            return steps.complete(lease, entry)
        try:
            return steps.cancel()
        except IllegalTransitionError as refused:  # completed before: nothing to cancel
            return refused

    at_once(2, transition)
    assert steps.row().status is Status.COMPLETED
    assert_laws(steps)


def test_rescuers_bury_a_worker_once(steps):
    steps.working()
    steps.run_out()
    at_once(8, lambda _: steps.rescue())
    assert steps.row().deaths == 1


def test_threads_may_open_an_empty_database_at_once(database_url):
    opened = at_once(6, lambda _: Database(database_url))
    Steps(opened[0]).order()
    assert Steps(opened[-1]).task_ids() == ["r"]
    for database in opened:
        database.close()


def waiting_for_locks(ledger: Database) -> int:
    with ledger.reading() as tx:
        return int(tx.execute(text("SELECT count(*) FROM pg_locks WHERE NOT granted")).scalar_one())


def test_profiles_kept_at_once_are_no_more_than_one_may_have(shared_ledger, postgres_ledger_url):
    for number in range(MOST_PROFILES - 1):
        save_profile(shared_ledger, "shop", "song_video", f"kept {number}", {})

    def keep(name: str) -> bool:
        try:
            save_profile(shared_ledger, "shop", "song_video", name, {})
        except IllegalTransitionError:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        with shared_ledger.writing() as tx:
            # Whoever has counted the profiles waits here with its own.
            tx.execute(text("LOCK TABLE profiles IN SHARE MODE"))
            kept = [pool.submit(keep, name) for name in ("a", "b")]
            assert eventually(lambda: waiting_for_locks(shared_ledger) == 2)
        assert sorted(each.result() for each in kept) == [False, True]


_LOCK = "SELECT 1 FROM requests FOR UPDATE"
_INSERT_HOLDER = (
    "INSERT INTO requests (task_id, pipeline, payload, unique_key) "
    "VALUES ('holder', 'song_video', '{}', 'k')"
)


def ordering_sooner(steps: Steps) -> Act:
    steps.order()
    return lambda: steps.order(priority=5)


def ordering_what_could_not_be_read(steps: Steps) -> Act:
    steps.order()
    steps.edit("payload = '[]'")
    return steps.order


def completing_with_a_key(steps: Steps) -> Act:
    lease = steps.working()
    entry = steps.begin(lease)
    return lambda: steps.complete(lease, entry, unique_key="k")


def retrying_with_a_key(steps: Steps) -> Act:
    steps.order(unique_key="k")
    steps.cancel()
    return steps.retry


MEANWHILE: dict[str, tuple[Make, tuple[str, str], type[LedgerError], str]] = {
    "an option of what was canceled": (
        ordering_sooner,
        (_LOCK, "UPDATE requests SET status = 'canceled'"),
        OtherOptionError,
        "^priority: .* is canceled",
    ),
    "the place of what was corrected": (
        ordering_what_could_not_be_read,
        (_LOCK, "UPDATE requests SET payload = '{\"brief\": 2}'"),
        ConflictError,
        "'r'",
    ),
    "a key that a stage has settled": (
        completing_with_a_key,
        (_INSERT_HOLDER, ""),
        DuplicateOrderError,
        "request 'holder' is the same order",
    ),
    "a key of what comes back": (
        retrying_with_a_key,
        (_INSERT_HOLDER, ""),
        DuplicateOrderError,
        "is the same order",
    ),
}
"""Each: what was before, what another transaction does before and while it waits, how it is refused."""


def overtaken(ledger: Database, act: Act, first: str, then: str) -> Any:
    """Return what the transition returns where another transaction does this before, then that while it waits."""
    with ThreadPoolExecutor(1) as pool:
        with ledger.writing() as tx:
            tx.execute(text(first))
            acting = pool.submit(act)
            assert eventually(lambda: waiting_for_locks(ledger) == 1)
            if then:
                tx.execute(text(then))
        return acting.result()


@pytest.mark.parametrize(
    ("make", "meanwhile", "error", "words"), MEANWHILE.values(), ids=MEANWHILE.keys()
)
def test_transition_that_had_to_wait_is_refused_by_what_it_finds_then(
    shared_ledger, postgres_ledger_url, make, meanwhile, error, words
):
    act = make(Steps(shared_ledger))
    with pytest.raises(error, match=words):
        overtaken(shared_ledger, act, *meanwhile)


def test_option_that_was_set_meanwhile_is_no_change(shared_ledger, postgres_ledger_url):
    steps = Steps(shared_ledger)
    set_by_another = (_LOCK, "UPDATE requests SET priority = 5")
    overtaken(shared_ledger, ordering_sooner(steps), *set_by_another)
    assert "updated" not in [event.type for event in steps.events()]
