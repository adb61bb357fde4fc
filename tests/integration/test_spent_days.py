"""Deleted money stays on record: no sum shrinks, whatever is deleted, in whichever order."""

from dataclasses import replace

import pytest
from sqlalchemy import select

from resources.ledger.errors import DailyBudgetError
from resources.ledger.moves.intents import Budget
from resources.ledger.queries.statistics import spent_in_all
from resources.ledger.queries.workload import WorkloadScope, workload
from resources.ledger.schema.tables import JobStatus, spent_days
from tests.ledger_steps import Steps

HOUSE = WorkloadScope({"song_video": "lyric"}, 30)
DELETED = ("requests", "provider_jobs")


def bought(steps: Steps, task_id: str, cost: int, status: JobStatus = JobStatus.SUCCEEDED) -> None:
    """An order with one submission, which has ended since."""
    lease = steps.working(task_id)
    entry = steps.begin(lease)
    job = steps.record_intent(lease, entry, f"token of {task_id}", cost)
    steps.settle(lease, entry, job, status, cost, external_id=f"x of {task_id}")
    steps.sql("UPDATE requests SET owner = task_id WHERE task_id = :r", r=task_id)
    steps.edit("status = 'canceled'", task_id)


def sums(steps: Steps) -> dict[str, object]:
    """Every sum of money that castad shows or decides by."""
    own = replace(HOUSE, owner="a")
    return {
        "in all": spent_in_all(steps.db, HOUSE),
        "today": workload(steps.db, HOUSE).spent_today,
        "in all of a": spent_in_all(steps.db, own),
        "today of a": workload(steps.db, own).spent_today,
    }


@pytest.mark.parametrize("table", DELETED)
def test_every_sum_of_money_is_the_same_after_a_delete(steps: Steps, table: str) -> None:
    bought(steps, "a", 300_000)
    bought(steps, "b", 20_000, JobStatus.FAILED)
    bought(steps, "c", 1_000)
    before = sums(steps)
    assert before["in all"] == 321_000
    assert before["in all of a"] == 300_000
    for task_id in ("b", "a"):
        column = "id" if table == "requests" else "request_id"
        steps.sql(
            f"DELETE FROM {table} WHERE {column} = (SELECT id FROM requests WHERE task_id = :r)",
            r=task_id,
        )
        assert sums(steps) == before


def test_submission_in_doubt_counts_once_after_its_request_is_deleted(steps: Steps) -> None:
    bought(steps, "a", 300_000, JobStatus.UNKNOWN)
    before = spent_in_all(steps.db, HOUSE)
    steps.sql("DELETE FROM requests")
    assert spent_in_all(steps.db, HOUSE) == before == 300_000
    with steps.db.reading() as tx:
        assert tx.execute(select(spent_days)).all() == []


def test_daily_budget_is_not_opened_again_by_a_delete(steps: Steps) -> None:
    bought(steps, "a", 300_000)
    steps.sql("DELETE FROM requests")
    lease = steps.working("b")
    with pytest.raises(DailyBudgetError):
        steps.record_intent(lease, steps.begin(lease), "token of b", 1, budget=Budget(day=300_000))


def test_day_is_that_of_the_intent(steps: Steps) -> None:
    bought(steps, "a", 300_000)
    steps.sql("UPDATE provider_jobs SET created_at = '2026-01-31 23:59:59.999+00:00'")
    before = sums(steps)
    steps.sql("DELETE FROM requests")
    assert sums(steps) == before
    with steps.db.reading() as tx:
        (row,) = tx.execute(select(spent_days)).all()
    assert tuple(row) == ("2026-01-31", "a", "song_video", "lyric", "vendor", 300_000, 1)
