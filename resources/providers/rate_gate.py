"""Rate limiting of calls to a vendor that are not submissions, across all processes."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sqlalchemy.exc import SQLAlchemyError

from resources.contract.errors import TransientError
from resources.contract.protocol import Rate
from resources.http.vendor_client import RateGate
from resources.ledger.db.database import Database, open_database
from resources.ledger.transitions.permits import acquire_call
from resources.process.settings import Settings

Sleep = Callable[[float], object]

_MAX_WAIT_SECONDS = 30.0
_LONGEST_BACKOFF = 2.0
_sleep: ContextVar[Sleep | None] = ContextVar("castad_sleep", default=None)


@contextmanager
def rate_gate_sleeping_with(sleep: Sleep) -> Iterator[None]:
    """In the block, gates wait with `sleep` and without a time limit: what it raises ends the wait."""
    token = _sleep.set(sleep)
    try:
        yield
    finally:
        _sleep.reset(token)


def rate_gate(settings: Settings, provider: str, rate: Rate) -> RateGate:
    """The rate gate of a provider of this castad."""
    return ledger_rate_gate(lambda: open_database(settings.ledger_url), provider, rate)


def ledger_rate_gate(
    open_ledger: Callable[[], Database],
    provider: str,
    rate: Rate,
    *,
    max_wait_seconds: float = _MAX_WAIT_SECONDS,
) -> RateGate:
    """The rate gate of a provider; the ledger counts the calls of all processes together.

    Outside of `rate_gate_sleeping_with` it waits for up to `max_wait_seconds` and then raises TransientError
    `rate_limited`.
    """

    def wait() -> None:
        sleep = _sleep.get()
        deadline = time.monotonic() + max_wait_seconds
        backoff = rate.seconds / rate.calls
        while (left := _take(open_ledger(), provider, rate)) > 0:
            if sleep is None and time.monotonic() + left > deadline:
                raise TransientError(
                    f"{provider}: the rate limit of {rate.calls} calls in {rate.seconds} s "
                    "is used up by submissions",
                    code="rate_limited",
                    retry_after=rate.seconds,
                )
            # Many callers wait for the same moment: the longer one waits, the less often it asks.
            (sleep or time.sleep)(left + random.uniform(0, backoff))  # noqa: S311 - jitter
            backoff = min(2 * backoff, _LONGEST_BACKOFF)

    return wait


def _take(db: Database, provider: str, rate: Rate) -> float:
    try:
        return acquire_call(db, provider, rate)
    except SQLAlchemyError as error:
        raise TransientError(
            f"{provider}: the ledger did not answer ({type(error).__name__})",
            code="state_unavailable",
        ) from None
