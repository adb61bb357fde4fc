"""The day's budget in memory."""

import pytest

from castad.direct.budget import Budget, OverBudgetError


def test_price_over_the_limit_is_refused_before_the_block() -> None:
    budget = Budget(100)
    with pytest.raises(OverBudgetError, match="CASTAD_DAILY_BUDGET"), budget.reserved(101):
        pytest.fail("the block ran")


def test_concurrent_prices_count_together() -> None:
    budget = Budget(100)
    with budget.reserved(60), pytest.raises(OverBudgetError), budget.reserved(60):
        pytest.fail("the block ran")


def test_actual_cost_counts_in_place_of_the_price() -> None:
    budget = Budget(100)
    with budget.reserved(90) as spending:
        spending.actual = 10
    with budget.reserved(90):
        pass


def test_what_the_ledger_holds_counts() -> None:
    budget = Budget(100)
    budget.note_known(95, budget.mark())
    with pytest.raises(OverBudgetError), budget.reserved(6):
        pytest.fail("the block ran")


def test_a_new_day_begins_at_nothing() -> None:
    now = [0.0]
    budget = Budget(100, lambda: now[0])
    with budget.reserved(100):
        pass
    now[0] = 86_400.0
    with budget.reserved(100):
        pass


def test_without_a_limit_any_price_is_allowed() -> None:
    with Budget(None).reserved(10**12):
        pass


def test_price_at_work_counts_beside_what_the_ledger_holds() -> None:
    budget = Budget(100)
    budget.note_known(95, budget.mark())
    with budget.reserved(4), pytest.raises(OverBudgetError), budget.reserved(4):
        pytest.fail("the block ran")


def test_answer_over_midnight_counts_for_the_day_on_which_it_ends() -> None:
    now = [0.0]
    budget = Budget(100, lambda: now[0])
    with budget.reserved(90):
        now[0] = 86_400.0
    with pytest.raises(OverBudgetError), budget.reserved(11):
        pytest.fail("the block ran")


def test_what_was_spent_since_the_ledger_was_read_counts_beside_it() -> None:
    budget = Budget(100)
    budget.note_known(90, budget.mark())
    with budget.reserved(5):
        pass
    with pytest.raises(OverBudgetError), budget.reserved(6):
        pytest.fail("the block ran")


def test_what_the_ledger_has_got_since_counts_once() -> None:
    budget = Budget(100)
    with budget.reserved(50):
        pass
    budget.note_known(50, budget.mark())
    with budget.reserved(50):
        pass
