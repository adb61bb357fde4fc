"""One statement tells of a request what all the single questions tell."""

import pytest

from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.overview import build_overview
from resources.ledger.queries.status import get_request
from resources.ledger.schema.tables import JobStatus
from tests.ledger_steps import STAGES, Steps


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
    steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.SUBMITTED)
    return steps


def test_overview_tells_what_belongs_to_the_request(lived, db):
    seen = build_overview(db, "r")
    assert seen.request == get_request(db, "r")
    [lyric] = seen.stages
    assert (lyric.stage, lyric.generation, lyric.status) == ("lyric", 2, "processing")
    assert (lyric.attempts, lyric.cost) == (1, 0)
    assert seen.spent == {"lyric": 500_000}
    told = [(view.number, view.error_code) for view in seen.attempts]
    assert told == [(1, "for_retry"), (2, "for_retry"), (3, None)]


def retries_in(db: Database) -> dict[str, int]:
    return {view.stage: view.retry_count for view in build_overview(db, "r").stages}


def test_overview_tells_the_retries_of_each_stage_by_itself(steps, db):
    steps.failed()
    lease = steps.take()
    steps.make_stage(lease, "lyric")
    for _ in range(2):
        steps.begin(lease, "song")
        steps.fail(lease, stage="song")
        lease = steps.take()
    assert retries_in(db) == {"lyric": 1, "song": 2}
    steps.make_stage(lease, "song")
    steps.begin(lease, "video")
    assert retries_in(db) == {"lyric": 1, "song": 2, "video": 0}


def test_overview_counts_no_death_and_no_second_try_as_a_retry(steps, db):
    steps.begin(steps.working())
    steps.lose_worker()
    lease = steps.take()
    for _ in range(2):
        steps.begin(lease)
    assert retries_in(db) == {"lyric": 0}


@pytest.mark.parametrize(
    ("change", "count"),
    [(lambda s: s.retry(), 0), (lambda s: s.edit("retry_count = 2"), 2)],
    ids=["retry", "edit"],
)
def test_overview_tells_the_count_that_limits_the_stage_at_work(steps, db, change, count):
    lease = steps.working()
    steps.begin(lease)
    steps.fail(lease)
    change(steps)
    assert retries_in(db) == {"lyric": count}
    lease = steps.take()
    steps.make_stage(lease, "lyric")
    assert retries_in(db) == {"lyric": count}


def test_overview_tells_the_result_of_a_stage(steps, db):
    steps.completed()
    assert [view.result for view in build_overview(db, "r").stages] == [{"of": s} for s in STAGES]


def test_overview_tells_how_far_the_stage_is(lived, db):
    lived.sql("UPDATE stages SET progress = 0.5, progress_note = 'half'")
    [lyric] = build_overview(db, "r").stages
    assert (lyric.progress, lyric.progress_note) == (0.5, "half")


def test_overview_of_a_new_order_is_empty(steps, db):
    steps.order()
    seen = build_overview(db, "r")
    assert [seen.stages, seen.spent, seen.attempts, seen.artifacts] == [[], {}, [], []]


def test_overview_of_an_unknown_request_is_refused(db):
    with pytest.raises(UnknownRequestError):
        build_overview(db, "nobody")
