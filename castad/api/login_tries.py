"""How often anybody may try to log in: by the address of the client, and all clients together."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from castad.api.problems import ApiError
from castad.api.rate_limiter import RateLimiter
from castad.api.server.connection_limiter import source_of

TRIES_PER_ADDRESS = 10
"""Each minute; only tries that fail count."""
_TRIES = 300
_ALL = "all"


class LoginTries:
    """The failed tries at this process."""

    def __init__(self) -> None:
        self._limiter = RateLimiter()

    @contextmanager
    def counted(self, address: str | None) -> Iterator[None]:
        """The block is a try, which counts where it raises. Raises ApiError `rate_limited`."""
        limits = {f"from {source_of(address)}": TRIES_PER_ADDRESS, _ALL: _TRIES}
        for name, per_minute in limits.items():
            wait = self._limiter.seconds_to_wait(name, per_minute)
            if wait:
                raise ApiError(
                    HTTPStatus.TOO_MANY_REQUESTS,
                    "rate_limited",
                    f"too many tries to log in; try again in {wait} s",
                    headers={"Retry-After": str(wait)},
                )
        yield
        for name, per_minute in limits.items():
            self._limiter.uncount(name, per_minute)
