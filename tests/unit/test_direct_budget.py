"""The day's budget of direct answers: what is in the spool before a call counts, whatever becomes of it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from castad.direct.budget import DailyBudget, OverBudgetError
from resources.contract.errors import StateUnavailableError
from resources.delivery.engine import DELIVERED, Decision
from resources.delivery.spool import Entry, Spool
from resources.ledger.db.database import Database
from resources.ledger.queries.money import sum_spent_today
from resources.ledger.schema.tables import DeliveryStatus
from resources.ledger.transitions.import_completed import publish_spool_costs

HOUR = 3600.0
LIMIT = 100 / 1_000_000
"""The budget in dollars: 100 micro-dollars."""
DAY = 24 * HOUR


class Clock:
    now = 1_000_000 * DAY

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def spool(tmp_path: Path, clock: Clock) -> Spool:
    return Spool(tmp_path, clock)


@pytest.fixture
def budget(spool: Spool) -> DailyBudget:
    return DailyBudget(spool, LIMIT)


def entry(key: str, cost: int) -> Entry:
    return Entry("import", key, {}, cost)


def refuses(budget: DailyBudget, cost: int, key: str = "new") -> bool:
    try:
        budget.reserve(entry(key, cost), HOUR)
    except OverBudgetError:
        return True
    return False


def test_price_over_the_limit_is_refused_and_stored_nowhere(spool, budget):
    assert refuses(budget, 101)
    assert spool.waiting() == []


def test_prices_up_to_the_limit_are_allowed(budget):
    assert not refuses(budget, 60, "a")
    assert not refuses(budget, 40, "b")
    assert refuses(budget, 1, "c")


def test_price_of_another_process_counts(spool, clock, budget):
    DailyBudget(Spool(spool.path.parent, clock), LIMIT).reserve(entry("a", 60), HOUR)
    assert refuses(budget, 60)


def test_further_call_of_an_answer_counts_in_place_of_the_one_before(budget):
    budget.reserve(entry("a", 60), HOUR)
    assert not refuses(budget, 100, "a")


def test_import_counts_in_place_of_its_intent(spool, budget):
    budget.reserve(entry("a", 90), HOUR)
    spool.append([entry("a", 10)])
    assert not refuses(budget, 90)


def test_delivered_cost_counts_until_the_ledger_was_read(spool, budget):
    spool.append([entry("a", 90)])
    spool.record(spool.due("import")[0], DELIVERED)
    assert refuses(budget, 11)


def test_delivered_cost_counts_once_after_the_ledger_was_read(db, spool, clock, budget):
    spool.append([entry("a", 90)])
    spool.record(spool.due("import")[0], DELIVERED)
    clock.now += 1
    budget.exchange_sums(db)
    assert not refuses(budget, 100)


def test_dead_import_counts(spool, budget):
    spool.append([entry("a", 90)])
    spool.record(spool.due("import")[0], Decision(DeliveryStatus.DEAD, message="refused"))
    assert refuses(budget, 11)


def test_other_spool_counts_by_the_ledger(db, budget):
    publish_spool_costs(db, "other", {"x": 90})
    budget.exchange_sums(db)
    assert refuses(budget, 11)


def test_own_spool_is_known_to_the_ledger_and_counts_once(db, spool, budget):
    spool.append([entry("a", 40)])
    for _ in range(2):
        budget.exchange_sums(db)
    assert sum_spent_today(db) == 40
    assert not refuses(budget, 60)


def test_spool_that_was_emptied_is_known_to_the_ledger_as_empty(db, spool, budget):
    spool.append([entry("a", 40)])
    budget.exchange_sums(db)
    spool.record(spool.due("import")[0], DELIVERED)
    budget.exchange_sums(db)
    assert sum_spent_today(db) == 0


def test_costs_that_did_not_reach_the_ledger_reach_it_next_time(db, spool, budget):
    spool.append([entry("a", 40)])
    budget.exchange_sums(Database("postgresql://127.0.0.1:1/away", at_once=False))
    budget.exchange_sums(db)
    assert sum_spent_today(db) == 40


def test_last_sum_of_the_ledger_counts_in_a_process_that_starts_without_it(
    db, spool, clock, budget
):
    publish_spool_costs(db, "other", {"x": 90})
    budget.exchange_sums(db)
    assert refuses(DailyBudget(Spool(spool.path.parent, clock), LIMIT), 11)


def test_a_new_day_begins_at_nothing(db, spool, clock, budget):
    publish_spool_costs(db, "other", {"x": 50})
    budget.exchange_sums(db)
    spool.append([entry("a", 20)])
    spool.record(spool.due("import")[0], DELIVERED)
    spool.append([entry("b", 30)])
    clock.now += DAY
    assert not refuses(budget, 100)


def test_spool_that_cannot_be_written_refuses_by_the_budgets_name(spool, budget):
    spool.append([])
    with closing(sqlite3.connect(spool.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StateUnavailableError, match="CASTAD_DAILY_BUDGET: nothing is bought"):
            budget.reserve(entry("a", 1), HOUR)


def test_without_a_limit_any_price_is_allowed(spool):
    DailyBudget(spool, None).reserve(entry("a", 10**12), HOUR)
    assert [each.cost for each in spool.waiting()] == [10**12]


@pytest.fixture
def held_spool(spool: Spool) -> Iterator[Spool]:
    spool.append([])
    with closing(sqlite3.connect(spool.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield spool


def test_without_a_limit_a_spool_that_cannot_be_written_refuses_nothing(held_spool):
    DailyBudget(held_spool, None).reserve(entry("a", 1), HOUR)
