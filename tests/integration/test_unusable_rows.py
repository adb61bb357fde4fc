"""One row whose values stand against its next transition is set aside by itself, and holds up no other."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from sqlalchemy.exc import IntegrityError

from resources.ledger.ledger_errors import ClaimRefusedError
from resources.ledger.limits import Limits
from resources.ledger.queries.dispatch import read_dispatch_snapshot
from resources.ledger.queries.health import list_stuck
from resources.ledger.queries.workload import WorkloadScope
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.core import describe_row_error
from resources.ledger.transitions.rescue import register_worker
from sensors.dispatch_waiter import explain_idle
from tests.ledger_steps import POISON, Steps

EVENT_OF_A_HAND = """INSERT INTO events (request_id, seq, type, "to")
    SELECT id, seq + 1, 'typed', status FROM requests WHERE task_id = 'bad'"""


def taken_seq(steps: Steps) -> None:
    steps.sql(EVENT_OF_A_HAND)


def frozen(steps: Steps) -> None:
    """A trigger of the operator's own lets nobody change the row."""
    if steps.db.is_sqlite:
        steps.sql(
            "CREATE TRIGGER frozen BEFORE UPDATE ON requests WHEN OLD.task_id = 'bad' "
            "BEGIN SELECT RAISE(ABORT, 'frozen'); END"
        )
        return
    steps.sql("ALTER TABLE requests ADD CONSTRAINT frozen CHECK (task_id <> 'bad') NOT VALID")


def assert_set_aside(steps: Steps) -> None:
    row = steps.row("bad")
    assert (row.status, row.error_code) == (Status.DEAD, "row_unusable")
    assert row.error_message
    last = steps.last("bad")
    assert (last.type, last.after, last.data["message"]) == ("dead", "dead", row.error_message)


def for_both(*acts):
    """Do this with the bad row, and then with the good one."""
    return lambda steps: [act(steps, name) for name in ("bad", "good") for act in acts]


def order(steps, name):
    steps.order(name)


def work(steps, name):
    steps.working(name, owner="worker:1")


def put_dispatched(steps):
    for_both(order)(steps)
    steps.dispatch()


MANY = {
    "a dispatch": (for_both(order), lambda s: s.dispatch(1)),
    "a rescue": (for_both(work, Steps.run_out), lambda s: s.rescue()),
    "the end of what is exhausted": (
        for_both(Steps.failed, lambda s, name: s.edit("max_retries = 0", name)),
        lambda s: s.discard_exhausted(),
    ),
    "the start of a worker": (
        for_both(work),
        lambda s: register_worker(s.db, "worker", "2", slots=1, poison_deaths=POISON),
    ),
    "a redelivery": (put_dispatched, lambda s: s.redelivered()),
    "a requeue": (put_dispatched, lambda s: s.undelivered()),
}


@pytest.mark.parametrize(("before", "act"), MANY.values(), ids=MANY.keys())
def test_unusable_row_stops_no_transition_of_many(steps, before, act):
    before(steps)
    taken_seq(steps)
    assert [request.task_id for request in act(steps)] == ["good"]
    assert_set_aside(steps)


def test_unusable_row_refuses_a_claim_in_one_sentence(steps):
    steps.order("bad")
    steps.dispatch()
    taken_seq(steps)
    with pytest.raises(ClaimRefusedError, match="bad is dead, because its row cannot be used"):
        steps.take("bad", dispatched_as=1)
    assert_set_aside(steps)


def test_row_that_was_set_aside_can_be_retried(steps):
    steps.order("bad")
    taken_seq(steps)
    steps.dispatch()
    steps.retry("bad")
    assert [request.task_id for request in steps.dispatch()] == ["bad"]


@pytest.fixture
def with_a_frozen_row(steps: Steps) -> Iterator[Steps]:
    """The first order is due and cannot even be set aside."""
    steps.order("bad")
    steps.order("good")
    frozen(steps)
    yield steps
    if not steps.db.is_sqlite:
        steps.sql("ALTER TABLE requests DROP CONSTRAINT frozen")


def test_row_that_cannot_even_be_set_aside_takes_nobodys_slot(with_a_frozen_row):
    assert [request.task_id for request in with_a_frozen_row.dispatch(1)] == ["good"]


def test_row_that_cannot_even_be_set_aside_is_named(with_a_frozen_row):
    db = with_a_frozen_row.db
    with_a_frozen_row.dispatch()
    assert "bad" in explain_idle(db, read_dispatch_snapshot(db, Limits(9, 600), 1))
    stuck = list_stuck(db, WorkloadScope({}, 600), 0)
    assert {each.task_id for each in stuck.oldest} == {"bad"} | {"good"}


def test_batch_with_unusable_rows_makes_room_for_the_next(steps):
    """One that cannot even be set aside is not met again, and one that is set aside takes no slot."""
    names = ["bad", "unusable", *(f"good-{number}" for number in range(200))]
    for name in names:
        steps.order(name)
    steps.sql("UPDATE requests SET status = 'failed', retry_count = 4, max_retries = 3")
    steps.sql(EVENT_OF_A_HAND.replace("'bad'", "'unusable'"))
    frozen(steps)
    try:
        discarded = [request.task_id for request in steps.discard_exhausted()]
    finally:
        thaw(steps)
    assert discarded == names[2:]


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_row_that_cannot_even_be_read_holds_up_no_other(steps):
    steps.order("bad")
    steps.order("good")
    steps.edit("not_before = '2999-01-01 00:00:00'", "bad")
    file = steps.db.url.database
    assert file is not None
    with closing(sqlite3.connect(file)) as unchecked, unchecked:
        unchecked.execute("PRAGMA ignore_check_constraints = ON")
        unchecked.execute("UPDATE requests SET asked_at = 'late' WHERE task_id = 'bad'")
    assert [request.task_id for request in steps.dispatch()] == ["good"]


def thaw(steps: Steps) -> None:
    if steps.db.is_sqlite:
        steps.sql("DROP TRIGGER frozen")
        return
    steps.sql("ALTER TABLE requests DROP CONSTRAINT frozen")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("no number\nin this row"), "no number"),
        (ValueError(" "), "ValueError"),
        (IntegrityError("UPDATE requests", {}, Exception("frozen")), "frozen"),
    ],
)
def test_reason_is_one_line_of_the_error_itself(error, reason):
    assert describe_row_error(error) == reason
