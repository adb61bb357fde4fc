"""The delays between retries against a database. Pure but for the jitter."""

import random
from collections.abc import Iterator

_FIRST_DELAY = 0.1
_MAX_DELAY = 2.0


def backoff_delays() -> Iterator[float]:
    """Seconds between one try and the next: exponential with full jitter, without end.

    After https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    """
    longest = _FIRST_DELAY
    while True:
        yield random.uniform(0, longest)  # noqa: S311 - jitter needs no secrecy
        longest = min(2 * longest, _MAX_DELAY)
