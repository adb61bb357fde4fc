"""When a source check is due: the less the source is used, the more rarely. Pure."""

from datetime import timedelta

SHORTEST = timedelta(hours=6)
LONGEST = timedelta(days=7)
IDLE_END = timedelta(days=30)
"""After so long without use it is no longer submitted again."""
MOST_FAILURES = 3
"""So many failures in a row, and it is submitted again only when a person has ordered it again."""
SPREAD = 0.1
_SHARE = 4


def is_over(idle: timedelta) -> bool:
    """Whether the last use is so long ago that it is forgotten."""
    return idle >= IDLE_END


def has_stopped(failures: int) -> bool:
    """Whether it has failed too often to be asked about again."""
    return failures >= MOST_FAILURES


def interval_after(idle: timedelta, failures: int, chance: float) -> timedelta:
    """How long its source is left alone after it was asked.

    A quarter of the time since the last use, from 6 hours to 7 days, and by `chance`, from 0 to 1, up to
    a tenth longer, so that what began together does not stay together. What has stopped is left alone until it
    is over.
    """
    if has_stopped(failures):
        return max(IDLE_END - idle, timedelta())
    return min(max(idle / _SHARE, SHORTEST), LONGEST) * (1 + SPREAD * chance)


def failures_after(failures: int, is_failed: bool) -> int:
    """The failures in a row."""
    return failures + 1 if is_failed else 0
