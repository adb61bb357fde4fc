"""How many replicas of the requests sensor there are, and when their ticks return. Pure.

Every 5 s the daemon starts each sensor that has no tick in progress, so K replicas can answer K times in 5 s.
A replica occupies a thread of the code server while it waits; launching the runs it returned needs threads of
the same server.
"""

from collections.abc import Mapping
from math import ceil

MAX_REPLICAS = 12
"""A third of them answers at once; the rest are spread over 5 s, at most 0.63 s apart."""
MAX_TICK_SECONDS = 25.0
"""The longest tick, in seconds; Dagster aborts one at 60."""
BATCH_SIZE = 50
"""Runs per tick. 12 x 50 in 5 s are 120 a second, more than a daemon can submit; smaller batches start
sooner, and the batches of several ticks are submitted in parallel."""

DAEMON_LOOP_SECONDS = 5.0  # `MIN_INTERVAL_LOOP_TIME` in Dagster's sensor daemon, not configurable
# The ticks that end now start again with the next daemon loop, whose time they reveal.
_LEAVE_AFTER_SECONDS = 4.0
_DAEMON_LOST_SECONDS = 8.0
_LEAVING_SHARE = 1 / 4
_RESERVE_SHARE = 2 / 3
_MAX_BATCHING_DELAY = 0.75

THREAD_COUNT_VARIABLES = ("DAGSTER_GRPC_MAX_WORKERS", "DAGSTER_CODE_SERVER_MAX_WORKERS")
"""The thread counts of a code server and of the proxy before it."""
CODE_SERVER_THREADS = 40
"""One thread for each waiting replica, and enough others to launch the runs."""


def code_server_threads(environment: Mapping[str, str], cores: int) -> int:
    """How many calls a code server of this environment, and a proxy before it, handle in parallel.

    Source: the `--max-workers` options of `dagster api grpc` and `dagster code-server start`; unset, both use
    the default of ThreadPoolExecutor.
    """
    default = min(32, cores + 4)
    chosen = [environment.get(name, "") for name in THREAD_COUNT_VARIABLES]
    return min(int(value) if value.isdecimal() else default for value in chosen)


def replicas_for(threads: int) -> int:
    """How many replicas may wait at once: half of the threads stay free to launch runs."""
    return max(1, min(MAX_REPLICAS, threads // 2))


def batching_delay(
    waiting: int, replicas: int, since_last: float, seconds_to_next_daemon_loop: float
) -> float:
    """Seconds to wait for more due requests before a tick answers, so that waiting ticks never run out.

    Zero while more than two thirds of the replicas wait, scaled by the share of the daemon loop that is left.
    Below that, the remaining answers are spread over the time until the next daemon loop; the first request
    after a quiet period is answered at once.

    Args:
        waiting: waiting ticks, this one included, >= 1.
        replicas: the number of replicas.
        since_last: seconds since the last answer.
        seconds_to_next_daemon_loop: seconds until the daemon restarts the replicas that have answered.
    """
    if waiting > ceil(
        _RESERVE_SHARE * replicas * seconds_to_next_daemon_loop / DAEMON_LOOP_SECONDS
    ):
        return 0.0
    return max(0.0, min(_MAX_BATCHING_DELAY, seconds_to_next_daemon_loop / waiting) - since_last)


def seconds_to_next_daemon_loop(since_arrival: float) -> float:
    """Seconds until the next daemon loop, from the time since the last tick arrived."""
    return DAEMON_LOOP_SECONDS - since_arrival % DAEMON_LOOP_SECONDS


def should_end_tick(
    ahead: int, gone: int, replicas: int, *, since_arrival: float, waited: float
) -> bool:
    """Whether a tick without a due request ends.

    The oldest quarter ends near the end of every daemon loop, so that few replicas are missing at once and
    every loop starts some. Where no tick arrives, the daemon is gone or waits for its ticks: then all end.

    Args:
        ahead: ticks that wait before this one.
        gone: ticks that have ended since the last arrival, with requests or without.
        replicas: the number of replicas.
        since_arrival: seconds since the last tick arrived.
        waited: seconds since this tick arrived.
    """
    if since_arrival >= _DAEMON_LOST_SECONDS or waited >= MAX_TICK_SECONDS:
        return True
    return since_arrival >= _LEAVE_AFTER_SECONDS and ahead + gone < ceil(replicas * _LEAVING_SHARE)


def seconds_until_recheck(since_arrival: float, waited: float) -> float:
    """Seconds until the result of `should_end_tick` may change without an event."""
    moment = _LEAVE_AFTER_SECONDS if since_arrival < _LEAVE_AFTER_SECONDS else _DAEMON_LOST_SECONDS
    return max(0.0, min(moment - since_arrival, MAX_TICK_SECONDS - waited))
