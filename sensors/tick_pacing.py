"""How many twins of the requests sensor there are, and how they share their few quick ticks. Pure.

The daemon starts every sensor that has no tick under way each 5 s, so K twins are K quick ticks in 5 s and
after that none. A twin holds a thread of the code server while it waits, and so does everything that the
daemon asks of the code server to start the very runs the twin has asked for.
"""

from collections.abc import Mapping
from math import ceil

MAX_REPLICAS = 12
"""A third of them answers at once whatever comes; the rest, spread over 5 s, at most 0.63 s apart."""
MAX_TICK_SECONDS = 25.0
"""Seconds in one tick, whatever happens; Dagster cuts it at 60."""
BATCH_SIZE = 50
"""Runs asked for by one tick. 12 x 50 in 5 s are 120 a second, more than a daemon can submit; smaller ones
begin sooner, and several ticks are submitted side by side."""

DAEMON_LOOP_SECONDS = 5.0  # `MIN_INTERVAL_LOOP_TIME` in Dagster's sensor daemon, not configurable
# Those that leave now are back with the next round, whose clock they are.
_LEAVE_AFTER_SECONDS = 4.0
_DAEMON_LOST_SECONDS = 8.0
_LEAVING_SHARE = 1 / 4
_RESERVE_SHARE = 2 / 3
_MAX_BATCHING_DELAY = 0.75

THREAD_COUNT_VARIABLES = ("DAGSTER_GRPC_MAX_WORKERS", "DAGSTER_CODE_SERVER_MAX_WORKERS")
"""How many calls are answered at once: Dagster reads one for a code server, the other for a proxy before it."""
CODE_SERVER_THREADS = 40
"""All twins wait, a thread each, and the runs they ask for need no more than the rest."""


def code_server_threads(environment: Mapping[str, str], cores: int) -> int:
    """How many calls a code server of this environment answers at once, a proxy before it included.

    Source: the `--max-workers` options of `dagster api grpc` and `dagster code-server start`; unset, both
    take what ThreadPoolExecutor takes.
    """
    default = min(32, cores + 4)
    chosen = [environment.get(name, "") for name in THREAD_COUNT_VARIABLES]
    return min(int(value) if value.isdecimal() else default for value in chosen)


def replicas_for(threads: int) -> int:
    """How many may wait at once: half of the threads stay free to start what they ask for."""
    return max(1, min(MAX_REPLICAS, threads // 2))


def batching_delay(
    waiting: int, replicas: int, since_last: float, seconds_to_next_daemon_loop: float
) -> float:
    """Seconds a twin that has found something waits for more, so that quick ticks never run out.

    Nothing while more twins are left than two thirds of all, or than that share of the time until the next
    round. Behind that, answers keep as far apart as spreads the rest over this time; who comes after a quiet
    while is at once again.

    Args:
        waiting: twins that stand in line, this one included, >= 1.
        replicas: how many there are.
        since_last: seconds since a replica last answered.
        seconds_to_next_daemon_loop: seconds until the daemon starts those that have answered.
    """
    if waiting > ceil(
        _RESERVE_SHARE * replicas * seconds_to_next_daemon_loop / DAEMON_LOOP_SECONDS
    ):
        return 0.0
    return max(0.0, min(_MAX_BATCHING_DELAY, seconds_to_next_daemon_loop / waiting) - since_last)


def seconds_to_next_daemon_loop(since_arrival: float) -> float:
    """Seconds until the daemon's next round, from the time since it last started a twin."""
    return DAEMON_LOOP_SECONDS - since_arrival % DAEMON_LOOP_SECONDS


def should_end_tick(
    ahead: int, gone: int, replicas: int, *, since_arrival: float, waited: float
) -> bool:
    """Whether a twin that found nothing ends its tick.

    Near the end of every round the oldest quarter does, so that few are away at once and every round brings
    somebody. Where none does, the daemon is gone or waits for its ticks to end: then everybody leaves.

    Args:
        ahead: twins that stand before this one.
        gone: twins that have left since the last one came, served or not.
        replicas: how many there are.
        since_arrival: seconds since the last one came.
        waited: seconds since this one came.
    """
    if since_arrival >= _DAEMON_LOST_SECONDS or waited >= MAX_TICK_SECONDS:
        return True
    return since_arrival >= _LEAVE_AFTER_SECONDS and ahead + gone < ceil(replicas * _LEAVING_SHARE)


def seconds_until_recheck(since_arrival: float, waited: float) -> float:
    """Seconds until `may_go_home` may change by time alone."""
    moment = _LEAVE_AFTER_SECONDS if since_arrival < _LEAVE_AFTER_SECONDS else _DAEMON_LOST_SECONDS
    return max(0.0, min(moment - since_arrival, MAX_TICK_SECONDS - waited))
