"""The run launcher: no outage of the broker fails a run, and the ledger tells who is alive."""

import socket
from collections.abc import Iterator

import pytest
from dagster import DagsterInstance, DagsterRun, DagsterRunStatus
from dagster._core.launcher import WorkerStatus

from castad.dagster_storage.home import make_dagster_home
from castad.engine.app import RECONNECT_SECONDS, make_app
from castad.engine.launcher import CastadRunLauncher
from resources.dagster.request_resource import ATTEMPT_TAG, TASK_ID_TAG
from resources.ledger.db.database import Database
from resources.ledger.queries.status import get_request
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.claims import Claimant, claim_request
from resources.ledger.transitions.rescue import rescue_expired_leases
from resources.process.settings import Settings, settings
from tests.brokers import RedisServer
from tests.ledger_steps import Steps
from tests.one_order import submit_order
from tests.song_video import RECONSTRUCTABLE, song_video

NOBODY_LISTENS = "redis://127.0.0.1:1/0"
ORDER = {"customer_name": "a", "region": "b"}


@pytest.fixture
def instance(monkeypatch: pytest.MonkeyPatch) -> Iterator[DagsterInstance]:
    monkeypatch.setenv("CASTAD_BROKER_URL", NOBODY_LISTENS)
    settings.cache_clear()
    with DagsterInstance.from_config(str(make_dagster_home(settings()))) as opened:
        yield opened


class Enough(Exception):
    """The broker was tried often enough."""


def test_worker_tries_a_broker_that_is_down_every_second_however_long_it_is_down():
    waits: list[float] = []

    def note(error: Exception, interval: float) -> None:
        waits.append(interval)
        if len(waits) == 3:
            raise Enough

    app = make_app(Settings(broker_url=NOBODY_LISTENS))
    with pytest.raises(Enough):
        app.connection_for_read().ensure_connection(note)
    assert waits == [RECONNECT_SECONDS] * 3


def new_run(instance: DagsterInstance, task_id: str | None = None) -> DagsterRun:
    tags = {} if task_id is None else {TASK_ID_TAG: task_id, ATTEMPT_TAG: "1"}
    return instance.create_run_for_job(
        song_video,
        run_config=ORDER,
        tags={**song_video.tags, **tags},
        job_code_origin=RECONSTRUCTABLE.get_python_origin(),
    )


def claimed_run(instance: DagsterInstance, db: Database, lease_seconds: float = 60) -> DagsterRun:
    submit_order(
        db, "one", ORDER, pipeline="song_video", source="test", same_order=lambda a, b: a == b
    )
    run = new_run(instance, "one")
    claimant = Claimant(run.run_id, "worker:nonce", None)
    claim_request(db, "one", claimant, lease_seconds=lease_seconds, poison_deaths=5)
    return run


def status_of(instance: DagsterInstance, run: DagsterRun) -> DagsterRunStatus:
    now = instance.get_run_by_id(run.run_id)
    assert now is not None
    return now.status


def assess_run_health(instance: DagsterInstance, run: DagsterRun) -> WorkerStatus:
    launcher = instance.run_launcher
    assert isinstance(launcher, CastadRunLauncher)
    return launcher.check_run_worker_health(run).status


def test_broker_that_is_down_leaves_the_run_waiting(instance):
    run = new_run(instance)
    instance.launch_run(run.run_id, None)  # type: ignore[arg-type]
    assert status_of(instance, run) is DagsterRunStatus.STARTING


@pytest.mark.parametrize("scheme", ["redis", "amqp"])
def test_broker_that_hangs_leaves_the_run_waiting(instance, monkeypatch, scheme):
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        monkeypatch.setenv("CASTAD_BROKER_URL", f"{scheme}://127.0.0.1:{deaf.getsockname()[1]}")
        settings.cache_clear()
        run = new_run(instance)
        instance.launch_run(run.run_id, None)  # type: ignore[arg-type]
        assert status_of(instance, run) is DagsterRunStatus.STARTING


def test_broker_that_refuses_leaves_the_run_waiting(instance, monkeypatch):
    with RedisServer() as full:
        full.take_no_more()
        monkeypatch.setenv("CASTAD_BROKER_URL", full.url)
        settings.cache_clear()
        run = new_run(instance)
        instance.launch_run(run.run_id, None)  # type: ignore[arg-type]
        assert status_of(instance, run) is DagsterRunStatus.STARTING


def test_broker_whose_folder_cannot_be_made_takes_no_run(instance, monkeypatch):
    monkeypatch.delenv("CASTAD_BROKER_URL")
    settings.cache_clear()
    (settings().home / "broker").write_text("no folder")
    launcher = instance.run_launcher
    assert isinstance(launcher, CastadRunLauncher)
    assert not launcher.publish_run("a run")


def test_terminated_run_that_claimed_nothing_is_canceled_at_once(instance):
    run = new_run(instance)
    assert instance.run_launcher.terminate(run.run_id)
    assert status_of(instance, run) is DagsterRunStatus.CANCELED


def test_terminated_run_asks_its_request_to_stop(instance, ledger):
    run = claimed_run(instance, ledger)
    assert instance.run_launcher.terminate(run.run_id)
    assert get_request(ledger, "one").cancel_requested
    assert status_of(instance, run) is DagsterRunStatus.CANCELING


def test_terminated_run_leaves_a_request_of_another_run_alone(instance, ledger):
    claimed_run(instance, ledger)
    late = new_run(instance, "one")
    assert instance.run_launcher.terminate(late.run_id)
    assert status_of(instance, late) is DagsterRunStatus.CANCELED
    assert not get_request(ledger, "one").cancel_requested


def test_terminated_run_of_an_earlier_attempt_leaves_the_next_one_alone(instance, ledger):
    steps = Steps(ledger)
    steps.order()
    steps.dispatch()
    run = new_run(instance, "r")
    steps.release(steps.take(dispatched_as=1))
    steps.dispatch()
    assert instance.run_launcher.terminate(run.run_id)
    assert status_of(instance, run) is DagsterRunStatus.CANCELED
    assert steps.row().status is Status.DISPATCHED


def test_terminated_run_of_a_waiting_request_cancels_it(instance, ledger):
    submit_order(
        ledger, "one", ORDER, pipeline="song_video", source="test", same_order=lambda a, b: a == b
    )
    run = new_run(instance, "one")
    instance.run_launcher.terminate(run.run_id)
    assert get_request(ledger, "one").status is Status.CANCELED


def test_run_that_is_over_cannot_be_terminated(instance):
    run = new_run(instance)
    instance.report_run_canceled(run)
    assert not instance.run_launcher.terminate(run.run_id)


def test_run_is_healthy_until_its_request_is_taken_away(instance, ledger):
    run = claimed_run(instance, ledger, lease_seconds=-1)
    assert assess_run_health(instance, run) is WorkerStatus.RUNNING


def test_run_is_not_found_once_its_request_was_taken_away(instance, ledger):
    run = claimed_run(instance, ledger, lease_seconds=-1)
    rescue_expired_leases(ledger, poison_deaths=5)
    assert assess_run_health(instance, run) is WorkerStatus.NOT_FOUND


def test_termination_says_what_brings_the_request_back(instance, ledger):
    run = claimed_run(instance, ledger)
    instance.run_launcher.terminate(run.run_id)
    said = " ".join(entry.message for entry in instance.all_logs(run.run_id))
    assert "executing the run again here, or `castad retry one`, brings it back" in said


def test_run_without_a_request_counts_as_running(instance):
    run = instance.create_run_for_job(song_video, run_config=ORDER, tags={})
    assert assess_run_health(instance, run) is WorkerStatus.RUNNING
