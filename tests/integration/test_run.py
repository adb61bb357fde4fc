"""A run of the job on a real Dagster instance and a real ledger, with the studio or fake vendors behind it."""

import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from dagster import (
    DagsterEventType,
    DagsterInstance,
    DagsterRun,
    DagsterRunStatus,
    JobDefinition,
    OpExecutionContext,
    ReexecutionOptions,
    ResourceParam,
    execute_job,
    in_process_executor,
    job,
    op,
)
from dagster._core.definitions.job_base import InMemoryJob
from dagster._core.execution.api import execute_run_iterator
from dagster._core.execution.execute_in_process_result import ExecuteInProcessResult
from pydantic import BaseModel
from sqlalchemy import create_engine, select, text

from pipeline_defs.pipeline import BoughtStage, Pipeline
from pipeline_defs.stage import StageExecution, make_op_retry_policy, run_stage
from resources.contract.errors import OutOfCreditsError, TransientError
from resources.contract.protocol import InProgress, StageSettings
from resources.dagster.request_resource import (
    ATTEMPT_TAG,
    RETRY_TAG,
    TASK_ID_TAG,
    RunPlan,
    request_resource,
    worker_process,
)
from resources.files.artifacts import ArtifactStore
from resources.ledger.db.database import Database, open_database
from resources.ledger.limits import Limits
from resources.ledger.queries.overview import build_overview
from resources.ledger.queries.status import get_request, list_event_views, list_requests, read_clock
from resources.ledger.schema.tables import JobStatus, Status, provider_jobs
from resources.ledger.transitions.dispatch import dispatch_due_requests
from resources.ledger.transitions.orders import cancel_request
from resources.ledger.workers.attempt import Attempt
from resources.ledger.workers.worker import Worker
from resources.process.settings import PROJECT_ROOT, Settings, settings
from resources.purchase.attempt_ledger import AttemptLedger
from tests.eventually import eventually
from tests.fakes.faults import Fault
from tests.fakes.vendor import Vendor
from tests.integration.vendor_house import FAST, ONE_EACH, open_vendors, set_environment
from tests.ledger_steps import Steps
from tests.one_order import submit_order
from tests.quiet_dagster import NO_TELEMETRY, quiet_instance
from tests.song_video import NAME, RECONSTRUCTABLE, SONG_VIDEO, same_brief, song_video, stage_plan

BRIEF = {"customer_name": "봄날 베이커리", "region": "전주", "duration_seconds": 10}
ALL_STAGES = ["lyric", "song", "video"]


@pytest.fixture(autouse=True)
def fast_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short waits, and retries that are due long after the test."""
    monkeypatch.setenv("CASTAD_POLL_SECONDS", "0.05")
    monkeypatch.setenv("CASTAD_WATCH_SECONDS", "0.05")
    monkeypatch.setenv("CASTAD_STEP_RETRY_DELAY", "0.01")


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[DagsterInstance]:
    """A Dagster of this test's own."""
    with quiet_instance(tmp_path / "dagster") as made:
        yield made


@pytest.fixture
def ledger(sqlite_ledger_url: str) -> Database:
    """The ledger that runs of this test use."""
    return open_database(sqlite_ledger_url)


def order(ledger: Database, task_id: str = "shop-1", **fields: Any) -> None:
    payload = SONG_VIDEO.normalize({**BRIEF, **fields})
    submit_order(ledger, task_id, payload, pipeline=NAME, source="test", same_order=same_brief)


def run_by_hand(instance: DagsterInstance, **config: Any) -> ExecuteInProcessResult:
    return song_video.execute_in_process(
        run_config={**BRIEF, **config}, instance=instance, raise_on_error=False
    )


def run_dispatched(
    instance: DagsterInstance, ledger: Database, task_id: str = "shop-1"
) -> ExecuteInProcessResult:
    dispatch_due_requests(ledger, Limits(1, 30))
    request = get_request(ledger, task_id)
    return song_video.execute_in_process(
        run_config={"task_id": task_id},
        instance=instance,
        raise_on_error=False,
        tags={TASK_ID_TAG: task_id, ATTEMPT_TAG: str(request.attempt)},
    )


def status_of(instance: DagsterInstance, result: ExecuteInProcessResult) -> DagsterRunStatus:
    run = instance.get_run_by_id(result.run_id)
    assert run is not None
    return run.status


def tags_of(instance: DagsterInstance, result: ExecuteInProcessResult) -> dict[str, str]:
    run = instance.get_run_by_id(result.run_id)
    assert run is not None
    return dict(run.tags)


