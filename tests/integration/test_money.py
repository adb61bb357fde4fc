"""What may be spent, who is left alone, and how a person settles what got lost."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, event

from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import (
    DailyBudgetError,
    IllegalTransitionError,
    OverMaxCostError,
    TakenIdError,
    UnknownRequestError,
)
from resources.ledger.queries.money import (
    count_polled_jobs,
    count_waiting_for,
    list_requests_in_doubt,
    read_pauses,
)
from resources.ledger.queries.overview import build_overview
from resources.ledger.queries.status import read_clock
from resources.ledger.rules import Failure, FailureAction
from resources.ledger.schema.tables import JobStatus, Status
from resources.ledger.transitions.callbacks import attach_job, give_up_submission, resubmit_request
from resources.ledger.transitions.housekeeping import pause_provider, resume_provider
from resources.ledger.transitions.jobs import Budget
from tests.eventually import eventually
from tests.integration.test_concurrency import at_once, waiting_for_locks
from tests.ledger_laws import assert_laws
from tests.ledger_steps import Steps

SUNO = Failure("out_of_credits", "suno: no credits", FailureAction.WAIT, waits_for="suno")
VERBS: dict[str, Callable[[Database, str], object]] = {
    "attach": lambda db, task_id: attach_job(db, task_id, "x1"),
    "resubmit": resubmit_request,
    "give-up": give_up_submission,
}
each_verb = pytest.mark.parametrize("resolve", VERBS.values(), ids=VERBS)


def buy(steps: Steps, task_id: str, cost: int, budget: Budget) -> None:
    lease = steps.working(task_id)
    steps.save_intent(lease, steps.begin(lease), f"token of {task_id}", cost, budget)


def wait_for_suno(steps: Steps, task_id: str = "r") -> None:
    steps.fail_as(steps.working(task_id), SUNO)


# Budgets


def test_order_within_its_limit_is_bought(steps):
    buy(steps, "r", 500, Budget(order=500))
    assert build_overview(steps.db, steps.row().task_id).spent == {"lyric": 500}


def test_order_over_its_limit_is_not_bought_and_the_sum_is_named(steps):
    with pytest.raises(OverMaxCostError, match=r"0\.6000 USD.*0\.0000 USD.*0\.5000 USD"):
        buy(steps, "r", 600_000, Budget(order=500_000))
    assert steps.jobs() == []


def test_limit_of_an_order_counts_what_its_other_stages_cost(steps):
    lease = steps.working()
    steps.save_intent(lease, steps.begin(lease), "first", 300, Budget(order=500))
    with pytest.raises(OverMaxCostError):
        steps.save_intent(lease, steps.begin(lease, "song"), "second", 300, Budget(order=500))


def test_daily_budget_may_be_spent_to_its_end(steps):
    buy(steps, "first", 200, Budget(day=500))
    buy(steps, "second", 300, Budget(day=500))
    with pytest.raises(DailyBudgetError):
        buy(steps, "third", 1, Budget(day=500))


def test_price_over_the_whole_daily_budget_does_not_wait_for_another_day(steps):
    buy(steps, "first", 500, Budget(day=500))
    with pytest.raises(OverMaxCostError, match="CASTAD_DAILY_BUDGET"):
        buy(steps, "second", 501, Budget(day=500))


def test_what_costs_nothing_is_sent_whatever_was_spent(steps):
    lease = steps.working()
    steps.save_intent(lease, steps.begin(lease), "first", 500, Budget())
    steps.save_intent(lease, steps.begin(lease, "song"), "second", 0, Budget(100, 100))
    assert [job.cost for job in steps.jobs()] == [500, 0]


def test_daily_budget_is_new_the_next_day(steps):
    buy(steps, "first", 300, Budget(day=500))
    yesterday = read_clock(steps.db) - timedelta(days=1)
    moment = yesterday.strftime("%Y-%m-%d %H:%M:%S.000") if steps.db.is_sqlite else yesterday
    steps.sql("UPDATE provider_jobs SET created_at = :y", y=moment)
    buy(steps, "second", 300, Budget(day=500))
    assert len(steps.jobs("second")) == 1


def test_daily_budget_makes_orders_wait_until_the_next_day_at_most(steps):
    buy(steps, "first", 200, Budget(day=300))
    with pytest.raises(DailyBudgetError) as told:
        buy(steps, "r", 200, Budget(day=300))
    assert 0 < told.value.wait <= 24 * 3600


def test_daily_budget_holds_against_orders_at_the_same_moment(shared_ledger, postgres_ledger_url):
    """SQLite has one writer. Here both orders would be bought if each read the sum before the other wrote."""
    steps, at_insert = Steps(shared_ledger), []

    def wait_for_the_other(*execution: Any) -> None:
        if "INSERT INTO provider_jobs" in execution[2]:
            at_insert.append(threading.get_ident())
            eventually(lambda: len(at_insert) == 2 or waiting_for_locks(shared_ledger) > 0)

    def try_to_buy(number: int) -> bool:
        try:
            buy(steps, f"r{number}", 300, Budget(day=500))
        except DailyBudgetError:
            return False
        return True

    for task_id in ("r0", "r1"):
        steps.order(task_id)
    event.listen(Engine, "before_cursor_execute", wait_for_the_other)
    try:
        assert sorted(at_once(2, try_to_buy)) == [False, True]
    finally:
        event.remove(Engine, "before_cursor_execute", wait_for_the_other)


def test_submission_that_was_not_accepted_costs_nothing(steps):
    lease = steps.working()
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.FAILED, cost=0)
    assert build_overview(steps.db, steps.row().task_id).spent == {"lyric": 0}


# Pause


def test_order_that_waits_for_a_paused_provider_is_pending_and_says_why(steps):
    wait_for_suno(steps)
    row = steps.row()
    assert (row.status, row.retry_count, row.error_code) == (Status.PENDING, 0, "out_of_credits")
    assert_laws(steps)


def test_order_that_waits_for_a_paused_provider_is_not_dispatched(steps):
    pause_provider(steps.db, "suno", "no credits", 60)
    wait_for_suno(steps)
    assert steps.dispatch() == []
    assert count_waiting_for(steps.db, "suno") == 1


def test_order_that_waits_for_another_provider_is_dispatched(steps):
    pause_provider(steps.db, "creatomate", "no credits", 60)
    wait_for_suno(steps)
    assert len(steps.dispatch()) == 1


def test_resumed_providers_orders_are_due_at_once(steps):
    pause_provider(steps.db, "suno", "no credits", 60)
    wait_for_suno(steps)
    assert resume_provider(steps.db, "suno")
    assert len(steps.dispatch()) == 1


def test_provider_is_asked_again_when_its_pause_is_over(steps):
    pause_provider(steps.db, "suno", "no credits", -1)
    wait_for_suno(steps)
    assert (read_pauses(steps.db), len(steps.dispatch())) == ([], 1)


def test_claim_forgets_what_the_order_waited_for(steps):
    wait_for_suno(steps)
    steps.take()
    assert steps.row().waits_for is None


def test_paused_provider_is_listed_with_its_reason(steps):
    pause_provider(steps.db, "suno", "no credits", 60)
    (pause,) = read_pauses(steps.db)
    assert (pause.provider, pause.why) == ("suno", "no credits")


# Lost submissions, settled by a person


def test_attached_submission_is_live_and_due(steps):
    steps.lost()
    assert attach_job(steps.db, "r", "x1").status is Status.PENDING
    assert [(job.status, job.external_id) for job in steps.jobs()] == [("submitted", "x1")]


def test_resubmitted_order_costs_its_new_submission_alone(steps):
    steps.lost()
    resubmit_request(steps.db, "r")
    lease = steps.take()
    steps.save_intent(lease, steps.begin(lease), "again", 500_000, Budget(500_000, 500_000))
    found = [(job.status, job.cost) for job in steps.jobs()]
    assert found == [("failed", 0), ("intent", 500_000)]


def test_given_up_order_is_dead_and_a_retry_submits_again(steps):
    steps.lost()
    given_up = give_up_submission(steps.db, "r")
    assert (given_up.status, given_up.error_code) == (Status.DEAD, "given_up")
    steps.retry()
    lease = steps.take()
    steps.save_intent(lease, steps.begin(lease), "again")


@each_verb
def test_intent_of_a_dead_worker_can_be_resolved_too(steps, resolve):
    lease = steps.working()
    steps.save_intent(lease, steps.begin(lease))
    steps.lose_worker()
    resolve(steps.db, "r")
    assert_laws(steps)


@each_verb
def test_resolving_needs_a_lost_submission(steps, resolve):
    steps.failed()
    with pytest.raises(IllegalTransitionError, match="no submission in doubt"):
        resolve(steps.db, "r")


@each_verb
def test_resolving_waits_until_nothing_works_on_it(steps, resolve):
    lease = steps.working()
    steps.save_intent(lease, steps.begin(lease))
    with pytest.raises(IllegalTransitionError, match="processing"):
        resolve(steps.db, "r")


@each_verb
def test_resolving_needs_an_order(steps, resolve):
    with pytest.raises(UnknownRequestError):
        resolve(steps.db, "nobody")


def test_submission_with_a_wrong_id_can_be_settled_again(steps):
    steps.lost()
    attach_job(steps.db, "r", "wrong")
    attach_job(steps.db, "r", "right")
    assert [job.external_id for job in steps.jobs()] == ["right"]


def test_job_of_another_order_cannot_be_attached(steps):
    steps.lost("first")
    attach_job(steps.db, "first", "x1")
    steps.lost("second")
    with pytest.raises(TakenIdError, match="x1 is the job of 'first'"):
        attach_job(steps.db, "second", "x1")


def test_job_of_a_deleted_order_cannot_be_attached(steps):
    steps.lost("first")
    attach_job(steps.db, "first", "x1")
    steps.cancel("first")
    steps.sql("DELETE FROM requests WHERE task_id = 'first'")
    steps.lost("second")
    with pytest.raises(TakenIdError, match="x1 is the job of 'first'"):
        attach_job(steps.db, "second", "x1")


@pytest.mark.parametrize("resolve", [resubmit_request, give_up_submission])
def test_submission_whose_id_is_known_is_neither_sent_again_nor_given_up(steps, resolve):
    steps.lost()
    attach_job(steps.db, "r", "x1")
    with pytest.raises(IllegalTransitionError, match="vendor's job x1"):
        resolve(steps.db, "r")


@each_verb
def test_lost_submission_of_an_older_generation_is_nobodys_any_more(steps, resolve):
    steps.lost()
    steps.redo()
    with pytest.raises(IllegalTransitionError, match="no submission in doubt"):
        resolve(steps.db, "r")


def test_only_what_is_asked_after_is_in_flight(steps):
    for task_id in ("working", "canceled"):
        lease = steps.working(task_id)
        entry = steps.begin(lease)
        job = steps.save_intent(lease, entry, task_id)
        steps.settle(lease, entry, job, JobStatus.SUBMITTED, external_id=task_id)
    steps.cancel("canceled")
    steps.confirm_cancel(lease)
    assert count_polled_jobs(steps.db, "vendor") == 1


def test_lost_submissions_are_listed_until_they_are_settled(steps):
    steps.lost("settled")
    resubmit_request(steps.db, "settled")
    steps.lost("open")
    assert list_requests_in_doubt(steps.db, 10) == ["open"]
