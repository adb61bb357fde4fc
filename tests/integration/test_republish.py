"""A run that nobody has claimed for long: delivered again while a worker may take it, else its request is free."""

from collections.abc import Iterator

import pytest
from dagster import (
    DagsterEvent,
    DagsterEventType,
    DagsterInstance,
    DagsterRun,
    DagsterRunStatus,
    SensorResult,
    build_sensor_context,
)

from castad.dagster_storage.event_log import claim_run
from castad.dagster_storage.home import make_dagster_home
from resources.dagster.request_resource import ATTEMPT_TAG, TASK_ID_TAG
from resources.ledger.db.database import Database
from resources.ledger.schema.tables import Status
from resources.process.settings import settings
from sensors.report_job import report_job
from sensors.rescue import republish_stale_runs, republish_unclaimed, rescue_sensor
from tests.ledger_steps import Steps
from tests.song_video import RECONSTRUCTABLE, song_video


class Broker:
    """Takes whatever is delivered, or nothing, and remembers it."""

    def __init__(self, *, takes: bool = True) -> None:
        self.delivered: list[str] = []
        self._takes = takes

    def publish_run(self, run_id: str) -> bool:
        self.delivered.append(run_id)
        return self._takes

    def ensure_worker(self) -> None:
        """It needs none."""


@pytest.fixture
def instance() -> Iterator[DagsterInstance]:
    with DagsterInstance.from_config(str(make_dagster_home(settings()))) as opened:
        yield opened


@pytest.fixture
def run(instance: DagsterInstance, ledger: Database) -> DagsterRun:
    """The run of a request that was dispatched and not claimed."""
    steps = Steps(ledger)
    steps.order()
    steps.dispatch()
    return instance.create_run_for_job(
        song_video,
        run_config={"customer_name": "a", "region": "b"},
        tags={**song_video.tags, TASK_ID_TAG: "r", ATTEMPT_TAG: "1"},
        status=DagsterRunStatus.STARTING,
        job_code_origin=RECONSTRUCTABLE.get_python_origin(),
    )


def test_late_run_that_waits_is_delivered_again(instance, ledger, run):
    broker = Broker()
    republish_unclaimed(instance, broker, ledger, grace=0)
    assert (broker.delivered, Steps(ledger).row().status) == ([run.run_id], Status.DISPATCHED)


def test_late_run_that_was_taken_once_gives_its_request_back(instance, ledger, run):
    claim_run(instance, run.run_id)
    launched_again = DagsterEvent(DagsterEventType.RUN_STARTING.value, job_name=run.job_name)
    instance.report_dagster_event(launched_again, run.run_id)
    broker = Broker()
    republish_unclaimed(instance, broker, ledger, grace=0)
    assert (broker.delivered, Steps(ledger).row().status) == ([], Status.PENDING)


def test_broker_that_takes_no_run_is_asked_once_for_all_that_wait(instance, ledger):
    for _ in range(3):
        instance.create_run_for_job(
            song_video,
            run_config={"customer_name": "a", "region": "b"},
            tags=song_video.tags,
            status=DagsterRunStatus.STARTING,
        )
    broker = Broker(takes=False)
    republish_stale_runs(instance, broker, ledger, grace=0)
    assert len(broker.delivered) == 1


def test_run_of_a_schedule_that_no_worker_began_is_published_again(instance, ledger):
    tags = {**report_job.tags, "dagster/schedule_name": "report"}
    status = DagsterRunStatus.STARTING
    run = instance.create_run_for_job(report_job, tags=tags, status=status)
    broker = Broker()
    republish_stale_runs(instance, broker, ledger, grace=0)
    assert broker.delivered == [run.run_id]


def test_rescue_goes_on_though_runs_cannot_be_looked_after(monkeypatch):
    monkeypatch.setenv("CASTAD_BROKER_URL", "redis://127.0.0.1:1/0")
    monkeypatch.setenv("CASTAD_DISPATCH_GRACE", "0.001")
    settings.cache_clear()
    with DagsterInstance.from_config(str(make_dagster_home(settings()))) as instance:
        instance.create_run_for_job(
            song_video,
            run_config={"customer_name": "a", "region": "b"},
            tags={**song_video.tags, ATTEMPT_TAG: "not a number"},
            status=DagsterRunStatus.STARTING,
        )
        result = rescue_sensor(build_sensor_context(instance))
    assert isinstance(result, SensorResult)
    assert result.skip_reason is not None
    assert "republishing unclaimed runs failed" in str(result.skip_reason.skip_message)
    assert result.cursor
