"""A vendor's rate limit, held together by every process that shares the ledger.

The moving window is the library `limits`'; its entries lie in the provider's row, timed by the database.
"""

import random
import time
from collections.abc import Callable
from functools import cache

from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from sqlalchemy.exc import SQLAlchemyError

from resources.ledger.database import Database
from resources.ledger.moves.providers import calls_in_window, take_slot
from resources.providers.errors import TransientError
from resources.providers.protocol import Rate
from resources.providers.wire import Gate

_PATIENCE_SECONDS = 30.0


class LedgerWindow(MemoryStorage):
    """A storage of `limits` whose moving window lies in the ledger, one a provider; keys play no part."""

    def __init__(self, db: Database, provider: str) -> None:
        super().__init__()
        self._db = db
        self._provider = provider

    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Count one call, if the window has room for it."""
        return take_slot(self._db, self._provider, limit, expiry)

    def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:
        """When the oldest call in the window was made, and how many there are."""
        calls = calls_in_window(self._db, self._provider, expiry)
        return (min(calls) if calls else 0.0, len(calls))


def ledger_gate(
    open_ledger: Callable[[], Database],
    provider: str,
    rate: Rate,
    *,
    patience_seconds: float = _PATIENCE_SECONDS,
) -> Gate:
    """The gate before a provider's every call; it counts the calls of all processes together."""
    limit = RateLimitItemPerSecond(rate.calls, rate.seconds)

    @cache
    def limiter() -> MovingWindowRateLimiter:
        return MovingWindowRateLimiter(LedgerWindow(open_ledger(), provider))

    def wait() -> None:
        deadline = time.monotonic() + patience_seconds
        while not _hit(limiter(), limit, provider):
            if time.monotonic() > deadline:
                raise TransientError(
                    f"{provider}: the rate limit of {rate.calls} calls in {rate.seconds} s "
                    "is used up by other orders",
                    code="rate_limited",
                    retry_after=rate.seconds,
                )
            time.sleep(rate.seconds / rate.calls * random.uniform(0.5, 1.5))  # noqa: S311 - jitter

    return wait


def _hit(limiter: MovingWindowRateLimiter, limit: RateLimitItemPerSecond, provider: str) -> bool:
    try:
        return limiter.hit(limit)
    except SQLAlchemyError as error:
        raise TransientError(
            f"{provider}: the ledger did not answer ({type(error).__name__})",
            code="state_unavailable",
        ) from None
