"""A transition that the state forbids is refused in its own words, and one with nothing to do is none."""

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
from resources.ledger.transitions.callbacks import give_up_submission
from resources.ledger.transitions.claims import Claimant, claim_request
from resources.ledger.transitions.core import save_unique_key, set_bookkeeping_columns
from resources.ledger.transitions.dispatch import read_vendor_availability
from resources.ledger.transitions.housekeeping import prune_files, save_log_pruned
from resources.ledger.transitions.orders import NewRequest, submit_orders
from resources.ledger.transitions.stages import find_reusable_request
from tests.ledger_steps import LEASE_SECONDS, POISON
from tests.table_rows import changes_of

_TIMES = {"lease_seconds": LEASE_SECONDS, "poison_deaths": POISON}
_TOO_LONG = "k" * 8193


def ordered_for(pipeline, same_order):
    return NewRequest("r", {"brief": 1}, pipeline, "test", same_order)


def put_second_hold(steps):
    steps.order(hold="song")
    lease = steps.take()
    for stage in ("lyric", "song"):
        steps.make_stage(lease, stage)
    steps.meets_hold(lease, "video")


def put_unknown_at_work(steps):
    lease = steps.working()
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.UNKNOWN)


def put_killer(steps):
    steps.working()
    steps.edit(f"deaths = {POISON - 1}")
    steps.run_out()


def put_film_made_again(steps):
    video = steps.filmed()
    steps.redo()
    return video


def put_deleted(steps):
    """A lease whose request is gone."""
    lease = steps.working()
    steps.edit("status = 'canceled'")
    steps.sql("DELETE FROM requests")
    return lease


def keep_more_than_bookkeeping(steps, _):
    with steps.db.writing() as tx:
        set_bookkeeping_columns(tx, requests.c.task_id == "r", permit="v", status="dead")


REFUSED = {
    "approving a stage before the held one": (
        *(put_second_hold, lambda s, _: s.approve(stage="lyric")),
        *(NotHeldError, "waits for the approval of song"),
    ),
    "rejecting what was canceled": (
        *(lambda s: (s.held(), s.cancel()), lambda s, _: s.reject()),
        *(NotHeldError, "is canceled, and waits for no approval"),
    ),
    "rejecting what an operator has put back": (
        lambda s: (s.held(), s.reject(), s.edit("status = 'pending'")),
        *(lambda s, _: s.reject(), NotHeldError, "waits for no approval"),
    ),
    "correcting what is at work": (
        *(lambda s: (s.working(), s.edit("payload = '[]'")), lambda s, _: s.order()),
        *(ConflictError, "'r'"),
    ),
    "ordering for another pipeline, which could not read the order that is there": (
        lambda s: s.order(),
        lambda s, _: submit_orders(s.db, [ordered_for("image", lambda stored, given: False)]),
        *(ConflictError, "'r'"),
    ),
    "ordering the same for another pipeline": (
        lambda s: s.order(),
        lambda s, _: submit_orders(s.db, [ordered_for("image", lambda a, b: a == b)]),
        *(ConflictError, "'r'"),
    ),
    "canceling what is completed": (
        *(lambda s: s.completed(), lambda s, _: s.cancel()),
        *(IllegalTransitionError, "is completed; nothing to cancel"),
    ),
    "giving up what is at work": (
        *(put_unknown_at_work, lambda s, _: give_up_submission(s.db, "r")),
        *(IllegalTransitionError, "wait until its attempt has ended"),
    ),
    "giving up what an operator has named": (
        lambda s: (s.lost(), s.sql("UPDATE provider_jobs SET external_id = 'x1'")),
        *(lambda s, _: give_up_submission(s.db, "r"), IllegalTransitionError, "vendor's job x1"),
    ),
    "claiming for another pipeline": (
        lambda s: s.order(),
        lambda s, _: claim_request(
            s.db, "r", Claimant("run", "w:1", None, pipeline="image"), **_TIMES
        ),
        *(ClaimRefusedError, "an order of song_video, not of image"),
    ),
    "claiming what has killed its workers": (
        *(put_killer, lambda s, _: s.claim(), ClaimRefusedError, "request r is dead"),
    ),
    "keeping what only a transition may change": (
        *(lambda s: s.order(), keep_more_than_bookkeeping),
        *(IllegalTransitionError, "^permit, status: only a transition"),
    ),
    "keeping a key that is too long": (
        *(lambda s: s.working(), lambda s, lease: find_reusable_request(s.db, lease, _TOO_LONG)),
        *(DatabaseError, "unique_key|too long"),
    ),
    "picking up a key that is too long": (
        lambda s: (s.order(), s.dispatch()),
        lambda s, _: save_unique_key(s.db, s.row(), _TOO_LONG),
        *(DatabaseError, "unique_key|too long"),
    ),
    "choosing a cover of what is not done": (
        *(put_film_made_again, lambda s, video: s.choose_cover(video)),
        *(NotCompletedError, "is pending"),
    ),
    "beginning a stage of what is gone": (
        *(put_deleted, lambda s, lease: s.begin(lease), LeaseLostError, "was deleted"),
    ),
    "taking a slot for what is gone": (
        *(put_deleted, lambda s, lease: s.begin(lease, slots=1), LeaseLostError, "was deleted"),
    ),
    "asking after a permit for what is gone": (
        put_deleted,
        lambda s, lease: read_vendor_availability(s.db, lease, "vendor", Rate(1, 60)),
        *(LeaseLostError, "was deleted"),
    ),
}
"""What was before, the transition, and how it is refused."""


@pytest.mark.parametrize(("before", "act", "error", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_transition_that_the_state_forbids_is_refused_and_changes_nothing(
    steps, before, act, error, words
):
    made = before(steps)

    def refused() -> None:
        with pytest.raises(error, match=words):
            act(steps, made)

    assert changes_of(steps, refused) == {}


def put_unreadable_holder(steps):
    """Only an order of the same name takes the place of one that cannot be read."""
    steps.order("holder", unique_key="k")
    steps.edit("payload = '[]'", "holder")


def let_read(steps, orders):
    mine, *others = orders
    with steps.db.writing() as tx:
        for other in others:
            grant_shared_access(tx, mine, other.owner)


UNCHANGING = {
    "ordering again": (lambda s: s.order(owner="shop"), lambda s, _: s.order(owner="shop")),
    "retrying again": (
        lambda s: (s.dead(), s.retry(attempt=1)),
        lambda s, _: s.retry(attempt=1),
    ),
    "ordering what another unreadable order is": (
        *(put_unreadable_holder, lambda s, _: s.order(unique_key="k")),
    ),
    "letting read whose it is": (
        lambda s: (s.order(owner="shop"), s.order("a", owner="shop"), s.order("b")),
        let_read,
    ),
    "pruning no files": (
        lambda s: None,
        lambda s, _: prune_files(s.db, [], lambda request: True),
    ),
    "noting pruned logs of what is gone": (
        lambda s: None,
        lambda s, _: save_log_pruned(s.db, [99_999_999]),
    ),
}


@pytest.mark.parametrize(("before", "act"), UNCHANGING.values(), ids=UNCHANGING.keys())
def test_transition_that_has_nothing_to_do_changes_nothing(steps, before, act):
    made = before(steps)
    assert changes_of(steps, lambda: act(steps, made)) == {}
