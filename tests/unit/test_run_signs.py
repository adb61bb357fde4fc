"""How a run fares, by what the ledger knows of it."""

from resources.ledger.queries.run_signs import Health, RunSign, health_of

SLACK = 30.0


def ended(ago: float | None, *, taken_away: bool = False) -> RunSign:
    return RunSign("worker", ago, taken_away)


def test_run_with_an_open_attempt_is_alive() -> None:
    assert health_of(ended(None), age=9999, slack=SLACK) is Health.ALIVE


def test_run_whose_request_was_taken_away_is_lost_at_once() -> None:
    assert health_of(ended(0, taken_away=True), age=0, slack=SLACK) is Health.LOST


def test_run_that_has_just_begun_may_claim_late() -> None:
    assert health_of(None, age=SLACK - 1, slack=SLACK) is Health.ALIVE


def test_run_that_never_claimed_is_lost() -> None:
    assert health_of(None, age=SLACK, slack=SLACK) is Health.UNCLAIMED


def test_run_may_end_a_little_after_its_attempt() -> None:
    assert health_of(ended(SLACK - 1), age=0, slack=SLACK) is Health.ALIVE


def test_run_that_outlives_its_attempt_is_lost() -> None:
    assert health_of(ended(SLACK), age=0, slack=SLACK) is Health.ENDED
