"""A vendor's refusal that holds for all orders parks the vendor; requests then wait in their rows."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from resources.contract.errors import RATE_LIMITED, VENDOR_DOWN, OutOfCreditsError, TransientError
from resources.ledger.db.database import Database
from resources.ledger.errors import ProviderParkedError, TooOftenError, VendorDownError
from resources.ledger.moves.core import Lease
from resources.ledger.moves.providers import park
from resources.ledger.moves.turns import vendor_availability
from resources.ledger.workers.attempt import Attempt
from resources.process.configure_logging import LOG_FIELDS

_log = logging.getLogger("castad.providers")
_USUAL_PAUSES = {RATE_LIMITED: 20.0}
"""For a vendor that names no pause: no rate of a vendor's uses up a retry."""
_WAITS = {RATE_LIMITED: TooOftenError, VENDOR_DOWN: VendorDownError}


def refuse_parked(attempt: Attempt, lease: Lease, vendor: str) -> None:
    """Return if the vendor may be called; raises ProviderParkedError."""
    availability = vendor_availability(attempt.db, lease, vendor, None)
    if availability.parked_why is not None:
        raise ProviderParkedError(vendor, availability.parked_why)


@contextmanager
def parking(db: Database, vendor: str, credit_pause: float) -> Iterator[None]:
    """A refusal in the block that holds for all orders parks the vendor, for `credit_pause` if it names no time.

    OutOfCreditsError becomes ProviderParkedError, a TransientError `rate_limited` TooOftenError, and one that is
    `vendor_down` and names its pause VendorDownError.
    """
    try:
        yield
    except OutOfCreditsError as error:
        raise _park_unpaid(db, vendor, error, credit_pause) from None
    except TransientError as error:
        waits = _WAITS.get(error.code)
        pause = error.retry_after or _USUAL_PAUSES.get(error.code)
        if waits is None or not pause:
            raise
        park(db, vendor, error.message, pause)
        raise waits(vendor, error.message, pause) from None


def _park_unpaid(
    db: Database, vendor: str, error: OutOfCreditsError, pause: float
) -> ProviderParkedError:
    park(db, vendor, error.message, pause)
    fields = {"provider": vendor, "seconds": round(pause)}
    _log.warning("provider parked: %s", error.message, extra={LOG_FIELDS: fields})
    return ProviderParkedError(vendor, error.message, error.code)
