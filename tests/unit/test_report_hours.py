"""Which hour is meant, and which hours are reported on."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.contract.errors import InvalidInputError
from resources.views.report import HOUR, format_hour
from sensors.hour_report import (
    find_last_closed,
    list_baseline_hours,
    list_hours_to_report,
    parse_hour,
)

NOW = datetime(2030, 1, 31, 9, 20, tzinfo=UTC)
LAST = datetime(2030, 1, 31, 8, tzinfo=UTC)
moments = st.integers(10**6, 2**32).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))


def test_last_hour_is_the_one_that_is_over():
    assert find_last_closed(NOW) == LAST
    assert find_last_closed(NOW.astimezone(timezone(timedelta(hours=9)))) == LAST


@given(moments)
def test_name_of_an_hour_means_that_hour(now):
    last = find_last_closed(now)
    assert parse_hour(format_hour(last), now) == parse_hour("-1", now) == last
    assert parse_hour("-25", now) == last - 24 * HOUR


@pytest.mark.parametrize("given", ["now", "2030-01-31T09"])
def test_running_hour_has_a_name(given):
    assert parse_hour(given, NOW) == LAST + HOUR


@pytest.mark.parametrize(
    "given",
    ["", "-0", "0", "1", "-", "-9999999", "2030-01-31", "2030-01-31T10", "2030-02-30T01", "2031-01-01T00",
     "2030-01-31T24", "2030-01-31T08:00", "1900-01-01T00", "٢٠٣٠-01-31T08", "-١", "2030-01-31T08\n"],
)  # fmt: skip
def test_what_names_no_hour_that_has_begun_is_refused_in_one_sentence(given):
    with pytest.raises(InvalidInputError, match=r"^hour: expected an hour in UTC such as"):
        parse_hour(given, NOW)


def test_last_hour_and_the_two_before_it_are_made_again():
    reported = {LAST - HOUR * back for back in range(30)}
    assert list_hours_to_report(NOW, reported) == [LAST - 2 * HOUR, LAST - HOUR, LAST]


def test_missed_hours_are_made_up_for_as_far_as_a_day_back():
    assert list_hours_to_report(NOW, ()) == [LAST - HOUR * back for back in reversed(range(24))]


@given(st.sets(st.integers(0, 40)))
def test_hours_come_once_each_and_the_oldest_first(gone):
    hours = list_hours_to_report(NOW, {LAST - HOUR * back for back in set(range(41)) - gone})
    assert hours == sorted(set(hours))
    assert {LAST - HOUR * back for back in gone if back < 24} <= set(hours)


def test_baseline_is_the_same_hour_of_seven_days():
    assert list_baseline_hours(LAST) == [LAST - timedelta(days=day) for day in range(1, 8)]
