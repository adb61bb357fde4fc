"""One row whose values stand against its next move is set aside by itself, and holds up no other."""

import pytest

from resources.ledger.errors import ClaimRefusedError
from resources.ledger.moves.workers import announce_worker
from resources.ledger.tables import Status
from tests.ledger_steps import POISON, Steps

EVENT_OF_A_HAND = """INSERT INTO events (request_id, seq, type, "to")
    SELECT id, seq + 1, 'typed', status FROM requests WHERE task_id = 'bad'"""


def taken_seq(steps: Steps) -> None:
    steps.sql(EVENT_OF_A_HAND)


def assert_set_aside(steps: Steps) -> None:
    row = steps.row("bad")
    assert (row.status, row.error_code) == (Status.DEAD, "row_unusable")
    assert row.error_message
    last = steps.last("bad")
    assert (last.type, last.after, last.data["message"]) == ("dead", "dead", row.error_message)


def worked_on(steps: Steps) -> None:
    for name in ("bad", "good"):
        steps.working(name, owner="worker:1")


def test_unusable_row_does_not_stop_dispatch(steps: Steps) -> None:
    steps.order("bad")
    steps.order("good")
    taken_seq(steps)
    assert [request.task_id for request in steps.dispatch(1)] == ["good"]
    assert_set_aside(steps)


def test_unusable_row_does_not_stop_the_rescue(steps: Steps) -> None:
    worked_on(steps)
    taken_seq(steps)
    steps.run_out("bad")
    steps.run_out("good")
    assert [request.task_id for request in steps.rescue()] == ["good"]
    assert_set_aside(steps)


def test_unusable_row_does_not_stop_what_buries_the_spent(steps: Steps) -> None:
    for name in ("bad", "good"):
        steps.failed(name)
        steps.edit("max_retries = 0", name)
    taken_seq(steps)
    assert [request.task_id for request in steps.bury_spent()] == ["good"]
    assert_set_aside(steps)


def test_unusable_row_does_not_keep_a_worker_from_its_start(steps: Steps) -> None:
    worked_on(steps)
    taken_seq(steps)
    taken = announce_worker(steps.db, "worker", "2", places=1, poison_deaths=POISON)
    assert [request.task_id for request in taken] == ["good"]
    assert_set_aside(steps)


@pytest.mark.parametrize("deliver", [Steps.redelivered, Steps.undelivered])
def test_unusable_row_does_not_stop_deliveries(steps: Steps, deliver) -> None:
    steps.order("bad")
    steps.order("good")
    steps.dispatch()
    taken_seq(steps)
    assert [request.task_id for request in deliver(steps)] == ["good"]
    assert_set_aside(steps)


def test_unusable_row_refuses_a_claim_in_one_sentence(steps: Steps) -> None:
    steps.order("bad")
    steps.dispatch()
    taken_seq(steps)
    with pytest.raises(ClaimRefusedError, match="bad is set aside"):
        steps.take("bad", dispatched_as=1)
    assert_set_aside(steps)


def test_row_that_was_set_aside_can_be_retried(steps: Steps) -> None:
    steps.order("bad")
    taken_seq(steps)
    steps.dispatch()
    steps.retry("bad")
    assert [request.task_id for request in steps.dispatch()] == ["bad"]
