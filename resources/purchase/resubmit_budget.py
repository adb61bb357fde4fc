"""How much a stage may spend on automatic resubmissions of lost jobs."""

from resources.contract.protocol import Provider
from resources.ledger.queries.spending import abandoned_cost
from resources.ledger.transitions.jobs import Job
from resources.ledger.workers.attempt import Attempt

_USD = 1_000_000


class ResubmitBudget:
    """The submissions that one stage and generation abandons automatically cost less than CASTAD_RESUBMIT_BELOW.

    Counting starts again at an operator's last decision to continue. Nothing is allowed where the provider is
    not repeatable.
    """

    def __init__(self, attempt: Attempt, stage: tuple[int, str, int], provider: Provider) -> None:
        """`stage` is the request's id, the stage and its generation."""
        self._attempt = attempt
        self._stage = stage
        self._provider = provider
        self._limit = attempt.settings.resubmit_below * _USD

    def allows(self, job: Job) -> bool:
        """Whether this submission may be abandoned for a new one."""
        is_repeatable = self._provider.repeatable or job.provider != self._provider.name
        return is_repeatable and job.cost + self._abandoned_cost() < self._limit

    def exhausted_reason(self, job: Job) -> str | None:
        """Why a submission that is cheap enough still needs the operator's decision; None where it does not."""
        if not self._provider.repeatable or job.cost >= self._limit or self.allows(job):
            return None
        return (
            f"lost jobs for {self._abandoned_cost() / _USD:.4f} USD were sent again already, and "
            f"CASTAD_RESUBMIT_BELOW allows less than {self._limit / _USD:.4f} USD in all; "
            f"`castad retry {self._attempt.task_id}` allows as much again"
        )

    def _abandoned_cost(self) -> int:
        return abandoned_cost(self._attempt.db, *self._stage)
