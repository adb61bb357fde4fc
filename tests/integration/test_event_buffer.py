"""Events that are written together are the same events, in the same order, none of them lost."""

import logging
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from dagster import (
    AssetCheckEvaluation,
    AssetKey,
    AssetMaterialization,
    DagsterEvent,
    DagsterEventType,
    DagsterInstance,
    DagsterRunStatus,
    EventLogEntry,
    OpExecutionContext,
    in_process_executor,
    job,
    op,
    reconstructable,
)
from dagster._core.definitions.data_version import DATA_VERSION_TAG
from dagster._core.events import EngineEventData

from castad.dagster_storage.event_log import EventBuffer, is_deferrable
from castad.dagster_storage.home import make_dagster_home
from castad.dagster_storage.storage import open_worker_instance
from castad.engine.worker_process import execute
from resources.process.settings import settings

STARTS, ENDS = DagsterEventType.ENGINE_EVENT, DagsterEventType.RUN_SUCCESS


@op
def first(context: OpExecutionContext) -> str:
    context.log.info("said")
    context.log_event(AssetMaterialization("made", tags={DATA_VERSION_TAG: "1"}))
    return "result"


@op
def second(first: str) -> None:
    assert first


@job(executor_def=in_process_executor)
def two_steps() -> None:
    second(first())


@pytest.fixture(params=["sqlite", "postgres"])
def home(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "postgres":
        monkeypatch.setenv("CASTAD_DATABASE_URL", request.getfixturevalue("postgres_url"))
        settings.cache_clear()
    return str(make_dagster_home(settings()))


@pytest.fixture
def instance(home: str) -> Iterator[DagsterInstance]:
    with DagsterInstance.from_config(home) as opened:
        yield opened


@pytest.fixture
def grouping(home: str) -> Iterator[DagsterInstance]:
    """The instance of a worker."""
    with open_worker_instance(settings()) as opened:
        yield opened


def executed(instance: DagsterInstance) -> str:
    run = instance.create_run_for_job(
        two_steps,
        job_code_origin=reconstructable(two_steps).get_python_origin(),
        status=DagsterRunStatus.STARTING,
    )
    execute(instance, run.run_id)
    return run.run_id


def told(instance: DagsterInstance, run_id: str) -> list[tuple[str | None, str]]:
    logs = instance.all_logs(run_id)
    return [(entry.step_key, entry.dagster_event_type or entry.user_message) for entry in logs]


def test_grouped_run_tells_what_a_plain_one_tells(instance, grouping):
    plain = told(instance, executed(instance))
    assert told(instance, executed(grouping)) == plain


def test_grouped_materialization_is_in_the_catalog(grouping):
    executed(grouping)
    assert grouping.get_latest_materialization_event(AssetKey("made")) is not None


def entry(run_id: str, kind: DagsterEventType) -> EventLogEntry:
    data = EngineEventData() if kind is STARTS else None
    event = DagsterEvent(kind.value, job_name="two_steps", event_specific_data=data)
    return EventLogEntry(None, logging.INFO, "", run_id, 0.0, dagster_event=event)


def test_grouped_materialization_keeps_its_tags(grouping):
    executed(grouping)
    assert grouping.get_event_tags_for_asset(AssetKey("made")) == [{DATA_VERSION_TAG: "1"}]


def test_grouped_asset_check_does_not_wait_for_itself(grouping):
    passed = AssetCheckEvaluation(AssetKey("made"), "whole", passed=True, metadata={})
    told = DagsterEvent(
        DagsterEventType.ASSET_CHECK_EVALUATION.value, "two_steps", event_specific_data=passed
    )
    check = EventLogEntry(None, logging.INFO, "", "run", 0.0, dagster_event=told)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(grouping.event_log_storage.store_event, check).result(timeout=60)
    assert len(grouping.all_logs("run")) == 1


class Written:
    """Where groups are written to; refuses while it is told to."""

    def __init__(self) -> None:
        self.groups: list[list[EventLogEntry]] = []
        self.refuses = False

    def __call__(self, events: Sequence[EventLogEntry]) -> None:
        if self.refuses:
            raise OSError("down")
        self.groups.append(list(events))


def test_event_that_decides_nothing_is_written_with_the_one_that_does():
    written = Written()
    groups = EventBuffer(written, delay_seconds=3600)
    events = [entry("run", kind) for kind in (STARTS, STARTS, ENDS)]
    for event in events:
        groups.put(event)
    assert written.groups == [events]


def test_events_of_one_run_do_not_wait_for_those_of_another():
    written = Written()
    groups = EventBuffer(written, delay_seconds=3600)
    waiting, ending = entry("other", STARTS), entry("run", ENDS)
    groups.put(waiting)
    groups.put(ending)
    assert written.groups == [[ending]]


def test_event_that_nothing_follows_is_written_all_the_same():
    written = Written()
    groups = EventBuffer(written, delay_seconds=0.001)
    groups.put(entry("run", STARTS))
    pause = threading.Event()
    while not written.groups:
        pause.wait(0.01)
    assert len(written.groups) == 1


def test_events_that_could_not_be_written_come_first_the_next_time():
    written = Written()
    groups = EventBuffer(written, delay_seconds=3600)
    first_event, second_event = entry("run", ENDS), entry("run", ENDS)
    written.refuses = True
    with pytest.raises(OSError, match="down"):
        groups.put(first_event)
    written.refuses = False
    groups.put(second_event)
    assert written.groups == [[first_event, second_event]]


ENDINGS = ("FAILURE", "STEP_SUCCESS", "STEP_UP_FOR_RETRY", "PIPELINE_SUCCESS", "CANCEL")


@pytest.mark.parametrize(
    "kind", [kind for kind in DagsterEventType if any(end in kind.value for end in ENDINGS)]
)
def test_end_of_a_step_or_run_never_waits(kind):
    assert not is_deferrable(kind)
