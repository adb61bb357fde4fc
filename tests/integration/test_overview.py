"""One statement tells of a request what all the single questions tell."""

import pytest

from resources.ledger.database import Database
from resources.ledger.errors import UnknownRequestError
from resources.ledger.overview import overview_of
from resources.ledger.reads import attempt_views, get_request, stage_views
from resources.ledger.spending import spent
from resources.ledger.tables import JobStatus
from tests.ledger_steps import Steps


@pytest.fixture
def lived(steps: Steps) -> Steps:
    """An order with a failed attempt, a redone stage, money spent, and a submission at work."""
    lease = steps.failed()
    steps.retry()
    steps.dispatch()
    lease = steps.take(dispatched_as=steps.row().attempt)
    steps.make_stage(lease, "lyric")
    steps.fail(lease, stage="song")
    steps.redo(stage="lyric")
    steps.dispatch()
    lease = steps.take(dispatched_as=steps.row().attempt)
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.intend(lease, entry), JobStatus.SUBMITTED)
    return steps


def test_overview_tells_the_request_as_it_is_read_alone(lived: Steps, db: Database) -> None:
    assert overview_of(db, "r").request == get_request(db, "r")


def test_overview_tells_the_stages_as_they_are_read_alone(lived: Steps, db: Database) -> None:
    assert overview_of(db, "r").stages == stage_views(db, lived.row())


def test_overview_tells_what_was_spent(lived: Steps, db: Database) -> None:
    assert overview_of(db, "r").spent == spent(db, lived.row()) != {}


def test_overview_tells_every_attempt(lived: Steps, db: Database) -> None:
    assert overview_of(db, "r").attempts == attempt_views(db, lived.row())


def test_overview_of_a_new_order_is_empty(steps: Steps, db: Database) -> None:
    steps.order()
    seen = overview_of(db, "r")
    assert [seen.stages, seen.spent, seen.attempts, seen.artifacts] == [[], {}, [], []]


def test_overview_of_an_unknown_request_is_refused(db: Database) -> None:
    with pytest.raises(UnknownRequestError):
        overview_of(db, "nobody")
