"""A request whose run was terminated in Dagster comes back when a run of it is executed again there."""

from datetime import timedelta

import pytest

from resources.ledger.ledger_errors import ClaimRefusedError
from resources.ledger.queries.status import read_clock
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.orders import DAGSTER, cancel_request
from tests.ledger_steps import Steps

AGES = timedelta(days=1)


def terminated_while_it_waits(steps: Steps) -> None:
    steps.order()
    cancel_request(steps.db, "r", DAGSTER)


def terminated_at_work(steps: Steps) -> None:
    lease = steps.working()
    cancel_request(steps.db, "r", DAGSTER)
    steps.confirm_cancel(lease)


def canceled_by_a_client(steps: Steps) -> None:
    steps.order()
    cancel_request(steps.db, "r", "shop")


def canceled_by_a_client_at_work(steps: Steps) -> None:
    lease = steps.working()
    cancel_request(steps.db, "r", "shop")
    steps.confirm_cancel(lease)


def canceled_by_nobody_known(steps: Steps) -> None:
    steps.order()
    steps.cancel()


def canceled_by_sql_after_a_termination(steps: Steps) -> None:
    terminated_at_work(steps)
    steps.retry()
    steps.edit("status = 'canceled'")


def canceled_by_a_client_after_a_termination(steps: Steps) -> None:
    terminated_at_work(steps)
    steps.retry()
    cancel_request(steps.db, "r", "shop")


@pytest.mark.parametrize("end", [terminated_while_it_waits, terminated_at_work])
def test_execution_after_a_termination_brings_the_request_back(steps, end):
    end(steps)
    steps.take(reexecuted_at=read_clock(steps.db) + AGES)
    assert steps.row().status is Status.PROCESSING
    assert [event.type for event in steps.events()][-2:] == ["retried", "claimed"]


@pytest.mark.parametrize(
    "end",
    [
        canceled_by_a_client,
        canceled_by_a_client_at_work,
        canceled_by_nobody_known,
        canceled_by_sql_after_a_termination,
        canceled_by_a_client_after_a_termination,
    ],
)
def test_execution_brings_back_nothing_that_was_canceled_elsewhere(steps, end):
    end(steps)
    before = steps.row()
    with pytest.raises(ClaimRefusedError, match="castad retry r"):
        steps.take(reexecuted_at=read_clock(steps.db) + AGES)
    assert steps.row() == before


@pytest.mark.parametrize("end", [terminated_while_it_waits, terminated_at_work])
def test_run_that_was_launched_before_the_termination_brings_nothing_back(steps, end):
    end(steps)
    with pytest.raises(ClaimRefusedError, match="castad retry r"):
        steps.take(reexecuted_at=read_clock(steps.db) - AGES)
    assert steps.row().status is Status.CANCELED


@pytest.mark.parametrize("end", [terminated_while_it_waits, terminated_at_work])
def test_run_that_executes_no_other_again_brings_nothing_back(steps, end):
    end(steps)
    with pytest.raises(ClaimRefusedError, match="castad retry r"):
        steps.take()
    assert steps.row().status is Status.CANCELED


def test_run_that_was_launched_at_the_moment_of_the_termination_brings_nothing_back(steps):
    terminated_while_it_waits(steps)
    with pytest.raises(ClaimRefusedError, match="castad retry r"):
        steps.take(reexecuted_at=steps.last().at)


def test_execution_after_a_retry_is_of_what_was_retried(steps):
    terminated_at_work(steps)
    steps.retry()
    steps.take(reexecuted_at=read_clock(steps.db) + AGES)
    assert [event.type for event in steps.events()][-2:] == ["retried", "claimed"]


def test_execution_brings_back_nothing_whose_past_is_gone(steps):
    terminated_while_it_waits(steps)
    steps.sql("DELETE FROM events")
    with pytest.raises(ClaimRefusedError, match="castad retry r"):
        steps.take(reexecuted_at=read_clock(steps.db) + AGES)


def test_cancel_of_another_request_is_none_of_this_one(steps):
    terminated_while_it_waits(steps)
    steps.failed("other")
    cancel_request(steps.db, "other", "shop")
    steps.take(reexecuted_at=read_clock(steps.db) + AGES)
    assert steps.row().status is Status.PROCESSING


def test_callback_after_a_termination_keeps_nothing_from_coming_back(steps):
    steps.lost()
    cancel_request(steps.db, "r", DAGSTER)
    steps.save_callback()
    steps.take(reexecuted_at=read_clock(steps.db) + AGES)
    assert steps.row().status is Status.PROCESSING
