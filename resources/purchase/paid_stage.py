"""The one call in which money is spent: check for a result, intent, submit, save, poll, fetch, store, complete.

When a process dies between two of these steps, the next attempt finds in the ledger which step was reached and
continues there. Between intent and saved id the outcome is unknown: that is `submission_unknown`, and the job is
never sent again on a guess.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from resources.contract.errors import RATE_LIMITED, TransientError
from resources.contract.protocol import Provider, StageInput
from resources.files.artifacts import ArtifactStore
from resources.ledger.ledger_errors import (
    CancelRequestedError,
    DailyBudgetError,
    LeaseLostError,
    NoPermitError,
    WorkerStoppingError,
)
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.housekeeping import pause_provider
from resources.ledger.transitions.jobs import Job
from resources.ledger.transitions.stages import StageEntry
from resources.ledger.workers.attempt import Attempt
from resources.providers.background_jobs import rate_gate_sleeping_with
from resources.purchase.stage_run import (
    CheckResult,
    Finished,
    Make,
    StageOutcome,
    any_result,
    pause_on_refusal,
    run_stage_once,
    seeded_for,
)
from resources.purchase.submission import DeferInterrupts, Log, Submission


def run_paid_stage(
    attempt: Attempt,
    stage: str,
    provider: Provider,
    job_input: StageInput,
    *,
    store: ArtifactStore,
    log: Log,
    defer_interrupts: DeferInterrupts,
    fetch_inputs: Callable[[], None] | None = None,
    check: CheckResult = any_result,
) -> StageOutcome:
    """The stage is completed, by this call or by an earlier one, and was bought at most once.

    `fetch_inputs` fetches the files that the job needs; nothing is bought where it raises. `defer_interrupts`
    delays interrupts between a job's intent and the saving of its id. No database connection is held during
    calls to the provider. `check` sees the result before it is stored. A stage that is made again has another
    seed.

    Raises:
        ProviderError: the stage could not be made; see `resources.contract.errors`.
        ProviderPausedError, DailyBudgetError, OverMaxCostError, WaitsError: nothing may be bought now.
        LeaseLostError, CancelRequestedError, WorkerStoppingError: this attempt has to stop.
    """

    @contextmanager
    def buy(lease: Lease, entry: StageEntry) -> Iterator[Make]:
        seeded = seeded_for(job_input, entry.generation)
        call = Submission(attempt, lease, entry, provider, seeded, log, defer_interrupts)
        if fetch_inputs is not None and not call.has_live_job():
            fetch_inputs()
        with _vendor_errors(call), rate_gate_sleeping_with(attempt.interruptible_sleep):
            job, answer = call.resolve_job()
            yield lambda folder: _fetch(call, job, answer, folder)

    return run_stage_once(attempt, stage, store, buy, check)


def _fetch(call: Submission, job: Job, answer: Mapping[str, Any], folder: Path) -> Finished:
    product = call.provider.fetch(call.job_input, answer, folder)
    cost = job.cost if product.cost is None else product.cost
    return Finished(product, cost, None if cost == job.cost else job.token)


@contextmanager
def _vendor_errors(call: Submission) -> Iterator[None]:
    """A vendor's refusal for all jobs pauses it; a stop of this attempt also stops the submission."""
    attempt = call.attempt
    try:
        with (
            pause_on_refusal(attempt.db, call.provider.name, attempt.settings.credit_pause),
            _short_pauses(call),
        ):
            yield
    except DailyBudgetError as error:
        pause_provider(attempt.db, error.waits_for, error.message, error.wait)
        raise
    except (CancelRequestedError, LeaseLostError, WorkerStoppingError):
        call.stop()
        raise


@contextmanager
def _short_pauses(call: Submission) -> Iterator[None]:
    """Where the demanded pause is within the vendor's window, the calls only arrived too close together.

    NoPermitError is raised then, and other requests keep their permits.
    """
    try:
        yield
    except TransientError as error:
        wait, rate = error.retry_after, call.provider.rate
        if error.code != RATE_LIMITED or not wait or rate is None or wait > rate.seconds:
            raise
        raise NoPermitError(call.entry.stage, call.provider.name, wait) from None
