"""The Dagster runs of requests: their tags, and what their status says."""

from enum import Enum

from dagster import DagsterRun, DagsterRunStatus

TASK_ID_TAG = "castad/task_id"
ATTEMPT_TAG = "castad/attempt"
RETRY_TAG = "castad/retry"
PIPELINE_TAG = "castad/pipeline"

FINISHED_STATUSES = (DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE, DagsterRunStatus.CANCELED)
WAITING_STATUSES = (DagsterRunStatus.NOT_STARTED, DagsterRunStatus.STARTING)
"""Of runs that no worker has taken yet."""


def dispatched_attempt(run: DagsterRun) -> int | None:
    """The attempt that the sensor launched the run for; None where it was started by hand."""
    attempt = run.tags.get(ATTEMPT_TAG)
    # A re-execution inherits its parent's tag; it is an attempt of its own.
    return int(attempt) if attempt and run.parent_run_id is None else None


class Start(Enum):
    """What a run does with its request when it starts."""

    CLAIM = "claims it"
    REPLAY = "shows what is done"
    REQUEUE = "gives it back unclaimed: the worker stops"
    CANCEL = "cancels it unclaimed: the run was terminated"
    REFUSE = "touches nothing: the run has ended"


def decide_start(
    status: DagsterRunStatus,
    *,
    is_dispatched: bool,
    worker_is_stopping: bool,
    has_just_run_here: bool,
) -> Start:
    """Decide by the run's status at this moment.

    A run that was started by hand claims even where its worker stops: its order is recorded that way, and its
    first stage gives the request back. `dagster job execute` opens a run's resources a second time after its end.
    """
    if status is DagsterRunStatus.CANCELING:
        return Start.CANCEL
    if status in FINISHED_STATUSES:
        is_replay = status is DagsterRunStatus.SUCCESS or has_just_run_here
        return Start.REPLAY if is_replay else Start.REFUSE
    return Start.REQUEUE if worker_is_stopping and is_dispatched else Start.CLAIM