def last_sentence(instance: DagsterInstance, result: ExecuteInProcessResult) -> str:
    return "\n".join(entry.message for entry in instance.all_logs(result.run_id))


@dataclass(frozen=True)
class Finished:
    """One order that was made, for the tests that only look at it afterwards."""

    home: Path
    result: ExecuteInProcessResult


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    home = tmp_path_factory.mktemp("finished")
    with (
        open_vendors(tmp_path_factory.mktemp("vendors"), {}) as vendors,
        pytest.MonkeyPatch.context() as patch,
        quiet_instance(tmp_path_factory.mktemp("dagster")) as instance,
    ):
        set_environment(patch, {**FAST, "CASTAD_HOME": str(home), **vendors.environment()})
        ledger = open_database(settings().ledger_url)
        order(ledger)
        yield Finished(home, run_dispatched(instance, ledger))
    settings.cache_clear()


@pytest.fixture
def finished(
    made_once: Finished, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> tuple[Finished, Database]:
    """A copy of the finished order's state folder, to do with as a test likes."""
    home = tmp_path / "copy"
    shutil.copytree(made_once.home, home)
    monkeypatch.setenv("CASTAD_HOME", str(home))
    settings.cache_clear()
    return made_once, open_database(settings().ledger_url)


def unusable_picture(**fields: Any) -> dict[str, Any]:
    """A brief whose video cannot be made: nobody has uploaded its picture."""
    return {"images": [f"upload:{'0' * 64}"], **fields}


def test_dispatched_run_completes_its_request(finished):
    made, ledger = finished
    assert made.result.success
    assert get_request(ledger, "shop-1").status is Status.COMPLETED


def test_completed_request_has_a_whole_video_file(finished):
    _, ledger = finished
    video = build_overview(ledger, "shop-1").stages[-1].result
    assert video is not None
    movie = Path(settings().home / "artifacts" / video["files"][0]["where"])
    assert movie.stat().st_size == video["files"][0]["bytes"]


def test_every_product_is_shown_in_the_catalog_once(finished):
    made, _ = finished
    shown = [event.asset_key for event in made.result.get_asset_materialization_events()]
    assert [key.path for key in shown if key] == [[NAME, stage] for stage in ALL_STAGES]


def test_run_without_a_row_registers_its_own_order(instance, ledger):
    result = run_by_hand(instance, **unusable_picture())
    request = list_requests(ledger)[0]
    assert (request.task_id, request.source) == (f"run-{result.run_id[:8]}", "dagster")


def test_own_order_is_never_seen_as_pending(instance, ledger):
    run_by_hand(instance, task_id="mine", **unusable_picture())
    types = [event.type for event in list_event_views(ledger, get_request(ledger, "mine"))]
    assert types[:2] == ["created", "claimed"]


def test_claimed_run_carries_the_task_id(instance, ledger):
    result = run_by_hand(instance, task_id="mine", **unusable_picture())
    tags = tags_of(instance, result)
    assert (tags[TASK_ID_TAG], tags[ATTEMPT_TAG]) == ("mine", "1")


def test_other_order_under_a_taken_task_id_ends_canceled(instance, ledger):
    order(ledger)
    result = run_by_hand(instance, task_id="shop-1", region="부산")
    assert status_of(instance, result) is DagsterRunStatus.CANCELED
    assert "belongs to another order" in last_sentence(instance, result)
    assert get_request(ledger, "shop-1").seq == 1


def test_same_order_under_a_taken_task_id_works_on_it(instance, ledger):
    order(ledger, **unusable_picture())
    result = run_by_hand(instance, task_id="shop-1", **unusable_picture())
    assert get_request(ledger, "shop-1").run_id == result.run_id


def test_run_of_an_old_attempt_touches_nothing(instance, ledger):
    order(ledger)
    dispatch_due_requests(ledger, Limits(1, 30))
    before = get_request(ledger, "shop-1")
    stale = song_video.execute_in_process(
        run_config={**BRIEF, "task_id": "shop-1"},
        instance=instance,
        raise_on_error=False,
        tags={TASK_ID_TAG: "shop-1", ATTEMPT_TAG: "0"},
    )
    assert status_of(instance, stale) is DagsterRunStatus.CANCELED
    assert get_request(ledger, "shop-1") == before


def test_run_of_a_canceled_request_is_refused(instance, ledger):
    order(ledger)
    cancel_request(ledger, "shop-1")
    result = run_by_hand(instance, task_id="shop-1")
    assert status_of(instance, result) is DagsterRunStatus.CANCELED
    assert "was canceled" in last_sentence(instance, result)


def test_run_by_hand_beyond_the_slots_of_its_pipeline_leaves_its_order_to_the_sensor(
    instance, ledger, monkeypatch
):
    monkeypatch.setenv("CASTAD_SLOTS_SONG_VIDEO", "1")
    settings.cache_clear()
    order(ledger)
    dispatch_due_requests(ledger, Limits(1, 30))
    result = run_by_hand(instance, task_id="mine")
    assert status_of(instance, result) is DagsterRunStatus.CANCELED
    assert "its slot is taken; request mine is pending" in last_sentence(instance, result)
    assert get_request(ledger, "mine").status is Status.PENDING


def test_run_on_a_completed_request_buys_nothing(instance, finished):
    _, ledger = finished
    stages = build_overview(ledger, "shop-1").stages
    again = run_by_hand(instance, task_id="shop-1")
    assert again.success
    assert build_overview(ledger, "shop-1").stages == stages
    assert last_sentence(instance, again).count("nothing was bought") == len(ALL_STAGES)


def test_replayed_request_stays_completed(instance, finished):
    _, ledger = finished
    run_by_hand(instance, task_id="shop-1")
    request = get_request(ledger, "shop-1")
    assert (request.status, request.attempt) == (Status.COMPLETED, 2)
    assert len(build_overview(ledger, request.task_id).attempts) == 2


def test_run_whose_picture_is_missing_fails_before_anything_is_made(instance, ledger):
    order(ledger, **unusable_picture())
    result = run_dispatched(instance, ledger)
    assert status_of(instance, result) is DagsterRunStatus.FAILURE
    statuses = {view.stage: view.status for view in build_overview(ledger, "shop-1").stages}
    assert statuses == {"lyric": "failed"}


def test_permanent_failure_is_dead_and_says_which_field(instance, ledger):
    order(ledger, **unusable_picture())
    run_dispatched(instance, ledger)
    request = get_request(ledger, "shop-1")
    assert (request.status, request.error_code) == (Status.DEAD, "artifact_missing")
    assert (request.error_message or "").startswith("images[0]: ")


def test_transient_failure_shows_the_retry_policy_on_the_run(instance, ledger, monkeypatch):
    monkeypatch.setenv("CASTAD_ALLOW_HOSTS", "127.0.0.1")
    monkeypatch.setenv("CASTAD_RETRY_LYRIC", "120")
    settings.cache_clear()
    order(ledger, images=["http://127.0.0.1:9/none.jpg"])
    result = run_dispatched(instance, ledger)
    request = get_request(ledger, "shop-1")
    assert (request.status, request.error_code) == (Status.FAILED, "image_unreachable")
    due = f"{request.not_before:%Y-%m-%d %H:%M:%S} UTC"
    assert tags_of(instance, result)[RETRY_TAG] == f"1 of 3, next at {due}"


def test_attempt_that_fails_with_retries_left_is_no_failed_run_and_says_what_follows(
    instance, ledger, monkeypatch
):
    monkeypatch.setenv("CASTAD_ALLOW_HOSTS", "127.0.0.1")
    settings.cache_clear()
    order(ledger, images=["http://127.0.0.1:9/none.jpg"])
    result = run_dispatched(instance, ledger)
    assert status_of(instance, result) is DagsterRunStatus.CANCELED
    assert "[image_unreachable]; retry 1 of 3, next at " in last_sentence(instance, result)


def test_last_attempt_of_an_order_is_a_failed_run(instance, ledger, monkeypatch):
    monkeypatch.setenv("CASTAD_ALLOW_HOSTS", "127.0.0.1")
    settings.cache_clear()
    order(ledger, images=["http://127.0.0.1:9/none.jpg"])
    with ledger.writing() as tx:
        tx.execute(text("UPDATE requests SET max_retries = 0"))
    result = run_dispatched(instance, ledger)
    assert get_request(ledger, "shop-1").status is Status.DEAD
    assert status_of(instance, result) is DagsterRunStatus.FAILURE


def test_reexecution_from_failure_reuses_what_is_done(ledger, monkeypatch, tmp_path):
    recipe = RECONSTRUCTABLE
    with (
        open_vendors(tmp_path, {}) as vendors,
        DagsterInstance.local_temp(str(tmp_path), overrides=NO_TELEMETRY) as instance,
    ):
        set_environment(monkeypatch, {**FAST, **vendors.environment()})
        vendors.creatomate.script(Fault("status", "dry_run", code=400, body={"hint": "bad"}))
        config = {**BRIEF, "task_id": "mine"}
        with execute_job(recipe, instance=instance, run_config=config) as failed:
            assert not failed.success
        options = ReexecutionOptions.from_failure(failed.run_id, instance)
        with execute_job(recipe, instance=instance, reexecution_options=options) as again:
            assert again.success
            assert {event.step_key for event in again.get_step_success_events()} == {"video"}
        assert vendors.charges() == ONE_EACH
    request = get_request(ledger, "mine")
    assert request.status is Status.COMPLETED
    assert [view.attempts for view in build_overview(ledger, request.task_id).stages] == [1, 1, 2]


def test_request_of_an_unfinished_selection_is_due_again_as_a_retry(instance, ledger):
    song_video.execute_in_process(
        run_config={**BRIEF, "task_id": "mine"}, instance=instance, op_selection=["lyric"]
    )
    request = get_request(ledger, "mine")
    assert (request.status, request.error_code) == (Status.FAILED, "run_ended")
    assert request.retry_count == 1


@pytest.mark.parametrize(
    ("payload", "fields"),
    [
        ('{"customer_name": "봄날", "region": "전주", "language": "Klingon"}', ("language",)),
        ('{"region": "전주"}', ("customer_name",)),
        ("[]", ("payload", "customer_name")),
        ("{broken", ("payload", "customer_name")),
    ],
    ids=["a bad field", "a missing field", "no object", "no JSON"],
)
def test_payload_edited_after_dispatch_into_nonsense_is_dead_and_names_the_field(
    instance, ledger, payload, fields
):
    order(ledger)
    dispatch_due_requests(ledger, Limits(1, 30))
    with ledger.writing() as tx:
        tx.execute(text("UPDATE requests SET payload = :payload"), {"payload": payload})
    song_video.execute_in_process(
        run_config={**BRIEF, "task_id": "shop-1"},
        instance=instance,
        raise_on_error=False,
        tags={TASK_ID_TAG: "shop-1", ATTEMPT_TAG: "1"},
    )
    request = get_request(ledger, "shop-1")
    assert request.status is Status.DEAD
    assert request.error_code == "invalid_payload"
    assert (request.error_message or "").partition(": ")[0] in fields


# One stage made by a vendor in memory


class Thing(BaseModel):
    """What the vendor makes."""

    job: str


class Nothing(BaseModel):
    """An order without a field."""


ONE_STAGE = Pipeline(
    name="one_stage",
    title="One song",
    order_model=Nothing,
    stages=(
        BoughtStage(
            "song",
            Thing,
            "Make a song",
            job_input=lambda brief, task_id, products: {},
            makers=("vendor",),
        ),
    ),
    example={},
    summary=lambda brief: "",
)


@dataclass
class OneStage:
    """A job of one stage, and the attempt of its latest run."""

    vendor: Vendor
    store: ArtifactStore
    instance: DagsterInstance
    ledger: Database
    attempt: Attempt | None = None
    config: Mapping[str, Any] = field(default_factory=lambda: {"task_id": "r", "order": "{}"})

    def provider(self, stage: StageSettings) -> Vendor:
        return self.vendor

    @property
    def settings(self) -> Settings:
        return settings()

    def run(self) -> ExecuteInProcessResult:
        return self.job().execute_in_process(instance=self.instance, raise_on_error=False)

    def job(self) -> JobDefinition:
        deadline = settings().stage_deadline
        plan = RunPlan(
            "one_stage",
            ONE_STAGE.is_same_order,
            lambda order: None,
            lambda: stage_plan("song", deadline=deadline),
            lambda: None,
        )
        request = request_resource(plan).configured(self.config)

        @op(retry_policy=make_op_retry_policy())
        def song(
            context: OpExecutionContext,
            request: ResourceParam[Attempt],
        ) -> None:
            self.attempt = request
            stage = ONE_STAGE.stages[0]
            ledger = AttemptLedger(request, request.stage("song"))
            execution = StageExecution(ONE_STAGE, stage, {}, lambda *of: {}, ledger)
            run_stage(context, request, self, execution)

        @job(executor_def=in_process_executor, resource_defs={"request": request})
        def one_stage() -> None:
            song()

        return one_stage

    @property
    def request(self) -> Any:
        return get_request(self.ledger, "r")

    def jobs(self) -> list[str]:
        with self.ledger.reading() as tx:
            query = select(provider_jobs.c.status).order_by(provider_jobs.c.id)
            return list(tx.execute(query).scalars())


@pytest.fixture
def one_stage(instance: DagsterInstance, ledger: Database, tmp_path: Path) -> OneStage:
    return OneStage(Vendor(), ArtifactStore(tmp_path / "artifacts"), instance, ledger)


def waits_before_a_quick_retry(result: ExecuteInProcessResult) -> list[Any]:
    retries = [event for event in result.all_events if event.is_step_up_for_retry]
    return [event.step_retry_data.seconds_to_wait for event in retries]


def test_quick_retry_waits_as_long_as_the_vendor_asked(one_stage):
    one_stage.vendor.wrong["before_submit"] = TransientError("busy", retry_after=0.02)
    result = one_stage.run()
    assert (result.success, waits_before_a_quick_retry(result)) == (True, [0.02])


def test_long_wait_that_a_vendor_asked_for_is_left_to_the_ledger(one_stage):
    one_stage.vendor.wrong["before_submit"] = TransientError("maintenance", retry_after=900)
    assert waits_before_a_quick_retry(one_stage.run()) == []
    assert (one_stage.request.not_before - read_clock(one_stage.ledger)).total_seconds() > 800


def test_run_that_waits_for_a_person_ends_canceled_and_says_why(instance, ledger):
    payload = SONG_VIDEO.normalize(BRIEF)
    submit_order(
        *(ledger, "shop-1", payload),
        **{"pipeline": NAME, "source": "test", "same_order": same_brief, "hold": "lyric"},
    )
    result = run_dispatched(instance, ledger)
    assert status_of(instance, result) is DagsterRunStatus.CANCELED
    assert "lyric: the order waits until a person approves it" in last_sentence(instance, result)
    request = get_request(ledger, "shop-1")
    assert (request.status, request.held_stage) == (Status.PENDING, "lyric")
    assert dispatch_due_requests(ledger, Limits(1, 30)) == []


def test_run_that_waits_for_a_paused_provider_ends_canceled_and_says_why(one_stage):
    one_stage.vendor.wrong["before_submit"] = OutOfCreditsError("no credits left")
    result = one_stage.run()
    assert status_of(one_stage.instance, result) is DagsterRunStatus.CANCELED
    assert "no credits left; the order waits for vendor" in last_sentence(
        one_stage.instance, result
    )
    assert one_stage.request.status is Status.PENDING


@contextmanager
def held_by_another_program(ledger: Database) -> Iterator[None]:
    """Nobody else can write in the ledger, and everybody can read."""
    engine = create_engine(ledger.url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        yield
        connection.exec_driver_sql("ROLLBACK")
    engine.dispose()


def test_run_whose_lease_could_not_be_renewed_waits_and_goes_on(one_stage, monkeypatch):
    monkeypatch.setenv("CASTAD_LEASE_SECONDS", "0.2")
    monkeypatch.setenv("CASTAD_BEAT_SECONDS", "0.1")
    settings.cache_clear()

    def outlive_the_lease() -> None:
        one_stage.vendor.while_working = lambda: None
        with held_by_another_program(one_stage.ledger):
            while lease_holds(one_stage.ledger):
                threading.Event().wait(0.01)

    one_stage.vendor.while_working = outlive_the_lease
    assert one_stage.run().success
    assert (one_stage.jobs(), len(one_stage.vendor.charged)) == ([JobStatus.SUCCEEDED], 1)
    assert (one_stage.request.attempt, one_stage.request.deaths) == (1, 0)


def lease_holds(ledger: Database) -> bool:
    return get_request(ledger, "r").lease_holds(read_clock(ledger))


# The worker is told to stop


@pytest.fixture
def worker() -> Iterator[Worker]:
    """This process as a worker, as a Celery worker is one: its runs share it."""
    with worker_process.shared_worker(settings(), slots=3) as (_, worker):
        yield worker


@dataclass(frozen=True)
class HandedOver:
    """A run whose worker was told to stop while it waited for its vendor."""

    one_stage: OneStage
    result: ExecuteInProcessResult


@pytest.fixture
def handed_over(one_stage: OneStage) -> HandedOver:
    with (
        worker_process.shared_worker(settings(), slots=3) as (_, worker),
        ThreadPoolExecutor(1) as pool,
    ):
        one_stage.vendor.while_working = worker.drain
        one_stage.vendor.progress = [InProgress()] * 1000
        # As in a worker, whose runs are threads: no signal reaches them.
        return HandedOver(one_stage, pool.submit(one_stage.run).result())


def test_run_of_a_worker_that_stops_ends_canceled_and_says_why(handed_over):
    instance = handed_over.one_stage.instance
    assert status_of(instance, handed_over.result) is DagsterRunStatus.CANCELED
    assert "the worker is stopping; the request is pending again" in last_sentence(
        instance, handed_over.result
    )


def test_request_of_a_worker_that_stops_is_due_again_with_nothing_counted(handed_over):
    request = handed_over.one_stage.request
    assert (request.status, request.retry_count, request.deaths) == (Status.PENDING, 0, 0)


def test_run_after_a_hand_over_goes_on_with_what_was_bought(handed_over):
    one_stage = handed_over.one_stage
    one_stage.vendor.while_working = lambda: None
    one_stage.vendor.progress = []
    assert one_stage.run().success
    assert (one_stage.jobs(), len(one_stage.vendor.charged)) == ([JobStatus.SUCCEEDED], 1)


def test_worker_that_is_told_to_stop_while_an_order_is_sent_saves_its_outcome(one_stage, worker):
    one_stage.vendor.while_sending = worker.drain
    one_stage.run()
    assert (one_stage.jobs(), one_stage.request.status) == ([JobStatus.SUBMITTED], Status.PENDING)


def test_work_that_costs_nothing_is_stopped_with_its_worker(one_stage, worker):
    one_stage.vendor.cost = 0
    one_stage.vendor.progress = [InProgress()]
    one_stage.vendor.while_working = worker.drain
    one_stage.run()
    assert one_stage.vendor.canceled == ["job-1"]


def test_trouble_of_a_worker_that_stops_is_not_sat_out(one_stage, worker):
    one_stage.vendor.while_sending = worker.drain
    one_stage.vendor.wrong["after_submit"] = TransientError("busy")
    assert waits_before_a_quick_retry(one_stage.run()) == []
    assert (one_stage.request.status, one_stage.request.retry_count) == (Status.PENDING, 0)


def test_run_that_has_not_claimed_when_its_worker_stops_gives_its_request_back(
    instance, ledger, worker
):
    order(ledger)
    worker.drain()
    result = run_dispatched(instance, ledger)
    request = get_request(ledger, "shop-1")
    assert status_of(instance, result) is DagsterRunStatus.CANCELED
    assert (request.status, build_overview(ledger, request.task_id).attempts) == (
        Status.PENDING,
        [],
    )


def test_run_by_hand_of_a_worker_that_stops_leaves_its_order_to_the_next(instance, ledger, worker):
    worker.drain()
    run_by_hand(instance, task_id="mine")
    request = get_request(ledger, "mine")
    assert (request.status, build_overview(ledger, request.task_id).stages) == (Status.PENDING, [])


# Asked to stop while a vendor is slow to answer


@pytest.fixture
def answers(one_stage: OneStage, worker: Worker) -> Iterator[threading.Event]:
    """A run is at work whose vendor has taken the order and answers once this is set; in the end it is over."""
    answers = threading.Event()
    one_stage.vendor.while_sending = answers.wait
    with ThreadPoolExecutor(1) as pool:
        pool.submit(one_stage.run)
        try:
            assert eventually(lambda: bool(one_stage.vendor.charged))
            yield answers
        finally:
            answers.set()


def ordered_as(one_stage: OneStage) -> list[str | None]:
    with one_stage.ledger.reading() as tx:
        return list(tx.execute(select(provider_jobs.c.external_id)).scalars())


@pytest.mark.usefixtures("answers")
def test_request_canceled_while_a_vendor_is_asked_is_canceled_before_it_answers(one_stage):
    cancel_request(one_stage.ledger, "r")
    assert eventually(lambda: one_stage.request.status is Status.CANCELED)
    assert eventually(lambda: one_stage.instance.get_runs()[0].status is DagsterRunStatus.CANCELED)


def test_answer_to_a_request_that_was_canceled_meanwhile_is_stored(one_stage, answers):
    cancel_request(one_stage.ledger, "r")
    assert eventually(lambda: one_stage.request.status is Status.CANCELED)
    answers.set()
    assert eventually(lambda: ordered_as(one_stage) == ["job-1"])


# Ended before it began, or begun twice


@pytest.fixture
def dispatched(one_stage: OneStage) -> DagsterRun:
    """The run of a dispatched request, not begun."""
    submit_order(
        one_stage.ledger, "r", {}, pipeline="one_stage", source="test", same_order=same_brief
    )
    dispatch_due_requests(one_stage.ledger, Limits(1, 30))
    tags = {TASK_ID_TAG: "r", ATTEMPT_TAG: "1"}
    return one_stage.instance.create_run_for_job(one_stage.job(), tags=tags)


def begin(one_stage: OneStage, run: DagsterRun, once_started: Callable[[], object]) -> None:
    """As a worker executes a run that somebody else created; something happens before it claims."""
    events = execute_run_iterator(InMemoryJob(one_stage.job()), run, one_stage.instance)
    next(events)
    once_started()
    deque(events, maxlen=0)


def is_about_to_claim(one_stage: OneStage, run: DagsterRun) -> bool:
    begun = DagsterEventType.RESOURCE_INIT_STARTED
    return bool(one_stage.instance.all_logs(run.run_id, of_type=begun))


def status_now(one_stage: OneStage, run: DagsterRun) -> DagsterRunStatus | None:
    now = one_stage.instance.get_run_by_id(run.run_id)
    return now.status if now else None


def test_run_terminated_before_its_claim_cancels_its_request_and_buys_nothing(
    one_stage, dispatched
):
    begin(one_stage, dispatched, lambda: one_stage.instance.report_run_canceling(dispatched))
    assert status_now(one_stage, dispatched) is DagsterRunStatus.CANCELED
    assert (one_stage.request.status, one_stage.vendor.charged) == (Status.CANCELED, [])


@pytest.mark.parametrize(
    ("end", "run_is", "request_is"),
    [
        (DagsterInstance.report_run_canceling, DagsterRunStatus.CANCELED, {Status.CANCELED}),
        # Where it ends before the look already, nothing is claimed: `rescue_sensor` gives such a request back.
        (
            DagsterInstance.report_run_canceled,
            DagsterRunStatus.CANCELED,
            {Status.CANCELED, Status.DISPATCHED},
        ),
        (
            DagsterInstance.report_run_failed,
            DagsterRunStatus.FAILURE,
            {Status.PENDING, Status.DISPATCHED},
        ),
    ],
)
def test_run_that_is_ended_while_its_claim_waits_lets_its_request_go_and_buys_nothing(
    one_stage, dispatched, worker, end, run_is, request_is
):
    with ThreadPoolExecutor(1) as pool:
        with held_by_another_program(one_stage.ledger):
            begun = pool.submit(begin, one_stage, dispatched, lambda: None)
            assert eventually(lambda: is_about_to_claim(one_stage, dispatched))
            end(one_stage.instance, dispatched)
        begun.result()
    assert status_now(one_stage, dispatched) is run_is
    assert one_stage.request.status in request_is
    assert one_stage.vendor.charged == []


def test_run_terminated_before_its_claim_leaves_the_next_attempt_alone(one_stage, dispatched):
    Steps(one_stage.ledger).undelivered()
    dispatch_due_requests(one_stage.ledger, Limits(1, 30))
    begin(one_stage, dispatched, lambda: one_stage.instance.report_run_canceling(dispatched))
    assert (one_stage.request.status, one_stage.request.attempt) == (Status.DISPATCHED, 2)


def test_run_that_was_closed_before_its_claim_stays_canceled(one_stage, dispatched):
    begin(one_stage, dispatched, lambda: one_stage.instance.report_run_canceled(dispatched))
    assert status_now(one_stage, dispatched) is DagsterRunStatus.CANCELED
    assert (one_stage.request.status, one_stage.vendor.charged) == (Status.DISPATCHED, [])


def test_reexecution_of_a_run_that_was_lost_before_its_claim_brings_its_order(one_stage):
    lost = one_stage.instance.create_run_for_job(one_stage.job())
    begin(one_stage, lost, lambda: one_stage.instance.report_run_failed(lost))
    again = one_stage.instance.create_run_for_job(
        one_stage.job(), parent_run_id=lost.run_id, root_run_id=lost.run_id
    )
    begin(one_stage, again, lambda: None)
    assert (status_now(one_stage, again), one_stage.request.status) == (
        DagsterRunStatus.SUCCESS,
        Status.COMPLETED,
    )


class Heard(logging.Handler):
    """Sets an event when a log says something."""

    def __init__(self, words: str, event: threading.Event) -> None:
        super().__init__()
        self._words = words
        self._event = event

    def emit(self, record: logging.LogRecord) -> None:
        if self._words in record.getMessage():
            self._event.set()


@pytest.mark.usefixtures("worker")
def test_run_that_is_delivered_twice_is_made_once_and_not_disturbed(one_stage, dispatched):
    at_work, came_again = threading.Event(), threading.Event()

    def wait_for_the_other() -> None:
        at_work.set()
        came_again.wait(60)

    one_stage.vendor.while_working = wait_for_the_other
    log, heard = logging.getLogger("castad.request"), Heard("delivered twice", came_again)
    log.addHandler(heard)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(begin, one_stage, dispatched, lambda: None)
        assert at_work.wait(60)
        pool.submit(begin, one_stage, dispatched, lambda: None).result()
        first.result()
    log.removeHandler(heard)
    assert came_again.is_set()
    assert status_now(one_stage, dispatched) is DagsterRunStatus.SUCCESS
    assert (one_stage.request.status, len(one_stage.vendor.charged)) == (Status.COMPLETED, 1)
    types = [event.type for event in list_event_views(one_stage.ledger, one_stage.request)]
    assert types.count("claimed") == 1


# Signals, where the run is the main thread's


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_interrupt_while_an_order_is_sent_waits_until_it_is_saved(one_stage, number):
    one_stage.vendor.while_sending = lambda: signal.raise_signal(number)
    result = one_stage.run()
    assert status_of(one_stage.instance, result) is DagsterRunStatus.CANCELED
    assert (one_stage.jobs(), one_stage.request.status) == ([JobStatus.SUBMITTED], Status.PENDING)


def test_interrupt_while_an_order_is_refused_still_ends_the_run(one_stage):
    def interrupt_once() -> None:
        one_stage.vendor.while_sending = lambda: None
        signal.raise_signal(signal.SIGTERM)

    one_stage.vendor.while_sending = interrupt_once
    one_stage.vendor.wrong["after_submit"] = TransientError("busy")
    result = one_stage.run()
    assert status_of(one_stage.instance, result) is DagsterRunStatus.CANCELED
    assert (one_stage.request.status, one_stage.request.retry_count) == (Status.PENDING, 0)


def test_run_after_an_interrupted_one_goes_on_with_what_was_sent(one_stage):
    one_stage.vendor.while_sending = lambda: signal.raise_signal(signal.SIGTERM)
    one_stage.run()
    assert one_stage.run().success
    assert (one_stage.jobs(), len(one_stage.vendor.charged)) == ([JobStatus.SUCCEEDED], 1)


def test_stage_that_was_not_done_in_time_is_not_waited_for_again_in_the_same_step(
    one_stage, monkeypatch
):
    monkeypatch.setenv("CASTAD_STAGE_DEADLINE", "0.01")
    settings.cache_clear()
    one_stage.vendor.progress = [InProgress(0.1)] * 100
    one_stage.run()
    request = one_stage.request
    assert (request.status, request.error_code) == (Status.FAILED, "stage_timeout")
    assert [view.attempts for view in build_overview(one_stage.ledger, request.task_id).stages] == [
        1
    ]


def test_short_trouble_is_sat_out_inside_the_step(one_stage):
    one_stage.vendor.wrong["before_submit"] = TransientError("busy")
    assert one_stage.run().success
    request = one_stage.request
    assert (request.attempt, request.retry_count) == (1, 0)


# What a shell sees


def test_last_line_of_job_execute_says_why_the_run_may_not_work(ledger, tmp_path):
    order(ledger)
    cancel_request(ledger, "shop-1")
    config = tmp_path / "order.yaml"
    fields = {**BRIEF, "task_id": "shop-1"}
    config.write_text("".join(f"{name}: {value}\n" for name, value in fields.items()))
    command = [sys.executable, "-m", "dagster", "job", "execute"]
    what = ["-m", "pipeline_defs.definitions", "-j", NAME, "-c", str(config)]
    done = subprocess.run(
        [*command, *what],
        cwd=PROJECT_ROOT,
        env={**os.environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "request shop-1 was canceled" in done.stderr.rstrip().splitlines()[-1]


# A run that names a request


def test_run_by_hand_of_a_task_id_alone_is_an_attempt_of_that_request(one_stage):
    submit_order(
        one_stage.ledger, "r", {}, pipeline="one_stage", source="test", same_order=same_brief
    )
    one_stage.config = {"task_id": "r"}
    assert one_stage.run().success
    assert one_stage.request.status is Status.COMPLETED


def test_run_by_hand_of_a_task_id_that_does_not_exist_ends_with_a_sentence(instance, ledger):
    result = song_video.execute_in_process(
        run_config={"task_id": "nosuch"}, instance=instance, raise_on_error=False
    )
    assert status_of(instance, result) is DagsterRunStatus.CANCELED


def test_run_claims_no_request_of_another_pipeline(instance, ledger):
    submit_order(ledger, "r", {}, pipeline="opera", source="test", same_order=same_brief)
    result = song_video.execute_in_process(
        run_config={"task_id": "r"}, instance=instance, raise_on_error=False
    )
    assert status_of(instance, result) is DagsterRunStatus.CANCELED
    assert get_request(ledger, "r").status is Status.PENDING
