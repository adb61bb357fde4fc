from dataclasses import replace
from datetime import timedelta

import pytest

from resources.ledger.request import Request
from resources.ledger.rules import (
    TRANSITIONS,
    Failure,
    FailureAction,
    Grant,
    Outcome,
    Refuse,
    Replay,
    RetryDelays,
    compute_settings_backoff,
    decide_after_worker_loss,
    decide_claim,
    decide_failure,
    keep_schedule,
    retry_backoff,
    retry_policy,
)
from resources.ledger.schema.tables import FOLDED, TERMINAL, Status
from tests.fold import fold
from tests.sample_request import DISPATCHED, EARLIER, NOW

LATER = NOW + timedelta(seconds=30)
WAITS = RetryDelays(retry=60, unknown_grace=900)
HELD = replace(DISPATCHED, status=Status.PROCESSING, lease_owner="w:1", lease_until=LATER)
LAPSED = replace(HELD, lease_until=EARLIER)


def in_status(status: Status) -> Request:
    return replace(DISPATCHED, status=status)


@pytest.mark.parametrize(
    ("retries", "wait"), [(0, 30), (1, 60), (2, 120), (10, 30 * 1024), (11, 30 * 1024)]
)
def test_retry_wait_doubles_per_retry_and_stops_at_the_tenth(retries, wait):
    assert retry_backoff(30, retries, jitter=0.5) == pytest.approx(wait)


@pytest.mark.parametrize(("jitter", "wait"), [(0, 90), (0.5, 100), (1, 110)])
def test_retry_wait_spreads_by_a_tenth_either_way(jitter, wait):
    assert retry_backoff(100, 0, jitter) == pytest.approx(wait)


FAILURES = {
    "first failure waits": (FailureAction.RETRY, 0, 3, 0, (Status.FAILED, 1, 60)),
    "third failure waits longer": (FailureAction.RETRY, 2, 3, 0, (Status.FAILED, 3, 240)),
    "retries spent": (FailureAction.RETRY, 3, 3, 0, (Status.DEAD, 3, None)),
    "no retries allowed": (FailureAction.RETRY, 0, 0, 0, (Status.DEAD, 0, None)),
    "max_retries lowered": (FailureAction.RETRY, 3, 1, 0, (Status.DEAD, 3, None)),
    "permanent": (FailureAction.DEAD_LETTER, 0, 3, 0, (Status.DEAD, 0, None)),
    "nobody's fault counts nothing": (FailureAction.WAIT, 3, 3, 0, (Status.PENDING, 3, None)),
    "lost just now": (FailureAction.LOOK_UP, 3, 3, 0, (Status.FAILED, 3, 30)),
    "lost a while ago": (FailureAction.LOOK_UP, 0, 3, 100, (Status.FAILED, 0, 100)),
    "lost long ago": (FailureAction.LOOK_UP, 0, 3, 899, (Status.FAILED, 0, 300)),
    "lost for good": (FailureAction.LOOK_UP, 0, 3, 900, (Status.DEAD, 0, None)),
}


@pytest.mark.parametrize("case", FAILURES.values(), ids=FAILURES)
def test_after_failure_leads_where_the_remedy_says(case):
    action, retry_count, max_retries, unknown_for, outcome = case
    request = replace(HELD, retry_count=retry_count, max_retries=max_retries)
    failure = Failure("code", "message", action)
    decided = decide_failure(request, failure, WAITS, jitter=0.5, unknown_for=unknown_for)
    assert decided == Outcome(*outcome)


@pytest.mark.parametrize(("age", "wait"), [(0, 300), (299, 300), (900, 900), (99_999, 3600)])
def test_order_that_waits_for_settings_is_tried_again_after_its_age_up_to_an_hour(age, wait):
    waiting = replace(DISPATCHED, created_at=NOW - timedelta(seconds=age), updated_at=NOW)
    assert compute_settings_backoff(waiting, 300) == wait


def test_retry_comes_not_before_the_vendor_said():
    failure = Failure("maintenance", "m", FailureAction.RETRY, retry_after=180)
    assert decide_failure(HELD, failure, WAITS, jitter=0.5) == Outcome(Status.FAILED, 1, 180)


@pytest.mark.parametrize(
    ("deaths", "outcome"),
    [
        (0, Outcome(Status.PENDING, 2, 0)),
        (3, Outcome(Status.PENDING, 2, 0)),
        (4, Outcome(Status.DEAD, 2, None)),
        (5, Outcome(Status.DEAD, 2, None)),
    ],
)
def test_after_death_is_due_at_once_until_it_is_poison(deaths, outcome):
    assert (
        decide_after_worker_loss(replace(HELD, deaths=deaths, retry_count=2), poison_deaths=5)
        == outcome
    )


