"""What becomes of a request whose run ends before the request does."""

import logging
import random

from sqlalchemy.exc import SQLAlchemyError

from resources.ledger.errors import LedgerError
from resources.ledger.failures import retry_delays_of
from resources.ledger.moves.attempts import confirm_cancel, fail, release
from resources.ledger.moves.core import Lease, ensure_held
from resources.ledger.queries.reads import get_request_by_id
from resources.ledger.rules import Failure, FailureAction, Outcome, decide_failure
from resources.ledger.workers.attempt import Attempt

_log = logging.getLogger("castad.request")


def close_failed(attempt: Attempt, lease: Lease, stage: str, failure: Failure) -> Outcome:
    """The attempt's failure is on record and the next attempt is due, or none. Raises LeaseLostError."""
    delays = retry_delays_of(attempt.settings, stage)
    _, outcome = fail(
        attempt.db,
        lease,
        stage,
        failure,
        lambda request, unknown_for: decide_failure(
            request,
            failure,
            delays,
            jitter=random.random(),  # noqa: S311 - jitter needs no secrecy
            unknown_for=unknown_for,
        ),
    )
    return outcome


def close_unfinished(attempt: Attempt, *, canceled: bool) -> None:
    """Nothing is held any more: canceled where the run was stopped by hand, else due again.

    That counts as a retry, unless the worker was told to stop: a run that ends without having closed its
    request met an error outside any stage, or was only part of the job; were it simply given back, a fault
    that repeats would spin for ever.
    """
    lease = attempt.lease
    try:
        request = get_request_by_id(attempt.db, attempt.request.id)
        if lease is None or request is None:
            return
        ensure_held(request.status, request.attempt, request.fence, lease)
        if canceled or request.cancel_requested:
            confirm_cancel(attempt.db, lease)
            return
        if attempt.is_draining:
            release(attempt.db, lease)
            return
        stage = request.stage or "lyric"
        failure = Failure("run_ended", "the run ended before the request did", FailureAction.RETRY)
        close_failed(attempt, lease, stage, failure)
    except LedgerError as error:
        _log.debug("request %s: nothing to give back (%s)", attempt.task_id, error.message)
    except SQLAlchemyError as error:
        _log.warning("request %s waits for its lease to run out: %s", attempt.task_id, type(error))
