"""The last check of the lease before a job is sent."""

from collections.abc import Callable

from resources.ledger.ledger_errors import LeaseLostError, LedgerError
from resources.ledger.workers.attempt import Attempt


class SendGuard:
    """Lets a job be sent only while no other attempt can have claimed its request.

    Once it has refused, it refuses every later call, as for the vendor's next address; `refusal` is the reason.
    """

    def __init__(self, attempt: Attempt, pass_crash_point: Callable[[str], None]) -> None:
        """`pass_crash_point` lets a fault test stop the stage."""
        self._attempt = attempt
        self._pass_crash_point = pass_crash_point
        self.refusal: LedgerError | None = None

    def ensure_may_continue(self) -> None:
        """Return where the job may be sent at this moment. Raises as `Attempt.ensure_may_continue` does."""
        if self.refusal is None:
            self.refusal = self._find_refusal()
        if self.refusal is not None:
            raise self.refusal

    def _find_refusal(self) -> LedgerError | None:
        try:
            self._attempt.ensure_may_continue()
        except LedgerError as error:
            return error
        self._pass_crash_point("before_send")
        if self._attempt.is_still_held():
            return None
        return LeaseLostError(
            f"the worker was suspended right before it would have sent the job, and its lease on request "
            f"{self._attempt.task_id} has expired; nothing was sent"
        )
