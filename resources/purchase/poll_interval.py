"""How long to wait between two polls of a job. Pure."""

from resources.contract.protocol import Rate

_SHARE_OF_DISTANCE = 1 / 3
_SHARE_OF_RATE = 1 / 2
_SHARE_OF_AGE = 1 / 20
_SOONEST = 0.02


def next_poll_delay(
    age: float,
    usual: float,
    *,
    shortest: float,
    longest: float,
    rate: Rate | None,
    in_flight: int,
) -> float:
    """Seconds until the next poll: long at first, short around the job's usual end, longer again after it.

    All jobs in flight together use at most half of the vendor's rate; the other half is left for new submissions.

    Args:
        age: seconds since the job was accepted.
        usual: seconds that such a job usually takes.
        shortest: the shortest delay; on this machine, where a poll costs nothing, the longest.
        longest: the longest delay, unless the rate requires a longer one.
        rate: how often the vendor may be called; None on this machine.
        in_flight: number of submitted jobs at the vendor, including this one.
    """
    if rate is None:
        return min(max(age * _SHARE_OF_AGE, _SOONEST), shortest)
    wanted = min(max(abs(usual - age) * _SHARE_OF_DISTANCE, shortest), longest)
    fair = max(in_flight, 1) * rate.seconds / (rate.calls * _SHARE_OF_RATE)
    return max(wanted, fair)
