"""The laws of the script that breaks guards: each kind of guard is found, and each break is one small edit."""

import ast

import pytest

from tests.mutate.guards import find_breaks

_ROW = "def f(tx):\n    return tx.execute({}).all()\n"


def _broken(source: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for each in find_breaks(source):
        text = ast.unparse(ast.parse(each.apply(source)))
        found.setdefault(each.kind, set()).add(text.splitlines()[-1].strip())
    return found


def test_each_term_of_a_where_is_dropped_once():
    assert _broken(_ROW.format("select(t).where(a == 1, b == 2)"))["where"] == {
        "return tx.execute(select(t).where(b == 2)).all()",
        "return tx.execute(select(t).where(a == 1)).all()",
    }


def test_a_where_of_one_term_is_dropped_whole():
    assert _broken(_ROW.format("select(t).where(a == 1)"))["where"] == {
        "return tx.execute(select(t)).all()"
    }


def test_each_term_of_joined_conditions_is_dropped_once():
    assert _broken(_ROW.format("select(t).where((a == 1) & (b < 2))"))["where"] >= {
        "return tx.execute(select(t).where(a == 1)).all()",
        "return tx.execute(select(t).where(b < 2)).all()",
    }


def test_each_term_of_a_where_in_sql_is_dropped_once():
    sql = "X = 'DELETE FROM t WHERE a = ? AND b < ? AND c IS NULL ORDER BY id'"
    assert _broken(sql)["where"] == {
        "X = 'DELETE FROM t WHERE b < ? AND c IS NULL ORDER BY id'",
        "X = 'DELETE FROM t WHERE a = ? AND c IS NULL ORDER BY id'",
        "X = 'DELETE FROM t WHERE a = ? AND b < ? ORDER BY id'",
    }


def test_a_term_with_quotes_and_a_query_of_its_own_is_dropped_whole():
    sql = """X = "SELECT a FROM t WHERE b = 'c' AND d = (SELECT e FROM u WHERE f = g())\""""
    assert _broken(sql)["where"] >= {
        "X = 'SELECT a FROM t WHERE d = (SELECT e FROM u WHERE f = g())'",
        """X = "SELECT a FROM t WHERE b = 'c'\"""",
    }


@pytest.mark.parametrize(("sign", "shifted"), [("<", "<="), ("<=", "<"), (">", ">="), (">=", ">")])
def test_each_limit_is_shifted_by_one(sign, shifted):
    assert _broken(f"def f(a, b):\n    return a {sign} b")["limit"] == {f"return a {shifted} b"}


def test_each_limit_of_a_range_is_shifted_by_one():
    assert _broken("def f(a):\n    return 1 <= a < 3")["limit"] == {
        "return 1 < a < 3",
        "return 1 <= a <= 3",
    }


def test_each_limit_in_sql_is_shifted_by_one():
    assert _broken("X = 'SELECT a FROM t WHERE a >= ? AND b < ?'")["limit"] == {
        "X = 'SELECT a FROM t WHERE a > ? AND b < ?'",
        "X = 'SELECT a FROM t WHERE a >= ? AND b <= ?'",
    }


def test_a_limit_of_a_clocks_time_stays():
    assert find_breaks("def f(until):\n    return time.monotonic() >= until") == []


def test_each_refusal_is_made_unreachable():
    source = "def f(a):\n    if a:\n        raise ValueError"
    assert [each.apply(source) for each in find_breaks(source)] == [
        "def f(a):\n    if False:\n        raise ValueError"
    ]


def test_each_row_lock_is_dropped_and_its_options_too():
    found = _broken(_ROW.format("select(t).with_for_update(skip_locked=True)"))
    assert found["lock"] == {
        "return tx.execute(select(t)).all()",
        "return tx.execute(select(t).with_for_update()).all()",
    }


def test_each_advisory_lock_is_dropped():
    assert _broken("def f(tx):\n    AdvisoryLock.BUDGET.take(tx)")["lock"] == {"pass"}


def test_each_lock_of_threads_is_dropped():
    source = "def f(self):\n    with self._lock:\n        self.a += 1"
    assert [each.apply(source) for each in find_breaks(source)] == [
        "def f(self):\n    if True:\n        self.a += 1"
    ]


def test_each_immediate_transaction_is_made_a_deferred_one():
    assert _broken("def f(tx):\n    tx.execute('BEGIN IMMEDIATE')")["lock"] == {
        "tx.execute('BEGIN')"
    }


@pytest.mark.parametrize("between", ["", "crash_point('a')\n    _log.info('b')\n    "])
def test_two_steps_that_need_nothing_of_each_other_change_places(between):
    source = f"def f(db):\n    store(instance)\n    {between}mark(db)"
    assert [each.apply(source) for each in find_breaks(source)] == [
        f"def f(db):\n    mark(db)\n    {between}store(instance)"
    ]


def test_a_read_of_a_transaction_changes_places_with_the_write_before_it():
    source = "def f(tx):\n    tx.execute(a)\n    b = tx.execute(c)"
    assert [each.kind for each in find_breaks(source)] == ["order"]


def test_a_lock_changes_places_with_what_follows_it():
    source = "def f(tx):\n    AdvisoryLock.REPORT.take(tx)\n    tx.execute(a)"
    assert [each.kind for each in find_breaks(source)] == ["lock", "order"]


@pytest.mark.parametrize(
    "source",
    [
        "def f(tx):\n    tx.execute(a)\n    tx.execute(b)",
        "class A:\n    def __init__(self, db):\n        self.a = db.a()\n        self.b = db.b()",
        "def f(a):\n    a.append(1)\n    a.append(2)",
    ],
)
def test_steps_whose_order_cannot_be_seen_stay(source):
    assert find_breaks(source) == []


def test_a_write_that_needs_the_one_before_stays_behind_it():
    assert find_breaks("def f(tx):\n    a = tx.execute(b)\n    tx.execute(a)") == []


def test_a_break_names_the_function_that_it_is_in():
    source = "class A:\n    def f(self, a):\n        return a < 1\nB = select(t).where(a)"
    assert [each.function for each in find_breaks(source)] == ["A.f", "B"]


def test_text_beyond_ascii_before_a_guard_moves_no_edit():
    source = "def f(a):\n    '환경부'; return a < 1"
    assert [each.apply(source) for each in find_breaks(source)] == [
        "def f(a):\n    '환경부'; return a <= 1"
    ]
