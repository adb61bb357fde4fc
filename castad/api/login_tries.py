"""How often anybody may try to log in, by the address of the client.

There is no limit for all addresses together: some of them could lock everybody out, and keys cannot be guessed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from castad.api.problems import ApiError
from castad.api.rate_limiter import RateLimiter
from castad.api.server.connection_limiter import source_of
from resources.contract.errors import CastadError

TRIES_PER_ADDRESS = 10
"""Each minute; only tries with a wrong key or link count."""


class LoginTries:
    """The failed tries at this process."""

    def __init__(self) -> None:
        self._limiter = RateLimiter()

    @contextmanager
    def counted(self, address: str | None) -> Iterator[None]:
        """The block is a try, which counts where it raises a refusal. Raises ApiError `rate_limited`."""
        source = source_of(address)
        wait = self._limiter.seconds_to_wait(source, TRIES_PER_ADDRESS)
        if wait:
            raise ApiError(
                HTTPStatus.TOO_MANY_REQUESTS,
                "rate_limited",
                f"too many tries to log in; try again in {wait} s",
                headers={"Retry-After": str(wait)},
            )
        is_wrong = False
        try:
            yield
        except CastadError:
            is_wrong = True
            raise
        finally:
            if not is_wrong:
                self._limiter.uncount(source, TRIES_PER_ADDRESS)
