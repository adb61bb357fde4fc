"""Deleted money is kept: no sum shrinks, whatever is deleted, in whichever order."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from sqlalchemy import select

from resources.ledger.ledger_errors import DailyBudgetError
from resources.ledger.queries.hours import sum_spent
from resources.ledger.queries.workload import WorkloadScope, read_workload
from resources.ledger.schema.tables import JobStatus, provider_jobs, spent_days
from resources.ledger.transitions.housekeeping import purge_requests
from resources.ledger.transitions.jobs import Budget
from tests.ledger_steps import Steps

HOUSE = WorkloadScope({"song_video": "lyric"}, 30)
DELETED = ("requests", "provider_jobs")


def bought(steps: Steps, task_id: str, cost: int, status: JobStatus = JobStatus.SUCCEEDED) -> None:
    """An order with one submission, which has ended since."""
    lease = steps.working(task_id)
    entry = steps.begin(lease)
    job = steps.save_intent(lease, entry, f"token of {task_id}", cost)
    steps.settle(lease, entry, job, status, cost, external_id=f"x of {task_id}")
    steps.sql("UPDATE requests SET owner = task_id WHERE task_id = :r", r=task_id)
    steps.edit("status = 'canceled'", task_id)


def sums(steps: Steps) -> dict[str, object]:
    """Every sum of money that castad shows or decides by."""
    own = replace(HOUSE, owner="a")
    return {
        "in all": sum_spent(steps.db, HOUSE),
        "today": read_workload(steps.db, HOUSE).spent_today,
        "in all of a": sum_spent(steps.db, own),
        "today of a": read_workload(steps.db, own).spent_today,
    }


@pytest.mark.parametrize("table", DELETED)
def test_every_sum_of_money_is_the_same_after_a_delete(steps, table):
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


def test_submission_in_doubt_counts_once_after_its_request_is_deleted(steps):
    bought(steps, "a", 300_000, JobStatus.UNKNOWN)
    before = sum_spent(steps.db, HOUSE)
    steps.sql("DELETE FROM requests")
    assert sum_spent(steps.db, HOUSE) == before == 300_000
    with steps.db.reading() as tx:
        assert tx.execute(select(spent_days)).all() == []


def test_daily_budget_is_not_opened_again_by_a_delete(steps):
    bought(steps, "a", 300_000)
    steps.sql("DELETE FROM requests")
    lease = steps.working("b")
    with pytest.raises(DailyBudgetError):
        steps.save_intent(lease, steps.begin(lease), "token of b", 1, budget=Budget(day=300_000))


def test_day_is_that_of_the_intent(steps):
    bought(steps, "a", 300_000)
    steps.sql("UPDATE provider_jobs SET created_at = '2026-01-31 23:59:59.999+00:00'")
    before = sums(steps)
    steps.sql("DELETE FROM requests")
    assert sums(steps) == before
    with steps.db.reading() as tx:
        (row,) = tx.execute(select(spent_days)).all()
    assert tuple(row) == ("2026-01-31", "a", "song_video", "lyric", "vendor", 300_000, 1)


@pytest.mark.parametrize("seed", range(3))
def test_year_of_money_is_the_same_after_any_sequence_of_purges(steps, seed):
    chance = Random(seed)
    statuses = (JobStatus.SUCCEEDED, JobStatus.FAILED, JobStatus.UNKNOWN, JobStatus.SUBMITTED)
    for number in range(24):
        name = f"{number}"
        bought(steps, name, chance.randrange(0, 900_000), chance.choice(statuses))
        day = f"2026-{number // 2 + 1:02}-{chance.randint(1, 28):02} 12:00:00+00:00"
        steps.sql(
            f"UPDATE provider_jobs SET created_at = '{day}' WHERE token = :t", t=f"token of {name}"
        )
    before, by_month = sum_spent(steps.db, HOUSE), months(steps)
    ids = [steps.row(name).id for name in steps.task_ids()]
    while ids:
        batch = [ids.pop(chance.randrange(len(ids))) for _ in range(min(len(ids), 5))]
        purge_requests(steps.db, batch, lambda request: not request.is_in_doubt)
        assert sum_spent(steps.db, HOUSE) == before
        assert months(steps) == by_month
    assert {job.status for name in steps.task_ids() for job in steps.jobs(name)} <= {
        "unknown",
        "submitted",
    }


def months(steps: Steps) -> dict[str, int]:
    """What was spent in each month, in requests that are there or not."""
    spent: Counter[str] = Counter()
    with steps.db.reading() as tx:
        for at, cost in tx.execute(select(provider_jobs.c.created_at, provider_jobs.c.cost)):
            spent[f"{at:%Y-%m}"] += cost
        for day, cost in tx.execute(select(spent_days.c.day, spent_days.c.cost)):
            spent[day[:7]] += cost
    return dict(spent)
