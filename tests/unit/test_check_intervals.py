"""When what somebody uses is ordered again."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.ledger.request import (
    IDLE_END,
    MOST_FAILURES,
    compute_interval_after,
    count_failures_after,
    has_stopped,
    is_unused_too_long,
)

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
IDLE = st.timedeltas(timedelta(days=-400), timedelta(days=400))
CHANCE = st.floats(0, 1)


@pytest.mark.parametrize(
    ("idle", "pause"),
    [
        (-DAY, 6 * HOUR),
        (0 * DAY, 6 * HOUR),
        (DAY, 6 * HOUR),
        (2 * DAY, 12 * HOUR),
        (20 * DAY, 5 * DAY),
        (28 * DAY, 7 * DAY),
        (29 * DAY, 7 * DAY),
    ],
)
def test_source_is_left_alone_for_a_quarter_of_the_time_without_use(idle, pause):
    assert compute_interval_after(idle, 0, 0) == pause
    assert compute_interval_after(idle, MOST_FAILURES - 1, 1) == pause * 1.1


@given(idle=IDLE, more=st.timedeltas(timedelta(), timedelta(days=400)), chance=CHANCE)
def test_less_used_is_asked_about_more_rarely_within_its_limits(idle, more, chance):
    pause = compute_interval_after(idle, 0, chance)
    assert 6 * HOUR <= pause <= 7 * DAY * 1.1
    assert pause <= compute_interval_after(idle + more, 0, chance)


@given(idle=IDLE, failures=st.integers(MOST_FAILURES, 2**31), chance=CHANCE)
def test_what_failed_three_times_in_a_row_is_left_alone_until_it_is_over(idle, failures, chance):
    assert is_unused_too_long(
        max(idle, timedelta()) + compute_interval_after(max(idle, timedelta()), failures, chance)
    )


@given(outcomes=st.lists(st.booleans(), max_size=9))
def test_three_failures_in_a_row_stop_it(outcomes):
    failures = 0
    for is_failed in outcomes:
        failures = count_failures_after(failures, is_failed)
    in_a_row = outcomes[::-1].index(False) if False in outcomes else len(outcomes)
    assert has_stopped(failures) is (in_a_row >= 3)


def test_what_nobody_used_for_thirty_days_is_over():
    assert (is_unused_too_long(IDLE_END), is_unused_too_long(IDLE_END - HOUR)) == (True, False)
