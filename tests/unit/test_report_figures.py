"""The figures of an hour follow from what ended in it, and are compared only with enough days."""

import math
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.ledger.queries.hours import StageFigures
from sensors.hour_report import COLUMNS, find_unusual, summarize

KNOWN = [("ads", "words"), ("ads", "film")]
Row = tuple[str, str, str, str | None, int, float | None, int]
STAGES = st.sampled_from([*KNOWN, ("ads", ""), ("older", "words")])
SECONDS = st.floats(0, 1e6)
COMPLETED = st.tuples(STAGES, st.none() | SECONDS).map(
    lambda drawn: (*drawn[0], "completed", None, 0, drawn[1], 0)
)
FAILED = st.tuples(STAGES, st.sampled_from(["timeout", "no_code"]), st.integers(0, 1)).map(
    lambda drawn: (*drawn[0], "failed", drawn[1], drawn[2], None, 0)
)
CHARGED = st.tuples(STAGES, st.integers(1, 10**9)).map(
    lambda drawn: (*drawn[0], "charged", None, 0, None, drawn[1])
)
ROWS = st.lists(COMPLETED | FAILED | CHARGED, max_size=30)
ANY_DAY = st.builds(
    StageFigures,
    st.just("ads"),
    st.just("words"),
    st.integers(0, 99),
    st.integers(0, 99),
    p95=st.none() | SECONDS,
    cost=st.integers(0, 10**9),
)
WORDS = StageFigures("ads", "words", completed=20, p50=2.0, p95=3.0, longest=4.0, cost=500_000)


def frame(rows: list[Row]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(COLUMNS))


@given(ROWS, st.randoms())
def test_order_of_the_executions_changes_no_figure(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert summarize(frame(shuffled), KNOWN) == summarize(frame(rows), KNOWN)


@given(ROWS)
def test_every_execution_is_counted_once_and_no_figure_is_nan(rows):
    figures = summarize(frame(rows), KNOWN)
    outcomes = [row[2] for row in rows]
    assert sum(stage.completed for stage in figures) == outcomes.count("completed")
    assert sum(stage.failed for stage in figures) == outcomes.count("failed")
    assert sum(stage.cost for stage in figures) == sum(row[6] for row in rows)
    for stage in figures:
        assert sum(stage.codes.values()) == stage.failed
        assert stage.retries <= stage.failed
        seconds = [stage.p50, stage.p95, stage.longest]
        assert seconds == [None] * 3 or seconds == sorted(seconds, key=float)
        assert not any(math.isnan(value) for value in seconds if value is not None)


def test_empty_hour_has_every_known_stage_with_nothing():
    assert summarize(frame([]), KNOWN) == [StageFigures(*stage) for stage in KNOWN]


def test_one_execution_is_its_own_quantiles():
    words, _ = summarize(frame([("ads", "words", "completed", None, 0, 2.5, 0)]), KNOWN)
    assert (words.count, words.p50, words.p95, words.longest) == (1, 2.5, 2.5, 2.5)
    assert words.failure_rate == 0


def test_quantiles_are_values_that_were_measured():
    rows = [("ads", "words", "completed", None, 0, float(n), 0) for n in range(1, 101)]
    words, _ = summarize(frame(rows), KNOWN)
    assert (words.p50, words.p95, words.longest) == (50, 95, 100)


def test_stage_that_the_catalog_lacks_follows_the_known_ones():
    rows: list[Row] = [("older", "words", "failed", "timeout", 1, None, 0)]
    assert [(each.pipeline, each.stage) for each in summarize(frame(rows), KNOWN)] == [
        *KNOWN,
        ("older", "words"),
    ]


def test_figure_far_from_the_usual_is_unusual_and_says_by_how_much():
    now = replace(WORDS, p95=30.0)
    [found] = find_unusual(now, [WORDS] * 7)
    assert (found.figure, found.value, found.usual, found.days) == ("p95", 30.0, 3.0, 7)
    assert found.margin == pytest.approx(3.5 * 0.3)


@pytest.mark.parametrize("days", range(4))
def test_nothing_is_unusual_with_too_few_days(days):
    assert find_unusual(replace(WORDS, p95=3000.0), [WORDS] * days) == ()


def test_days_without_the_figure_do_not_count_as_days():
    idle = StageFigures("ads", "words")
    names = [each.figure for each in find_unusual(replace(WORDS, p95=3000.0), [idle] * 7)]
    assert "p95" not in names
    assert "count" in names


def test_equal_days_make_no_small_change_unusual():
    now = replace(WORDS, completed=23, p50=2.3, p95=3.4, cost=520_000)
    assert find_unusual(now, [WORDS] * 7) == ()


def test_failure_rate_of_few_executions_is_not_judged():
    fine = [replace(WORDS, completed=4) for _ in range(7)]
    failing = replace(WORDS, completed=0, failed=4, retries=0)
    assert "failure_rate" not in [each.figure for each in find_unusual(failing, fine)]
    many = replace(failing, failed=20)
    assert "failure_rate" in [each.figure for each in find_unusual(many, [WORDS] * 7)]


@given(st.lists(ANY_DAY, min_size=8, max_size=8))
def test_unusual_is_what_is_outside_its_margin_and_nothing_else(days):
    for found in find_unusual(days[0], days[1:]):
        assert abs(found.value - found.usual) > found.margin > 0
        assert all(map(math.isfinite, (found.value, found.usual, found.margin)))
    assert find_unusual(days[0], [days[0]] * 7) == ()
