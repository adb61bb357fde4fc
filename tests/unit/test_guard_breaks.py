"""The laws of the script that breaks guards: each kind of guard is found, and each break is one small edit."""

from tests.mutate.guards import find_breaks
from tests.tables import rows_beside


@rows_beside
def test_each_guard_is_broken_by_one_small_edit(source, broken):
    assert [[each.kind, each.apply(source)] for each in find_breaks(source)] == broken


def test_a_break_names_the_function_that_it_is_in():
    source = "class A:\n    def f(self, a):\n        return a < 1\nB = select(t).where(a)"
    assert [each.function for each in find_breaks(source)] == ["A.f", "B"]
