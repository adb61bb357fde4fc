"""Store how an attempt failed: its request is due again, canceled or dead, or its vendor is paused."""

import logging
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from sqlalchemy.exc import SQLAlchemyError

from resources.contract.errors import RATE_LIMITED, VENDOR_DOWN, OutOfCreditsError, TransientError
from resources.contract.protocol import StageSettings
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import (
    LedgerError,
    ProviderPausedError,
    TooOftenError,
    VendorDownError,
)
from resources.ledger.limits import FINAL_STATUS_PREFIX, parse_wait
from resources.ledger.queries.status import get_request_by_id
from resources.ledger.request import Request
from resources.ledger.rules import (
    STAGE_TIMEOUT,
    Failure,
    FailureAction,
    Outcome,
    RetryDelays,
    decide_failure,
)
from resources.ledger.transitions.claims import confirm_cancel, fail_attempt, release_request
from resources.ledger.transitions.core import Lease, ensure_lease_holds
from resources.ledger.transitions.housekeeping import pause_provider
from resources.ledger.workers.attempt import Attempt
from resources.process.configure_logging import LOG_FIELDS

_log = logging.getLogger("castad.request")


def close_failed(attempt: Attempt, lease: Lease, stage: str, failure: Failure) -> Outcome:
    """Store the attempt's failure, and make the next attempt due if there is one; return what was decided.

    A wait for a vendor's final status is over at once if a callback came that the attempt has not seen. Raises
    LeaseLostError.
    """
    delays = RetryDelays(attempt.stage(stage).retry_seconds, attempt.settings.unknown_grace)
    waits_for_final_status = parse_wait(FINAL_STATUS_PREFIX, failure.waits_for) is not None

    def decide(request: Request, unknown_for: float) -> Outcome:
        is_heard = waits_for_final_status and attempt.has_missed_callback(request)
        return decide_failure(
            request,
            replace(failure, retry_after=0.0) if is_heard else failure,
            delays,
            jitter=random.random(),  # noqa: S311 - jitter needs no secrecy
            unknown_for=unknown_for,
        )

    _, outcome = fail_attempt(attempt.db, lease, stage, failure, decide)
    return outcome


def close_unfinished(attempt: Attempt, lease: Lease, *, canceled: bool) -> None:
    """Cancel the attempt's open request if its run was terminated (`canceled`); otherwise make it due again.

    That counts as a retry unless the worker is stopping. A run that leaves its request open met an error
    outside any stage, or executed only some of the ops; without counting, a repeated fault would loop forever.
    Does nothing if the lease is lost; an unavailable database is only logged.
    """
    try:
        request = get_request_by_id(attempt.db, attempt.request.id)
        if request is None:
            return
        ensure_lease_holds(request.status, request.attempt, request.fence, lease)
        if canceled or request.cancel_requested:
            confirm_cancel(attempt.db, lease)
            return
        if attempt.is_draining:
            release_request(attempt.db, lease)
            return
        first = attempt.stage_names[0]
        stage = request.stage if request.stage in attempt.stage_names else first
        failure = Failure("run_ended", "the run ended before the request did", FailureAction.RETRY)
        close_failed(attempt, lease, stage, failure)
    except LedgerError as error:
        fields = {"task_id": attempt.task_id}
        _log.debug("nothing to requeue: %s", error.message, extra={LOG_FIELDS: fields})
    except SQLAlchemyError as error:
        fields = {"task_id": attempt.task_id, "error": type(error).__name__}
        _log.warning(
            "request not closed, waits for its lease to expire", extra={LOG_FIELDS: fields}
        )


def make_timeout_error(stage: StageSettings, subject: str) -> TransientError:
    """Make the error of a stage whose deadline is over; `subject` is what did not finish."""
    return TransientError(
        f"{stage.name}: {subject} did not finish within {stage.deadline:g} s", code=STAGE_TIMEOUT
    )


_pause_log = logging.getLogger("castad.providers")
_USUAL_PAUSES = {RATE_LIMITED: 20.0}
"""The pause in seconds of a vendor that names none: no rate of a vendor's uses up a retry."""
_WAITS = {RATE_LIMITED: TooOftenError, VENDOR_DOWN: VendorDownError}


@contextmanager
def pause_on_refusal(db: Database, vendor: str, credit_pause: float) -> Iterator[None]:
    """Pause the vendor if the block raises a refusal that holds for all jobs.

    OutOfCreditsError pauses it for `credit_pause` seconds and becomes ProviderPausedError. A TransientError
    `rate_limited` becomes TooOftenError; one that is `vendor_down` and names its pause becomes
    VendorDownError. Other errors pass unchanged.
    """
    try:
        yield
    except OutOfCreditsError as error:
        pause_provider(db, vendor, error.message, credit_pause)
        fields = {"provider": vendor, "seconds": round(credit_pause)}
        _pause_log.warning("provider paused: %s", error.message, extra={LOG_FIELDS: fields})
        raise ProviderPausedError(vendor, error.message, error.code) from None
    except TransientError as error:
        waits = _WAITS.get(error.code)
        pause = error.retry_after or _USUAL_PAUSES.get(error.code)
        if waits is None or not pause:
            raise
        pause_provider(db, vendor, error.message, pause)
        raise waits(vendor, error.message, pause) from None
