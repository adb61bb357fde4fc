"""What becomes of runs that no worker has begun."""

from dataclasses import replace

import pytest
from dagster import DagsterRun

from resources.dagster.request_resource import ATTEMPT_TAG, TASK_ID_TAG
from resources.ledger.schema.tables import Status
from sensors.rescue import UnclaimedRunAction, choose_action
from tests.sample_request import DISPATCHED

REQUEST = replace(DISPATCHED, attempt=3)


def run_of(attempt: str | None, parent: str | None = None) -> DagsterRun:
    tags = {TASK_ID_TAG: DISPATCHED.task_id} | ({} if attempt is None else {ATTEMPT_TAG: attempt})
    root = None if parent is None else parent
    return DagsterRun(job_name="song_video", tags=tags, parent_run_id=parent, root_run_id=root)


def test_run_of_the_dispatched_attempt_is_left_to_its_request():
    assert choose_action(run_of("3"), REQUEST) is UnclaimedRunAction.LEAVE


def test_run_of_an_earlier_attempt_is_closed():
    assert choose_action(run_of("2"), REQUEST) is UnclaimedRunAction.CANCEL


@pytest.mark.parametrize("status", [status for status in Status if status != Status.DISPATCHED])
def test_run_whose_request_went_on_is_closed(status):
    assert choose_action(run_of("3"), replace(REQUEST, status=status)) is UnclaimedRunAction.CANCEL


def test_run_whose_request_was_deleted_is_closed():
    assert choose_action(run_of("3"), None) is UnclaimedRunAction.CANCEL


def test_run_launched_by_hand_is_delivered_again():
    assert choose_action(run_of(None), None) is UnclaimedRunAction.REPUBLISH


def test_re_execution_is_delivered_again_whatever_attempt_it_inherited():
    assert choose_action(run_of("1", parent="0" * 8), REQUEST) is UnclaimedRunAction.REPUBLISH


def test_run_that_was_taken_meanwhile_is_left_alone():
    run = run_of("3")
    at_work = replace(REQUEST, status=Status.PROCESSING, run_id=run.run_id)
    assert choose_action(run, at_work) is UnclaimedRunAction.LEAVE
