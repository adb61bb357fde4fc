"""The Dagster runs of requests: their tags and statuses."""

from enum import Enum

from dagster import DagsterRun, DagsterRunStatus

TASK_ID_TAG = "castad/task_id"
ATTEMPT_TAG = "castad/attempt"
RETRY_TAG = "castad/retry"
PIPELINE_TAG = "castad/pipeline"

FINISHED_STATUSES = (DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE, DagsterRunStatus.CANCELED)
WAITING_STATUSES = (DagsterRunStatus.NOT_STARTED, DagsterRunStatus.STARTING)
"""The statuses of runs that no worker has started yet."""


def dispatched_attempt(run: DagsterRun) -> int | None:
    """The attempt for which the sensor launched the run; None for a run started by hand."""
    attempt = run.tags.get(ATTEMPT_TAG)
    # A re-execution inherits its parent's tag but is an attempt of its own.
    return int(attempt) if attempt and run.parent_run_id is None else None


class Start(Enum):
    """What a run does with its request when it starts."""

    CLAIM = "claims it"
    REPLAY = "reads its results"
    REQUEUE = "requeues it unclaimed: the worker is stopping"
    CANCEL = "cancels it unclaimed: the run was terminated"
    REFUSE = "leaves it alone: the run has ended"


def decide_start(
    status: DagsterRunStatus,
    *,
    is_dispatched: bool,
    worker_is_stopping: bool,
    has_just_run_here: bool,
) -> Start:
    """What the run does, by its status at this moment.

    A run started by hand claims even where its worker is stopping: that saves its order, and its first stage
    releases the request. `dagster job execute` opens a run's resources a second time after its end.
    """
    if status is DagsterRunStatus.CANCELING:
        return Start.CANCEL
    if status in FINISHED_STATUSES:
        is_replay = status is DagsterRunStatus.SUCCESS or has_just_run_here
        return Start.REPLAY if is_replay else Start.REFUSE
    return Start.REQUEUE if worker_is_stopping and is_dispatched else Start.CLAIM
