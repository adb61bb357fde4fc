"""The benchmark's arithmetic: percentiles, goals, ratios, and what the moments of a request tell."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.engine.figures import ROWS, SQLITE, Figure, Row
from bench.engine.outcome import Comparison, Outcome, Result, compare
from bench.engine.statistics import Goal, Verdict, compute_times_better, median, percentile
from bench.engine.timeline import Span, Timeline, compute_rate
from bench.engine.words import format_amount, format_cell, format_ratio
from tests.tables import rows_beside

_seconds = st.floats(min_value=0, max_value=1e6, allow_nan=False)
_LESS = Goal(floor=0.15, aim=0.08)
_MORE = Goal(floor=15, aim=60, more=True)


@settings(max_examples=50, deadline=None)
@given(values=st.lists(_seconds, min_size=1, max_size=30), share=st.floats(0, 1))
def test_percentile_agrees_with_numpy(values, share):
    assert percentile(values, share) == pytest.approx(np.percentile(values, share * 100), abs=1e-6)


def test_percentile_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        percentile([], 0.5)


def test_percentile_refuses_a_share_in_percent():
    with pytest.raises(ValueError, match="0 to 1"):
        percentile([1.0], 95)


def test_median_of_an_even_number_lies_in_the_middle():
    assert median([4.0, 1.0, 3.0, 2.0]) == 2.5


@pytest.mark.parametrize(
    ("goal", "figure", "verdict"),
    [
        (_LESS, 0.08, Verdict.AIM),
        (_LESS, 0.0801, Verdict.FLOOR),
        (_LESS, 0.15, Verdict.FLOOR),
        (_LESS, 0.1501, Verdict.MISSED),
        (_MORE, 60.0, Verdict.AIM),
        (_MORE, 59.9, Verdict.FLOOR),
        (_MORE, 14.9, Verdict.MISSED),
        (_LESS, None, Verdict.MISSED),
        (_MORE, None, Verdict.MISSED),
    ],
)
def test_goal_judges_a_figure(goal, figure, verdict):
    assert goal.judge(figure) is verdict


def test_ratio_of_what_should_be_small_is_theirs_to_ours():
    assert compute_times_better(0.1, 5.0, more=False) == pytest.approx(50)


def test_ratio_of_what_should_be_large_is_ours_to_theirs():
    assert compute_times_better(60.0, 0.5, more=True) == pytest.approx(120)


def test_ratio_to_zero_is_refused():
    with pytest.raises(ValueError, match="above 0"):
        compute_times_better(0.0, 5.0, more=False)


def _timeline(done: float | None = 114.0) -> Timeline:
    spans = [Span(101.0, 103.0), Span(104.5, 110.0), Span(110.25, 113.0)]
    return Timeline(inserted=100.0, first_op=101.5, stages=spans, done=done)


def test_first_op_counts_from_the_row():
    assert _timeline().to_first_op == pytest.approx(1.5)


def test_handovers_are_from_an_end_to_the_next_begin():
    assert _timeline().handovers == pytest.approx([1.5, 0.25])


def test_overhead_leaves_out_what_the_provider_took():
    assert _timeline().compute_overhead(10.0) == pytest.approx(4.0)


def test_overhead_of_what_is_not_done_is_unknown():
    assert _timeline(done=None).compute_overhead(10.0) is None


def test_running_again_is_the_first_begin_after_the_moment():
    assert _timeline().find_begin_since(104.0) == pytest.approx(104.5)


def test_running_again_is_unknown_where_nothing_was_begun():
    assert _timeline().find_begin_since(111.0) is None


def test_rate_counts_from_the_first_row_to_the_last_end():
    late = Timeline(inserted=105.0, first_op=None, stages=(), done=120.0)
    assert compute_rate([_timeline(), late]) == pytest.approx(2 / 20)


def test_rate_of_requests_that_have_not_ended_is_refused():
    with pytest.raises(ValueError, match="0 of 1"):
        compute_rate([_timeline(done=None)])


def _outcome(name: str, **values: float | None) -> Outcome:
    return Outcome(name, name, {key: Figure(value) for key, value in values.items()})


def _result(*outcomes: Outcome) -> Result:
    return Result("2026-01-01", 1.0, {}, outcomes)


def test_result_judges_every_goal_of_the_systems_that_ran():
    judged = _result(_outcome(SQLITE, first_op=0.5), _outcome("chain", first_op=0.005)).judge()
    expected = [row.key for row in ROWS if SQLITE in row.goals]
    assert [(one.row.key, one.outcome.name) for one in judged] == [
        (key, SQLITE) for key in expected
    ]


def test_result_takes_what_was_not_measured_for_missed():
    judged = {one.row.key: one.verdict for one in _result(_outcome(SQLITE, first_op=0.5)).judge()}
    assert judged["killed"] is Verdict.MISSED


_KILLED = Row("killed", "", "s", {})
_NEVER = Figure(None, note="not in 60 s", beyond=60.0)


def test_comparison_with_what_never_came_back_is_a_lower_bound():
    other = Outcome("chain", "chain", {"killed": _NEVER})
    compared = compare(_KILLED, _outcome(SQLITE, killed=4.0), other)
    assert compared == Comparison(15.0, at_least=True)


def test_comparison_with_what_was_not_measured_is_none():
    assert compare(_KILLED, _outcome(SQLITE, killed=4.0), _outcome("chain")) is None


def test_comparison_of_what_never_came_back_is_none():
    ours = Outcome(SQLITE, SQLITE, {"killed": _NEVER})
    assert compare(_KILLED, ours, _outcome("chain", killed=4.0)) is None


@rows_beside
def test_amount_has_three_digits_and_a_unit(value, unit, told):
    assert format_amount(value, unit) == told


def test_cell_says_why_there_is_no_value():
    assert format_cell(_KILLED, _NEVER) == "not in 60 s"


@pytest.mark.parametrize(
    ("compared", "told"),
    [
        (Comparison(56.4, at_least=False), "56.4×"),
        (Comparison(15.0, at_least=True), "> 15×"),
        (Comparison(0.004, at_least=False), "1/250×"),
        (None, "–"),
    ],
)
def test_ratio_says_worse_as_a_fraction(compared, told):
    assert format_ratio(compared) == told