CLAIMS = {
    "dispatched run": (DISPATCHED, 1, Grant(1)),
    "dispatched run of another attempt": (DISPATCHED, 0, Refuse),
    "dispatched run after it fell back": (in_status(Status.PENDING), 1, Grant(2)),
    "dispatched run held back by hand": (
        replace(in_status(Status.PENDING), not_before=LATER),
        1,
        Refuse,
    ),
    "dispatched run once it is due": (
        replace(in_status(Status.PENDING), not_before=EARLIER),
        1,
        Grant(2),
    ),
    "dispatched run at the moment when it is due": (
        replace(in_status(Status.PENDING), not_before=NOW),
        1,
        Grant(2),
    ),
    "hand on what is not due": (
        replace(in_status(Status.FAILED), not_before=LATER),
        None,
        Grant(2),
    ),
    "dispatched run of a failed": (in_status(Status.FAILED), 1, Refuse),
    "dispatched run of a dead": (in_status(Status.DEAD), 1, Refuse),
    "dispatched run of a completed": (in_status(Status.COMPLETED), 1, Refuse),
    "dispatched run of a canceled": (in_status(Status.CANCELED), 1, Refuse),
    "dispatched run while held": (HELD, 1, Refuse),
    "dispatched run after the lease": (LAPSED, 1, Refuse),
    "hand on pending": (in_status(Status.PENDING), None, Grant(2)),
    "hand on dispatched": (DISPATCHED, None, Grant(2)),
    "hand on failed": (in_status(Status.FAILED), None, Grant(2)),
    "hand on dead": (in_status(Status.DEAD), None, Grant(2)),
    "hand on completed": (in_status(Status.COMPLETED), None, Replay(2)),
    "hand on canceled": (in_status(Status.CANCELED), None, Refuse),
    "hand while held": (HELD, None, Refuse),
    "hand after the lease": (LAPSED, None, Grant(2)),
    "hand on processing without a lease": (replace(HELD, lease_until=None), None, Grant(2)),
}


@pytest.mark.parametrize("case", CLAIMS.values(), ids=CLAIMS)
def test_claim_is_decided_by_status_lease_and_attempt(case):
    request, dispatched_as, expected = case
    decision = decide_claim(request, dispatched_as=dispatched_as, now=NOW)
    if expected is Refuse:
        assert isinstance(decision, Refuse)
    else:
        assert decision == expected


@pytest.mark.parametrize(
    ("request_", "dispatched_as", "words"),
    [
        (HELD, None, "run other-run"),
        (in_status(Status.CANCELED), None, "castad retry r"),
        (in_status(Status.FAILED), 1, "failed at attempt 1"),
    ],
    ids=["held", "canceled", "stale"],
)
def test_refusal_says_why(request_, dispatched_as, words):
    decision = decide_claim(request_, dispatched_as=dispatched_as, now=NOW)
    assert isinstance(decision, Refuse)
    assert words in decision.reason


@pytest.mark.parametrize(
    ("status", "not_before", "words"),
    [
        (Status.FAILED, NOW, f"2 of 3, next at {NOW:%Y-%m-%d %H:%M:%S} UTC"),
        (Status.FAILED, None, "2 of 3"),
        (Status.DISPATCHED, None, "2 of 3"),
        (Status.PENDING, NOW, "2 of 3"),
        (Status.DEAD, None, "2 of 3"),
    ],
)
def test_retry_policy_tells_count_limit_and_the_moment_of_the_next(status, not_before, words):
    request = replace(HELD, status=status, retry_count=2, not_before=not_before)
    assert retry_policy(request) == words


WAITING = replace(in_status(Status.PENDING), attempt=0, not_before=NOW)
CLEARED = {"not_before": None}
SCHEDULES = {
    "cleared before it began": (WAITING, CLEARED, {**CLEARED, "scheduled_at": NOW}),
    "left as it is": (WAITING, {"status": "dispatched"}, {"status": "dispatched"}),
    "said otherwise": (
        WAITING,
        {**CLEARED, "scheduled_at": None},
        {**CLEARED, "scheduled_at": None},
    ),
    "never scheduled": (replace(WAITING, not_before=None), CLEARED, CLEARED),
    "begun before": (replace(WAITING, attempt=1), CLEARED, CLEARED),
}


@pytest.mark.parametrize("case", SCHEDULES.values(), ids=SCHEDULES)
def test_time_of_the_schedule_is_kept_where_a_first_start_clears_it(case):
    request, changes, kept = case
    assert keep_schedule(request, changes) == kept


def test_fold_keeps_the_last_value_of_every_column():
    created = {"set": {**dict.fromkeys(FOLDED), "status": "pending", "cancel_requested": 0}}
    folded = fold([created, {"set": {"status": "dispatched"}}, {"set": {"attempt": 1}}])
    assert folded == {
        **dict.fromkeys(FOLDED),
        "status": "dispatched",
        "attempt": 1,
        "cancel_requested": False,
    }


def test_fold_ignores_what_is_no_folded_column():
    created = {"set": dict.fromkeys(FOLDED), "worker": "w:1"}
    assert set(fold([created])) == set(FOLDED)


def test_only_people_and_what_is_learnt_of_a_submission_lead_out_of_the_end():
    ways_out = {
        kind
        for kind, edges in TRANSITIONS.items()
        for before, after in edges
        if before in TERMINAL and after is not before
    }
    assert ways_out == {
        *("retried", "redone", "claimed", "resolved", "callback_heard", "corrected", "redriven"),
        *("submitted", "submission_failed", "submission_succeeded"),
    }
