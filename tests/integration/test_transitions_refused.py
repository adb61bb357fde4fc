"""A transition that the state forbids is refused in its own words, and one with nothing to do is none."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy.exc import DatabaseError

from resources.contract.protocol import Rate
from resources.ledger.ledger_errors import (
    ClaimRefusedError,
    ConflictError,
    IllegalTransitionError,
    LeaseLostError,
    NotCompletedError,
    NotHeldError,
)
from resources.ledger.schema.tables import JobStatus, requests
from resources.ledger.transitions.access import grant_shared_access
from resources.ledger.transitions.callbacks import give_up
from resources.ledger.transitions.claims import Claimant, claim
from resources.ledger.transitions.core import keep_unique_key, set_bookkeeping
from resources.ledger.transitions.dispatch import vendor_availability
from resources.ledger.transitions.housekeeping import note_log_pruned, prune_files
from resources.ledger.transitions.orders import NewRequest, submit_orders
from resources.ledger.transitions.stages import find_same
from tests.ledger_steps import LEASE_SECONDS, POISON, Steps
from tests.table_rows import changes_of

Make = Callable[[Steps], Callable[[], Any]]
"""Makes the state, and returns the transition."""


def approving_a_stage_before_the_held_one(steps: Steps) -> Callable[[], Any]:
    steps.order(hold="song")
    lease = steps.take()
    for stage in ("lyric", "song"):
        steps.make_stage(lease, stage)
    steps.meets_hold(lease, "video")
    return lambda: steps.approve(stage="lyric")


def rejecting_what_was_canceled(steps: Steps) -> Callable[[], Any]:
    steps.held()
    steps.cancel()
    return steps.reject


def rejecting_what_an_operator_has_put_back(steps: Steps) -> Callable[[], Any]:
    steps.held()
    steps.reject()
    steps.edit("status = 'pending'")
    return steps.reject


def correcting_what_is_at_work(steps: Steps) -> Callable[[], Any]:
    steps.working()
    steps.edit("payload = '[]'")
    return steps.order


def ordering_for_another_pipeline(steps: Steps) -> Callable[[], Any]:
    """Also where that pipeline could not read the order that is there."""
    steps.order()
    order = NewRequest("r", {"brief": 1}, "image", "test", lambda stored, given: False)
    return lambda: submit_orders(steps.db, [order])


def ordering_the_same_for_another_pipeline(steps: Steps) -> Callable[[], Any]:
    steps.order()
    order = NewRequest("r", {"brief": 1}, "image", "test", lambda stored, given: stored == given)
    return lambda: submit_orders(steps.db, [order])


def canceling_what_is_completed(steps: Steps) -> Callable[[], Any]:
    steps.completed()
    return steps.cancel


def giving_up_what_is_at_work(steps: Steps) -> Callable[[], Any]:
    lease = steps.working()
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.UNKNOWN)
    return lambda: give_up(steps.db, "r")


def giving_up_what_an_operator_has_named(steps: Steps) -> Callable[[], Any]:
    steps.lost()
    steps.sql("UPDATE provider_jobs SET external_id = 'x1'")
    return lambda: give_up(steps.db, "r")


def claiming_for_another_pipeline(steps: Steps) -> Callable[[], Any]:
    steps.order()
    claimant = Claimant("run", "worker:1", None, pipeline="image")
    times = {"lease_seconds": LEASE_SECONDS, "poison_deaths": POISON}
    return lambda: claim(steps.db, "r", claimant, **times)


def claiming_what_has_killed_its_workers(steps: Steps) -> Callable[[], Any]:
    steps.working()
    steps.edit(f"deaths = {POISON - 1}")
    steps.run_out()
    return steps.claim


def keeping_what_only_a_transition_may_change(steps: Steps) -> Callable[[], Any]:
    steps.order()

    def act() -> None:
        with steps.db.writing() as tx:
            set_bookkeeping(tx, requests.c.task_id == "r", permit="v", status="dead")

    return act


def keeping_a_key_that_is_too_long(steps: Steps) -> Callable[[], Any]:
    lease = steps.working()
    return lambda: find_same(steps.db, lease, "k" * 8193)


def picking_up_a_key_that_is_too_long(steps: Steps) -> Callable[[], Any]:
    steps.order()
    steps.dispatch()
    return lambda: keep_unique_key(steps.db, steps.row(), "k" * 8193)


def choosing_a_cover_of_what_is_not_done(steps: Steps) -> Callable[[], Any]:
    video = steps.filmed()
    steps.redo()
    return lambda: steps.choose_cover(video)


def deleted(steps: Steps) -> Any:
    """A lease whose request is gone."""
    lease = steps.working()
    steps.edit("status = 'canceled'")
    steps.sql("DELETE FROM requests")
    return lease


def beginning_a_stage_of_what_is_gone(steps: Steps) -> Callable[[], Any]:
    lease = deleted(steps)
    return lambda: steps.begin(lease)


def taking_a_slot_for_what_is_gone(steps: Steps) -> Callable[[], Any]:
    lease = deleted(steps)
    return lambda: steps.begin(lease, slots=1)


def asking_after_a_permit_for_what_is_gone(steps: Steps) -> Callable[[], Any]:
    lease = deleted(steps)
    return lambda: vendor_availability(steps.db, lease, "vendor", Rate(1, 60))


REFUSED: dict[str, tuple[Make, type[Exception], str]] = {
    make.__name__.replace("_", " "): (make, error, words)
    for make, error, words in (
        (approving_a_stage_before_the_held_one, NotHeldError, "waits for the approval of song"),
        (rejecting_what_was_canceled, NotHeldError, "is canceled, and waits for no approval"),
        (rejecting_what_an_operator_has_put_back, NotHeldError, "waits for no approval"),
        (correcting_what_is_at_work, ConflictError, "'r'"),
        (ordering_for_another_pipeline, ConflictError, "'r'"),
        (ordering_the_same_for_another_pipeline, ConflictError, "'r'"),
        (canceling_what_is_completed, IllegalTransitionError, "is completed; nothing to cancel"),
        (giving_up_what_is_at_work, IllegalTransitionError, "wait until its attempt has ended"),
        (giving_up_what_an_operator_has_named, IllegalTransitionError, "vendor's job x1"),
        (claiming_for_another_pipeline, ClaimRefusedError, "an order of song_video, not of image"),
        (claiming_what_has_killed_its_workers, ClaimRefusedError, "request r is dead"),
        (
            keeping_what_only_a_transition_may_change,
            IllegalTransitionError,
            "^permit, status: only a transition",
        ),
        (keeping_a_key_that_is_too_long, DatabaseError, "unique_key|too long"),
        (picking_up_a_key_that_is_too_long, DatabaseError, "unique_key|too long"),
        (choosing_a_cover_of_what_is_not_done, NotCompletedError, "is pending"),
        (beginning_a_stage_of_what_is_gone, LeaseLostError, "was deleted"),
        (taking_a_slot_for_what_is_gone, LeaseLostError, "was deleted"),
        (asking_after_a_permit_for_what_is_gone, LeaseLostError, "was deleted"),
    )
}


@pytest.mark.parametrize(("make", "error", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_transition_that_the_state_forbids_is_refused_and_changes_nothing(
    steps, make, error, words
):
    act = make(steps)

    def refused() -> None:
        with pytest.raises(error, match=words):
            act()

    assert changes_of(steps, refused) == {}


def ordering_again(steps: Steps) -> Callable[[], Any]:
    steps.order(owner="shop")
    return lambda: steps.order(owner="shop")


def retrying_again(steps: Steps) -> Callable[[], Any]:
    steps.dead()
    steps.retry(attempt=1)
    return lambda: steps.retry(attempt=1)


def ordering_what_another_unreadable_order_is(steps: Steps) -> Callable[[], Any]:
    """Only an order of the same name takes the place of one that cannot be read."""
    steps.order("holder", unique_key="k")
    steps.edit("payload = '[]'", "holder")
    return lambda: steps.order(unique_key="k")


def letting_read_whose_it_is(steps: Steps) -> Callable[[], Any]:
    mine, mine_too, unowned = (
        steps.order(owner="shop"),
        steps.order("a", owner="shop"),
        steps.order("b"),
    )

    def act() -> None:
        with steps.db.writing() as tx:
            for other in (mine_too, unowned):
                grant_shared_access(tx, mine, other.owner)

    return act


def pruning_no_files(steps: Steps) -> Callable[[], Any]:
    return lambda: prune_files(steps.db, [], lambda request: True)


def noting_pruned_logs_of_what_is_gone(steps: Steps) -> Callable[[], Any]:
    return lambda: note_log_pruned(steps.db, [99_999_999])


UNCHANGING: dict[str, Make] = {
    make.__name__.replace("_", " "): make
    for make in (
        ordering_again,
        retrying_again,
        ordering_what_another_unreadable_order_is,
        letting_read_whose_it_is,
        pruning_no_files,
        noting_pruned_logs_of_what_is_gone,
    )
}


@pytest.mark.parametrize("make", UNCHANGING.values(), ids=UNCHANGING.keys())
def test_transition_that_has_nothing_to_do_changes_nothing(steps, make):
    assert changes_of(steps, make(steps)) == {}
