"""How many twins of the requests sensor there are, and how they share their few quick ticks. Pure.

The daemon starts every sensor that has no tick under way each 5 s, so K twins are K quick ticks in 5 s and
after that none. A twin holds a thread of the code server while it waits, and so does everything that the
daemon asks of the code server to start the very runs the twin has asked for.
"""

from collections.abc import Mapping
from math import ceil

MOST_TWINS = 12
"""A third of them answers at once whatever comes; the rest, spread over 5 s, at most 0.63 s apart."""
LONGEST_WAIT = 25.0
"""Seconds in one tick, whatever happens; Dagster cuts it at 60."""
BATCH = 50
"""Runs asked for by one tick. 12 x 50 in 5 s are 120 a second, more than a daemon can submit; smaller ones
begin sooner, and several ticks are submitted side by side."""

DAEMON_ROUND = 5.0  # `MIN_INTERVAL_LOOP_TIME` in Dagster's sensor daemon, not configurable
# Those that leave now are back with the next round, whose clock they are.
_TIME_TO_LEAVE = 4.0
_LOST_ROUND = 8.0
_SHARE_LEAVING = 1 / 4
_RESERVE = 2 / 3
_LONGEST_LINGER = 0.75

THREAD_SETTINGS = ("DAGSTER_GRPC_MAX_WORKERS", "DAGSTER_CODE_SERVER_MAX_WORKERS")
"""How many calls are answered at once: Dagster reads one for a code server, the other for a proxy before it."""
ENOUGH_THREADS = 40
"""All twins wait, a thread each, and the runs they ask for need no more than the rest."""


def code_server_threads(environment: Mapping[str, str], cores: int) -> int:
    """How many calls a code server of this environment answers at once, a proxy before it included.

    Source: the `--max-workers` options of `dagster api grpc` and `dagster code-server start`; unset, both
    take what ThreadPoolExecutor takes.
    """
    default = min(32, cores + 4)
    chosen = [environment.get(name, "") for name in THREAD_SETTINGS]
    return min(int(value) if value.isdecimal() else default for value in chosen)


def twins_for(threads: int) -> int:
    """How many may wait at once: half of the threads stay free to start what they ask for."""
    return max(1, min(MOST_TWINS, threads // 2))


def linger(waiting: int, twins: int, since_last: float, until_refill: float) -> float:
    """Seconds a twin that has found something waits for more, so that quick ticks never run out.

    Nothing while more twins are left than two thirds of all, or than that share of the time until the next
    round. Behind that, answers keep as far apart as spreads the rest over this time; who comes after a quiet
    while is at once again.

    Args:
        waiting: twins that stand in line, this one included, >= 1.
        twins: how many there are.
        since_last: seconds since a twin last answered.
        until_refill: seconds until the daemon starts those that have answered.
    """
    if waiting > ceil(_RESERVE * twins * until_refill / DAEMON_ROUND):
        return 0.0
    return max(0.0, min(_LONGEST_LINGER, until_refill / waiting) - since_last)


def until_refill(since_arrival: float) -> float:
    """Seconds until the daemon's next round, from the time since it last started a twin."""
    return DAEMON_ROUND - since_arrival % DAEMON_ROUND


def may_go_home(ahead: int, gone: int, twins: int, *, since_arrival: float, waited: float) -> bool:
    """Whether a twin that found nothing ends its tick.

    Near the end of every round the oldest quarter does, so that few are away at once and every round brings
    somebody. Where none does, the daemon is gone or waits for its ticks to end: then everybody leaves.

    Args:
        ahead: twins that stand before this one.
        gone: twins that have left since the last one came, served or not.
        twins: how many there are.
        since_arrival: seconds since the last one came.
        waited: seconds since this one came.
    """
    if since_arrival >= _LOST_ROUND or waited >= LONGEST_WAIT:
        return True
    return since_arrival >= _TIME_TO_LEAVE and ahead + gone < ceil(twins * _SHARE_LEAVING)


def next_thought(since_arrival: float, waited: float) -> float:
    """Seconds until `may_go_home` may change by time alone."""
    moment = _TIME_TO_LEAVE if since_arrival < _TIME_TO_LEAVE else _LOST_ROUND
    return max(0.0, min(moment - since_arrival, LONGEST_WAIT - waited))
