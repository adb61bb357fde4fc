"""The gate before whatever a vendor is asked beside orders: it keeps to the vendor's rate, over all processes."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sqlalchemy.exc import SQLAlchemyError

from resources.contract.errors import TransientError
from resources.contract.protocol import Rate
from resources.http.vendor_client import RateGate
from resources.ledger.db.database import Database
from resources.ledger.moves.turns import acquire_call

Sleep = Callable[[float], object]

_MAX_WAIT_SECONDS = 30.0
_LONGEST_BACKOFF = 2.0
_sleep: ContextVar[Sleep | None] = ContextVar("castad_pause", default=None)


@contextmanager
def rate_gate_sleeping_with(pause: Sleep) -> Iterator[None]:
    """Within the block gates wait by this, however long: it raises what ends the wait."""
    token = _sleep.set(pause)
    try:
        yield
    finally:
        _sleep.reset(token)


def ledger_rate_gate(
    open_ledger: Callable[[], Database],
    provider: str,
    rate: Rate,
    *,
    max_wait_seconds: float = _MAX_WAIT_SECONDS,
) -> RateGate:
    """The gate before a provider's every question; it counts the calls of all processes together.

    Outside `waiting_by` it waits `patience_seconds` and then raises TransientError `rate_limited`.
    """

    def wait() -> None:
        pause = _sleep.get()
        deadline = time.monotonic() + max_wait_seconds
        backoff = rate.seconds / rate.calls
        while (left := _take(open_ledger(), provider, rate)) > 0:
            if pause is None and time.monotonic() + left > deadline:
                raise TransientError(
                    f"{provider}: the rate limit of {rate.calls} calls in {rate.seconds} s "
                    "is used up by orders",
                    code="rate_limited",
                    retry_after=rate.seconds,
                )
            # Many wait for the same moment: the longer, the rarer each of them asks.
            (pause or time.sleep)(left + random.uniform(0, backoff))  # noqa: S311 - jitter
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
