"""What a run does with its request when it starts, by the run's status at that moment."""

import pytest
from dagster import DagsterRunStatus

from resources.dagster.request_resource import FINISHED_STATUSES, Start, decide_start

RUNNING = (DagsterRunStatus.NOT_STARTED, DagsterRunStatus.STARTING, DagsterRunStatus.STARTED)


def start(
    status: DagsterRunStatus,
    *,
    is_dispatched: bool = True,
    worker_is_stopping: bool = False,
    has_just_run_here: bool = False,
) -> Start:
    return decide_start(
        status,
        is_dispatched=is_dispatched,
        worker_is_stopping=worker_is_stopping,
        has_just_run_here=has_just_run_here,
    )


@pytest.mark.parametrize("status", RUNNING)
def test_run_claims_its_request(status):
    assert start(status) is Start.CLAIM


@pytest.mark.parametrize("status", RUNNING)
def test_run_of_a_worker_that_stops_gives_its_request_back(status):
    assert start(status, worker_is_stopping=True) is Start.REQUEUE


@pytest.mark.parametrize("status", RUNNING)
def test_run_by_hand_saves_its_order_though_the_worker_stops(status):
    assert start(status, worker_is_stopping=True, is_dispatched=False) is Start.CLAIM


@pytest.mark.parametrize("worker_is_stopping", [False, True])
@pytest.mark.parametrize("is_dispatched", [False, True])
def test_run_that_was_terminated_cancels(worker_is_stopping, is_dispatched):
    canceling = DagsterRunStatus.CANCELING
    found = start(canceling, worker_is_stopping=worker_is_stopping, is_dispatched=is_dispatched)
    assert found is Start.CANCEL


@pytest.mark.parametrize("status", FINISHED_STATUSES)
def test_run_that_has_ended_here_is_replayed(status):
    assert start(status, has_just_run_here=True) is Start.REPLAY


def test_run_that_succeeded_is_replayed_anywhere():
    assert start(DagsterRunStatus.SUCCESS) is Start.REPLAY


@pytest.mark.parametrize("status", [DagsterRunStatus.FAILURE, DagsterRunStatus.CANCELED])
def test_run_that_has_ended_otherwise_is_refused(status):
    assert start(status) is Start.REFUSE
