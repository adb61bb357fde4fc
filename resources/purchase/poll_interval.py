"""How long to wait before a provider is asked again how a job stands. Pure."""

from resources.contract.protocol import Rate

_SHARE_OF_DISTANCE = 1 / 3
_SHARE_OF_RATE = 1 / 2


def next_poll_delay(
    age: float,
    usual: float,
    *,
    shortest: float,
    longest: float,
    rate: Rate | None,
    in_flight: int,
) -> float:
    """Seconds until the next question: rare while the job cannot be done yet, frequent about its usual end.

    Afterwards ever rarer again. All jobs in flight together use at most half of the vendor's rate, so that
    new orders always find room in it.

    Args:
        age: seconds since the job was accepted.
        usual: seconds such a job usually takes.
        shortest: the pause on this machine, and the shortest elsewhere.
        longest: the longest pause, as long as the rate allows it.
        rate: what the vendor allows; None on this machine.
        in_flight: jobs the vendor is working on, this one included.
    """
    if rate is None:
        return shortest
    wanted = min(max(abs(usual - age) * _SHARE_OF_DISTANCE, shortest), longest)
    fair = max(in_flight, 1) * rate.seconds / (rate.calls * _SHARE_OF_RATE)
    return max(wanted, fair)
