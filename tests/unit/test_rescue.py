"""When somebody may be declared dead."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensors.rescue import DatabaseUptime, compute_uptime, may_rescue, parse_cursor

LEASE = 30.0
START = datetime(2026, 1, 1, tzinfo=UTC)


def calm_after(ticks: Iterable[float], lease: float = LEASE) -> DatabaseUptime:
    """What a sensor knows after ticks at these seconds."""
    uptime: DatabaseUptime | None = None
    for tick in ticks:
        uptime = compute_uptime(uptime, START + timedelta(seconds=tick), lease)
    assert uptime is not None
    return uptime


def test_first_look_declares_nobody_dead():
    assert not may_rescue(calm_after([0]), LEASE)


def test_lease_of_regular_ticks_allows_a_rescue():
    assert may_rescue(calm_after(range(0, 31, 5)), LEASE)


def test_look_right_after_an_outage_declares_nobody_dead():
    assert not may_rescue(calm_after([*range(0, 200, 5), 260]), LEASE)


def test_lease_after_an_outage_allows_a_rescue():
    assert may_rescue(calm_after([*range(0, 200, 5), *range(260, 291, 5)]), LEASE)


def test_slow_daemon_still_rescues():
    assert any(may_rescue(calm_after(range(0, end, 40)), LEASE) for end in range(41, 400, 40))


def test_lease_shorter_than_a_tick_still_allows_a_rescue():
    assert may_rescue(calm_after(range(0, 16, 5), lease=2), 2)


BEFORE = '"2025-12-31T23:00:00+00:00"'
AFTER = '"2026-01-01T01:00:00+00:00"'


def test_cursor_of_an_earlier_tick_is_read():
    earlier = START - timedelta(hours=1)
    assert parse_cursor(f"[{BEFORE}, {BEFORE}]", START) == DatabaseUptime(earlier, earlier)


@pytest.mark.parametrize(
    "cursor",
    [
        *(None, "", "not a cursor 9", "null", "9", "[]", "{}", '"ab"', "[1, 2]", "[null, null]"),
        pytest.param("[" * 100_000, id="deep"),
        pytest.param(f"[{BEFORE}]", id="half"),
        pytest.param(f"[{BEFORE}, {BEFORE}, {BEFORE}]", id="more"),
        pytest.param('["2025-12-31", "2025-12-31"]', id="without-a-zone"),
        pytest.param(f'["2025-12-31T22:00:00+00:00", {BEFORE}]', id="since-after-seen"),
        pytest.param(f"[{AFTER}, {BEFORE}]", id="seen-in-the-future"),
        pytest.param(f"[{AFTER}, {AFTER}]", id="in-the-future"),
        pytest.param('["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"]', id="ends"),
    ],
)
def test_cursor_that_cannot_be_used_is_as_none(cursor):
    assert parse_cursor(cursor, START) is None


TEXT = st.text(max_size=40)
MOMENT = st.one_of(st.datetimes().map(str), st.datetimes(timezones=st.just(UTC)).map(str), TEXT)
CURSOR = st.one_of(TEXT, st.lists(st.one_of(MOMENT, st.integers(), st.none())).map(json.dumps))


@given(CURSOR)
def test_no_cursor_keeps_the_rescue_away_for_long(cursor):
    known = parse_cursor(cursor, START)
    for tick in range(0, 40, 4):
        known = compute_uptime(known, START + timedelta(seconds=tick), LEASE)
    assert known is not None
    assert may_rescue(known, LEASE)
