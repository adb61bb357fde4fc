"""What a run does with its request when it starts, and what becomes of a run that no worker has begun."""

from dataclasses import replace

import pytest
from dagster import DagsterRun, DagsterRunStatus

from resources.dagster.request_resource import ATTEMPT_TAG, TASK_ID_TAG, Start, decide_start
from resources.ledger.schema.tables import Status
from sensors.rescue import choose_action
from tests.sample_request import DISPATCHED

REQUEST = replace(DISPATCHED, attempt=3)
RUNNING = (DagsterRunStatus.NOT_STARTED, DagsterRunStatus.STARTING, DagsterRunStatus.STARTED)
FAILED = (DagsterRunStatus.FAILURE, DagsterRunStatus.CANCELED)
SUCCEEDED = (DagsterRunStatus.SUCCESS,)
ANY = (False, True)
STARTS = {
    # The statuses; whether the sensor dispatched it, the worker stops, and it has just run here.
    "dispatched": (RUNNING, (True,), (False,), (False,), Start.CLAIM),
    "by hand": (RUNNING, (False,), ANY, (False,), Start.CLAIM),
    "dispatched to a worker that stops": (RUNNING, (True,), (True,), (False,), Start.REQUEUE),
    "terminated": ((DagsterRunStatus.CANCELING,), ANY, ANY, ANY, Start.CANCEL),
    "ended here": ((*FAILED, *SUCCEEDED), ANY, ANY, (True,), Start.REPLAY),
    "succeeded elsewhere": (SUCCEEDED, ANY, ANY, (False,), Start.REPLAY),
    "ended otherwise elsewhere": (FAILED, ANY, ANY, (False,), Start.REFUSE),
}


@pytest.mark.parametrize("case", STARTS.values(), ids=STARTS)
def test_run_starts_by_its_status_at_that_moment(case):
    statuses, dispatched, stopping, just_run, start = case
    assert {
        decide_start(
            status,
            is_dispatched=is_dispatched,
            worker_is_stopping=is_stopping,
            has_just_run_here=has_run,
        )
        for status in statuses
        for is_dispatched in dispatched
        for is_stopping in stopping
        for has_run in just_run
    } == {start}


def run_of(attempt: str | None, parent: str | None = None) -> DagsterRun:
    tags = {TASK_ID_TAG: DISPATCHED.task_id} | ({} if attempt is None else {ATTEMPT_TAG: attempt})
    return DagsterRun(job_name="song_video", tags=tags, parent_run_id=parent, root_run_id=parent)


TAKEN = run_of("3")
AT_WORK = replace(REQUEST, status=Status.PROCESSING, run_id=TAKEN.run_id)
WENT_ON = [
    (run_of("3"), replace(REQUEST, status=status), "cancel")
    for status in Status
    if status != Status.DISPATCHED
]
UNCLAIMED = [
    (run_of("3"), REQUEST, "leave"),
    (TAKEN, AT_WORK, "leave"),
    (run_of("2"), REQUEST, "cancel"),
    (run_of("3"), None, "cancel"),
    *WENT_ON,
    (run_of(None), None, "republish"),
    # A re-execution inherits its parent's attempt.
    (run_of("1", parent="0" * 8), REQUEST, "republish"),
]


@pytest.mark.parametrize(("run", "request_now", "action"), UNCLAIMED)
def test_run_that_no_worker_has_begun_is_treated_by_its_request(run, request_now, action):
    assert choose_action(run, request_now) == action
