"""A vendor's refusal that holds for all jobs pauses the vendor; requests then wait in their rows."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from resources.contract.errors import RATE_LIMITED, VENDOR_DOWN, OutOfCreditsError, TransientError
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import ProviderPausedError, TooOftenError, VendorDownError
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.permits import vendor_availability
from resources.ledger.transitions.providers import pause_provider
from resources.ledger.workers.attempt import Attempt
from resources.process.configure_logging import LOG_FIELDS

_log = logging.getLogger("castad.providers")
_USUAL_PAUSES = {RATE_LIMITED: 20.0}
"""For a vendor that names no pause: no rate of a vendor's uses up a retry."""
_WAITS = {RATE_LIMITED: TooOftenError, VENDOR_DOWN: VendorDownError}


def check_not_paused(attempt: Attempt, lease: Lease, vendor: str) -> None:
    """Return if the vendor may be called; raises ProviderPausedError."""
    availability = vendor_availability(attempt.db, lease, vendor, None)
    if availability.pause_reason is not None:
        raise ProviderPausedError(vendor, availability.pause_reason)


@contextmanager
def pause_on_refusal(db: Database, vendor: str, credit_pause: float) -> Iterator[None]:
    """A refusal in the block that holds for all jobs pauses the vendor, for `credit_pause` if it names no time.

    OutOfCreditsError becomes ProviderPausedError, a TransientError `rate_limited` TooOftenError, and one that is
    `vendor_down` and names its pause VendorDownError.
    """
    try:
        yield
    except OutOfCreditsError as error:
        raise _pause_unpaid(db, vendor, error, credit_pause) from None
    except TransientError as error:
        waits = _WAITS.get(error.code)
        pause = error.retry_after or _USUAL_PAUSES.get(error.code)
        if waits is None or not pause:
            raise
        pause_provider(db, vendor, error.message, pause)
        raise waits(vendor, error.message, pause) from None


def _pause_unpaid(
    db: Database, vendor: str, error: OutOfCreditsError, pause: float
) -> ProviderPausedError:
    pause_provider(db, vendor, error.message, pause)
    fields = {"provider": vendor, "seconds": round(pause)}
    _log.warning("provider paused: %s", error.message, extra={LOG_FIELDS: fields})
    return ProviderPausedError(vendor, error.message, error.code)
