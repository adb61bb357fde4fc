"""How many replicas there are, how long a tick batches, and when a waiting tick ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensors.tick_pacing import (
    DAEMON_LOOP_SECONDS,
    MAX_REPLICAS,
    MAX_TICK_SECONDS,
    batching_delay,
    code_server_threads,
    replicas_for,
    seconds_to_next_daemon_loop,
    seconds_until_recheck,
    should_end_tick,
)

GRPC, PROXY = "DAGSTER_GRPC_MAX_WORKERS", "DAGSTER_CODE_SERVER_MAX_WORKERS"


@pytest.mark.parametrize(
    ("environment", "cores", "threads"),
    [
        pytest.param({}, 2, 6, id="nothing set"),
        pytest.param({}, 64, 32, id="many cores"),
        pytest.param({GRPC: "40", PROXY: "40"}, 2, 40, id="both set"),
        pytest.param({GRPC: "40"}, 2, 6, id="a proxy may stand before it"),
        pytest.param({GRPC: "4", PROXY: "40"}, 2, 4, id="the smaller one counts"),
        pytest.param({GRPC: "", PROXY: "many"}, 2, 6, id="not numbers"),
    ],
)
def test_code_server_has_the_threads_that_dagster_gives_it(
    environment: dict[str, str], cores: int, threads: int
) -> None:
    assert code_server_threads(environment, cores) == threads


@pytest.mark.parametrize(("threads", "replicas"), [(1, 1), (2, 1), (6, 3), (24, 12), (40, 12)])
def test_replicas_leave_half_of_the_threads_to_others(threads: int, replicas: int) -> None:
    assert replicas_for(threads) == replicas


def test_full_line_answers_at_once() -> None:
    assert (
        batching_delay(
            MAX_REPLICAS,
            MAX_REPLICAS,
            since_last=0,
            seconds_to_next_daemon_loop=DAEMON_LOOP_SECONDS,
        )
        == 0
    )


@given(waiting=st.integers(1, MAX_REPLICAS), refill=st.floats(0.01, DAEMON_LOOP_SECONDS))
def test_who_comes_after_a_quiet_second_is_answered_at_once(waiting: int, refill: float) -> None:
    assert (
        batching_delay(waiting, MAX_REPLICAS, since_last=1.0, seconds_to_next_daemon_loop=refill)
        == 0
    )


@given(begun=st.floats(0, DAEMON_LOOP_SECONDS - 0.01))
def test_replicas_never_run_out_under_a_stream_of_requests(begun: float) -> None:
    at, last, waiting = begun, -DAEMON_LOOP_SECONDS, MAX_REPLICAS
    while at < DAEMON_LOOP_SECONDS:
        assert waiting >= 1
        at += batching_delay(waiting, MAX_REPLICAS, at - last, DAEMON_LOOP_SECONDS - at)
        last, waiting = at, waiting - 1


@given(st.integers(1, MAX_REPLICAS), st.floats(0, 60), st.floats(0.01, DAEMON_LOOP_SECONDS))
def test_nobody_lingers_for_a_second(waiting: int, since_last: float, refill: float) -> None:
    assert 0 <= batching_delay(waiting, MAX_REPLICAS, since_last, refill) < 1


@pytest.mark.parametrize(
    ("since_arrival", "left"), [(0.0, 5.0), (3.0, 2.0), (5.0, 5.0), (6.0, 4.0)]
)
def test_next_round_comes_every_five_seconds(since_arrival: float, left: float) -> None:
    assert seconds_to_next_daemon_loop(since_arrival) == left


def leaving(since_arrival: float, gone: int = 0, replicas: int = MAX_REPLICAS) -> list[int]:
    """Who of a full line may leave, by the number that stands before."""
    stand = range(replicas)
    times = {"since_arrival": since_arrival, "waited": since_arrival}
    return [ahead for ahead in stand if should_end_tick(ahead, gone, replicas, **times)]


def test_nobody_leaves_early_in_a_round() -> None:
    assert leaving(3.9) == []


def test_oldest_quarter_leaves_near_the_end_of_a_round() -> None:
    assert leaving(4.1) == [0, 1, 2]


def test_who_was_served_counts_among_those_that_left() -> None:
    assert leaving(4.1, gone=2) == [0]


def test_nobody_leaves_a_line_that_was_served_enough() -> None:
    assert leaving(4.1, gone=3) == []


def test_tick_that_waits_alone_ends_too() -> None:
    assert leaving(4.1, replicas=1) == [0]


def test_everybody_leaves_when_a_round_brings_nobody() -> None:
    assert leaving(8.1) == list(range(MAX_REPLICAS))


def test_nobody_waits_longer_than_the_longest_wait() -> None:
    assert should_end_tick(11, 3, MAX_REPLICAS, since_arrival=1.0, waited=MAX_TICK_SECONDS)


@given(st.floats(0, 20), st.floats(0, 20), st.integers(0, 11), st.integers(0, 12))
def test_nothing_changes_before_the_next_thought(
    since_arrival: float, waited: float, ahead: int, gone: int
) -> None:
    now = should_end_tick(ahead, gone, MAX_REPLICAS, since_arrival=since_arrival, waited=waited)
    sleep = seconds_until_recheck(since_arrival, waited) * 0.99
    then = should_end_tick(
        ahead, gone, MAX_REPLICAS, since_arrival=since_arrival + sleep, waited=waited + sleep
    )
    assert then == now
