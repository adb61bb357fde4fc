"""The Dagster runs of requests: their tags, and what their status says."""

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
