"""How a run fares, by what the ledger knows of it."""

from resources.ledger.queries.health import RunAttempt, RunHealth, assess_run_health

SLACK = 30.0


def ended(ago: float | None, *, lost_lease: bool = False) -> RunAttempt:
    return RunAttempt("worker", ago, lost_lease)


def test_run_with_an_open_attempt_is_alive():
    assert assess_run_health(ended(None), age=9999, grace=SLACK) is RunHealth.ALIVE


def test_run_whose_request_was_taken_away_is_lost_at_once():
    assert assess_run_health(ended(0, lost_lease=True), age=0, grace=SLACK) is RunHealth.LOST


def test_run_that_has_just_begun_may_claim_late():
    assert assess_run_health(None, age=SLACK - 1, grace=SLACK) is RunHealth.ALIVE


def test_run_that_never_claimed_is_lost():
    assert assess_run_health(None, age=SLACK, grace=SLACK) is RunHealth.UNCLAIMED


def test_run_may_end_a_little_after_its_attempt():
    assert assess_run_health(ended(SLACK - 1), age=0, grace=SLACK) is RunHealth.ALIVE


def test_run_that_outlives_its_attempt_is_lost():
    assert assess_run_health(ended(SLACK), age=0, grace=SLACK) is RunHealth.ENDED
