"""A Dagster run is executed at most once, however often and to whomever it is delivered."""

import logging
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from dagster import (
    DagsterEvent,
    DagsterEventType,
    DagsterInstance,
    DagsterRun,
    DagsterRunStatus,
    EventLogEntry,
    in_process_executor,
    job,
    op,
    reconstructable,
)

from castad.dagster_storage.event_log import claim_run
from castad.dagster_storage.home import make_dagster_home
from castad.engine.worker_process import execute
from resources.process.settings import settings


@op
def pass_by() -> None: ...


@job(executor_def=in_process_executor)
def passing() -> None:
    pass_by()


@pytest.fixture(params=["sqlite", "postgres"])
def instance(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[DagsterInstance]:
    if request.param == "postgres":
        monkeypatch.setenv("CASTAD_DATABASE_URL", request.getfixturevalue("postgres_url"))
        settings.cache_clear()
    with DagsterInstance.from_config(str(make_dagster_home(settings()))) as opened:
        yield opened


def waiting_run(instance: DagsterInstance) -> DagsterRun:
    recon = reconstructable(passing)
    return instance.create_run_for_job(
        passing, job_code_origin=recon.get_python_origin(), status=DagsterRunStatus.STARTING
    )


def new_run(instance: DagsterInstance) -> str:
    return waiting_run(instance).run_id


def entry_of(run_id: str, event: DagsterEvent) -> EventLogEntry:
    return EventLogEntry(
        error_info=None,
        level=logging.INFO,
        user_message="",
        run_id=run_id,
        timestamp=time.time(),
        job_name=event.job_name,
        dagster_event=event,
    )


def status_of(instance: DagsterInstance, run_id: str) -> DagsterRunStatus:
    run = instance.get_run_by_id(run_id)
    assert run is not None
    return run.status


def steps_begun(instance: DagsterInstance, run_id: str) -> int:
    return len(instance.all_logs(run_id, of_type=DagsterEventType.STEP_START))


def test_run_that_begins_leaves_the_logging_of_its_process_alone(instance):
    # Dagster's own answer is to configure it again, and two runs that do so at once wait for each other for ever.
    assert instance.get_yaml_python_handlers() == []


def test_run_ends_once_though_two_end_it(instance):
    run = waiting_run(instance)
    instance.report_run_failed(run, "its worker was lost")
    instance.report_run_canceling(run)
    instance.report_run_canceled(run)
    ends = [entry.dagster_event_type for entry in instance.all_logs(run.run_id)]
    assert status_of(instance, run.run_id) is DagsterRunStatus.FAILURE
    assert ends == [DagsterEventType.RUN_FAILURE]


def test_run_whose_end_was_logged_by_who_died_over_it_has_ended_so(instance):
    run = waiting_run(instance)
    claim_run(instance, run.run_id)
    success = DagsterEvent(DagsterEventType.RUN_SUCCESS.value, job_name="passing")
    instance.event_log_storage.store_event(entry_of(run.run_id, success))
    instance.report_run_failed(run, "its attempt ended, and it did not")
    ends = [entry.dagster_event_type for entry in instance.all_logs(run.run_id)]
    assert status_of(instance, run.run_id) is DagsterRunStatus.SUCCESS
    assert ends == [DagsterEventType.RUN_SUCCESS]


def test_run_that_is_terminated_before_its_start_is_logged_stays_terminated(instance):
    run = waiting_run(instance)
    claim_run(instance, run.run_id)
    instance.report_run_canceling(run)
    start = DagsterEvent(DagsterEventType.RUN_START.value, job_name="passing")
    instance.report_dagster_event(start, run.run_id)
    assert status_of(instance, run.run_id) is DagsterRunStatus.CANCELING


def test_run_is_taken_by_one_of_many(instance):
    run_id = new_run(instance)
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda _: claim_run(instance, run_id), range(16)))
    assert taken.count(True) == 1


def test_run_is_executed_to_its_end(instance):
    run_id = new_run(instance)
    execute(instance, run_id)
    assert status_of(instance, run_id) is DagsterRunStatus.SUCCESS


def test_run_delivered_again_after_its_end_is_left_as_it_is(instance):
    run_id = new_run(instance)
    execute(instance, run_id)
    events = len(instance.all_logs(run_id))
    execute(instance, run_id)
    assert len(instance.all_logs(run_id)) == events


def test_run_delivered_again_while_it_works_is_left_alone(instance):
    run_id = new_run(instance)
    claim_run(instance, run_id)
    execute(instance, run_id)
    assert status_of(instance, run_id) is DagsterRunStatus.STARTED
    assert steps_begun(instance, run_id) == 0


def test_run_that_dagster_launches_once_more_is_not_taken_again(instance):
    run_id = new_run(instance)
    claim_run(instance, run_id)
    launched = DagsterEvent(DagsterEventType.RUN_STARTING.value, job_name="passing")
    instance.report_dagster_event(launched, run_id)
    assert status_of(instance, run_id) is DagsterRunStatus.STARTING
    assert not claim_run(instance, run_id)


def test_run_canceled_before_its_delivery_is_not_executed(instance):
    run_id = new_run(instance)
    run = instance.get_run_by_id(run_id)
    assert run is not None
    instance.report_run_canceled(run)
    execute(instance, run_id)
    assert steps_begun(instance, run_id) == 0


def test_unknown_run_is_dropped(instance):
    execute(instance, "no-such-run")
    assert instance.get_runs() == []


def test_run_whose_code_is_gone_ends_failed(instance):
    run_id = instance.create_run_for_job(passing, status=DagsterRunStatus.STARTING).run_id
    with pytest.raises(TypeError, match="names no code origin"):
        execute(instance, run_id)
    assert status_of(instance, run_id) is DagsterRunStatus.FAILURE
