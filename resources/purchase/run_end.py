"""Closes a request whose run ends before the request does."""

import logging
import random
from dataclasses import replace

from sqlalchemy.exc import SQLAlchemyError

from resources.ledger.admission import parse_final_status_wait
from resources.ledger.ledger_errors import LedgerError
from resources.ledger.queries.reads import get_request_by_id
from resources.ledger.request import Request
from resources.ledger.rules import Failure, FailureAction, Outcome, RetryDelays, decide_failure
from resources.ledger.transitions.attempts import confirm_cancel, fail, release
from resources.ledger.transitions.core import Lease, ensure_leased
from resources.ledger.workers.attempt import Attempt
from resources.process.configure_logging import LOG_FIELDS

_log = logging.getLogger("castad.request")


def close_failed(attempt: Attempt, lease: Lease, stage: str, failure: Failure) -> Outcome:
    """The attempt's failure is stored, and the next attempt, if any, is due. Raises LeaseLostError.

    A wait for a vendor's final status is over at once where a callback came that the attempt has not seen.
    """
    delays = RetryDelays(attempt.stage(stage).retry_seconds, attempt.settings.unknown_grace)
    waits_for_final_status = parse_final_status_wait(failure.waits_for) is not None

    def decide(request: Request, unknown_for: float) -> Outcome:
        is_heard = waits_for_final_status and attempt.has_missed_callback(request)
        return decide_failure(
            request,
            replace(failure, retry_after=0.0) if is_heard else failure,
            delays,
            jitter=random.random(),  # noqa: S311 - jitter needs no secrecy
            unknown_for=unknown_for,
        )

    _, outcome = fail(attempt.db, lease, stage, failure, decide)
    return outcome


def close_unfinished(attempt: Attempt, lease: Lease, *, canceled: bool) -> None:
    """The attempt holds no request: it is canceled where the run was terminated, else due again.

    That counts as a retry unless the worker is stopping. A run that leaves its request open met an error outside
    any stage, or executed only some of the ops; without counting, a repeated fault would loop forever.
    """
    try:
        request = get_request_by_id(attempt.db, attempt.request.id)
        if request is None:
            return
        ensure_leased(request.status, request.attempt, request.fence, lease)
        if canceled or request.cancel_requested:
            confirm_cancel(attempt.db, lease)
            return
        if attempt.is_draining:
            release(attempt.db, lease)
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
