"""A key's allowance: so many calls a minute, never more."""

from hypothesis import given
from hypothesis import strategies as st

from castad.api.state import RateLimiter, apply_gcra


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@given(st.integers(1, 50), st.lists(st.floats(0, 30, allow_nan=False), max_size=80))
def test_allowance_is_never_more_than_twice_a_minutes_calls_in_any_minute(
    per_minute, backoff_delays
):
    clock = Clock()
    rate_limiter, granted = RateLimiter(clock), []
    for pause in backoff_delays:
        clock.now += pause
        if not rate_limiter.count_call("key", per_minute):
            granted.append(clock.now)
    most = max((sum(at <= other < at + 60 for other in granted) for at in granted), default=0)
    assert most <= 2 * per_minute


def test_allowance_is_whole_again_after_a_minute():
    clock = Clock()
    rate_limiter = RateLimiter(clock)
    first = [rate_limiter.count_call("key", 5) for _ in range(6)]
    clock.now += 60
    second = [rate_limiter.count_call("key", 5) for _ in range(6)]
    assert first == second == [0, 0, 0, 0, 0, 12]


def test_call_after_the_wait_that_was_told_is_granted():
    clock = Clock()
    rate_limiter = RateLimiter(clock)
    while not (wait := rate_limiter.count_call("key", 7)):
        pass
    clock.now += wait
    assert rate_limiter.count_call("key", 7) == 0


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.integers(1, 1_000_000))
def test_call_that_has_to_wait_changes_nothing(due, now, per_minute):
    after, wait = apply_gcra(due, now, per_minute)
    assert (after == due) if wait else (after > now)


def test_call_that_is_uncounted_leaves_the_allowance_whole():
    rate_limiter = RateLimiter(Clock())
    for _ in range(20):
        assert not rate_limiter.count_call("key", 5)
        rate_limiter.uncount("key", 5)
    assert [rate_limiter.count_call("key", 5) for _ in range(6)] == [0, 0, 0, 0, 0, 12]


def test_names_that_call_no_more_are_forgotten():
    clock = Clock()
    rate_limiter = RateLimiter(clock)
    for number in range(10_000):
        clock.now += 1
        rate_limiter.count_call(f"{number}", 1)
    assert len(rate_limiter._due) < 1_100
