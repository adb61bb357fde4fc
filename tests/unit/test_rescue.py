"""When somebody may be declared dead."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from sensors.rescue import DatabaseUptime, may_rescue, next_uptime

LEASE = 30.0
START = datetime(2026, 1, 1, tzinfo=UTC)


def calm_after(ticks: Iterable[float], lease: float = LEASE) -> DatabaseUptime:
    """What a sensor knows after ticks at these seconds."""
    uptime: DatabaseUptime | None = None
    for tick in ticks:
        uptime = next_uptime(uptime, START + timedelta(seconds=tick), lease)
    assert uptime is not None
    return uptime


def test_first_look_declares_nobody_dead() -> None:
    assert not may_rescue(calm_after([0]), LEASE)


def test_lease_of_regular_ticks_allows_a_rescue() -> None:
    assert may_rescue(calm_after(range(0, 31, 5)), LEASE)


def test_look_right_after_an_outage_declares_nobody_dead() -> None:
    assert not may_rescue(calm_after([*range(0, 200, 5), 260]), LEASE)


def test_lease_after_an_outage_allows_a_rescue() -> None:
    assert may_rescue(calm_after([*range(0, 200, 5), *range(260, 291, 5)]), LEASE)


def test_slow_daemon_still_rescues() -> None:
    assert any(may_rescue(calm_after(range(0, end, 40)), LEASE) for end in range(41, 400, 40))


def test_lease_shorter_than_a_tick_still_allows_a_rescue() -> None:
    assert may_rescue(calm_after(range(0, 16, 5), lease=2), 2)
