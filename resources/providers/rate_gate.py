"""The gate before whatever a vendor is asked beside orders: it keeps to the vendor's rate, over all processes."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sqlalchemy.exc import SQLAlchemyError

from resources.contract.errors import TransientError
from resources.contract.protocol import Rate
from resources.http.vendor_client import Gate
from resources.ledger.db.database import Database
from resources.ledger.moves.turns import take_call

Pause = Callable[[float], object]

_PATIENCE_SECONDS = 30.0
_LONGEST_BACKOFF = 2.0
_pause: ContextVar[Pause | None] = ContextVar("castad_pause", default=None)


@contextmanager
def waiting_by(pause: Pause) -> Iterator[None]:
    """Within the block gates wait by this, however long: it raises what ends the wait."""
    token = _pause.set(pause)
    try:
        yield
    finally:
        _pause.reset(token)


def ledger_gate(
    open_ledger: Callable[[], Database],
    provider: str,
    rate: Rate,
    *,
    patience_seconds: float = _PATIENCE_SECONDS,
) -> Gate:
    """The gate before a provider's every question; it counts the calls of all processes together.

    Outside `waiting_by` it waits `patience_seconds` and then raises TransientError `rate_limited`.
    """

    def wait() -> None:
        pause = _pause.get()
        deadline = time.monotonic() + patience_seconds
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
        return take_call(db, provider, rate)
    except SQLAlchemyError as error:
        raise TransientError(
            f"{provider}: the ledger did not answer ({type(error).__name__})",
            code="state_unavailable",
        ) from None
