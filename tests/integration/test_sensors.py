"""The sensors, evaluated as Dagster evaluates them, on both databases."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Self, cast

import pytest
from dagster import (
    AssetRecordsFilter,
    DagsterInstance,
    RunRequest,
    SensorResult,
    build_sensor_context,
)
from dagster._core.definitions.observe import observe
from dagster._core.definitions.run_request import InstigatorType
from dagster._core.remote_origin import (
    GrpcServerCodeLocationOrigin,
    RemoteInstigatorOrigin,
    RemoteRepositoryOrigin,
)
from dagster._core.scheduler.instigation import InstigatorState, InstigatorStatus
from sqlalchemy import text

from pipeline_defs.catalog import Catalog, get_catalog
from pipeline_defs.definitions import defs
from pipeline_defs.song_video.brief import Brief
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.status import get_request, list_event_views
from resources.ledger.schema.tables import JobStatus, Status
from resources.ledger.transitions.orders import cancel_request, retry_request
from resources.process.settings import Settings, settings
from sensors.event_mirror import REQUESTS_ASSET, mirror_events, outbox_sensor, requests_asset
from sensors.requests import requests_sensor
from sensors.rescue import rescue_sensor
from tests.ledger_steps import Steps
from tests.song_video import JOBS, SONG_VIDEO

on_sqlite = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
GOOD = json.dumps({"customer_name": "봄날", "region": "전주"})


@pytest.fixture
def ledger(ledger_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """The ledger that the sensors of this test see."""
    if ledger_url.startswith("postgresql"):
        monkeypatch.setenv("CASTAD_DATABASE_URL", ledger_url)
    monkeypatch.setenv("CASTAD_CONCURRENT_RUNS", "3")
    settings.cache_clear()
    database = open_database(settings().ledger_url)
    yield database
    database.close()


def by_sql(ledger: Database, statement: str, **values: object) -> None:
    with ledger.writing() as tx:
        tx.execute(text(statement), values)


def insert(ledger: Database, task_id: str, payload: str = GOOD, priority: int = 0) -> None:
    by_sql(
        ledger,
        "INSERT INTO requests (task_id, payload, priority) VALUES (:id, :payload, :priority)",
        id=task_id,
        payload=payload,
        priority=priority,
    )


def tick(instance: DagsterInstance, pipelines: Catalog | None = None) -> list[RunRequest]:
    result = requests_sensor(pipelines or get_catalog(), JOBS, wait_seconds=0).evaluate_tick(
        build_sensor_context(instance)
    )
    return list(result.run_requests or [])


def rescue(instance: DagsterInstance, cursor: str | None) -> SensorResult:
    result = rescue_sensor(build_sensor_context(instance, cursor=cursor))
    assert isinstance(result, SensorResult)
    return result


@on_sqlite
@pytest.mark.parametrize("cursor", ["not a cursor 9", "[1, 2]", '["2026-01-01", "2026-01-01"]'])
def test_no_sensor_fails_at_a_cursor_that_cannot_be_read(ledger, instance, cursor):
    sensors = (requests_sensor(get_catalog(), JOBS, wait_seconds=0), rescue_sensor, outbox_sensor)
    assert {each.name for each in sensors} == {each.name for each in defs().sensors or ()}
    for sensor in sensors:
        sensor.evaluate_tick(build_sensor_context(instance, cursor=cursor, sensor_name=sensor.name))


@on_sqlite
def test_observing_the_asset_of_events_mirrors_them(ledger, instance):
    insert(ledger, "shop-1")
    observe([requests_asset], instance=instance)
    found = instance.fetch_observations(AssetRecordsFilter(REQUESTS_ASSET), limit=10).records
    assert {record.partition_key for record in found} == {"shop-1", None}


def test_due_row_becomes_a_run_that_names_it(ledger, instance):
    insert(ledger, "shop-1")
    (run,) = tick(instance)
    assert run.run_key == f"shop-1:1:{get_request(ledger, 'shop-1').id}"
    assert (run.job_name, run.run_config) == ("song_video", {"task_id": "shop-1"})


def test_rescue_ends_a_wait_for_a_person_whose_time_is_over(ledger, instance):
    steps = Steps(ledger)
    steps.held("shop-1", hold_seconds=600, hold_then="continue")
    steps.edit("not_before = '2020-01-01 00:00:00+00:00'", "shop-1")
    rescue(instance, None)
    assert steps.row("shop-1").held_stage is None


def test_dispatched_row_is_not_dispatched_again(ledger, instance):
    insert(ledger, "shop-1")
    tick(instance)
    assert tick(instance) == []


def test_run_key_rises_with_every_launch(ledger, instance):
    insert(ledger, "shop-1")
    tick(instance)
    cancel_request(ledger, "shop-1")
    retry_request(ledger, "shop-1")
    assert [run.run_key for run in tick(instance)] == [
        f"shop-1:2:{get_request(ledger, 'shop-1').id}"
    ]


def test_name_that_was_deleted_and_is_ordered_again_gets_a_run_key_of_its_own(ledger, instance):
    insert(ledger, "shop-1")
    (before,) = tick(instance)
    by_sql(ledger, "DELETE FROM requests")
    insert(ledger, "shop-1")
    (after,) = tick(instance)
    assert before.run_key != after.run_key


def switch_off(instance: DagsterInstance, name: str) -> None:
    """As somebody does in the UI."""
    location = GrpcServerCodeLocationOrigin(host="localhost", port=1)
    origin = RemoteInstigatorOrigin(RemoteRepositoryOrigin(location, "__repository__"), name)
    stopped = InstigatorStatus.STOPPED
    instance.add_instigator_state(InstigatorState(origin, InstigatorType.SENSOR, stopped))


@on_sqlite
def test_sensor_that_is_switched_off_starts_nothing(ledger, instance):
    switch_off(instance, "requests_sensor")
    insert(ledger, "shop-1")
    result = requests_sensor(get_catalog(), JOBS).evaluate_tick(build_sensor_context(instance))
    assert result.skip_message == "requests_sensor is switched off"
    assert get_request(ledger, "shop-1").status is Status.PENDING


@on_sqlite
def test_other_sensors_may_be_switched_off(ledger, instance):
    switch_off(instance, "rescue_sensor")
    insert(ledger, "shop-1")
    assert len(tick(instance)) == 1


def test_no_more_runs_than_free_slots(ledger, instance):
    for number in range(5):
        insert(ledger, f"shop-{number}")
    assert len(tick(instance)) == 3


def test_oldest_goes_first_inside_the_highest_priority(ledger, instance):
    for name, priority in (("old", 0), ("new", 0), ("urgent-1", 5), ("urgent-2", 5)):
        insert(ledger, name, priority=priority)
    order = [run.run_config["task_id"] for run in tick(instance)]
    assert order == ["urgent-1", "urgent-2", "old"]


@pytest.mark.parametrize(
    ("payload", "sentence"),
    [
        pytest.param("{broken", "payload: expected a JSON object", id="broken"),
        pytest.param("[" * 100_000, "payload: expected a JSON object", id="deep"),
        pytest.param('["list"]', "payload: expected a JSON object", id="no-object"),
        pytest.param('{"region": "x"}', "customer_name: expected a value, got none", id="missing"),
        pytest.param(
            '{"customer_name": "\\ud800", "region": "x"}',
            "customer_name: expected plain text, got half a character",
            id="surrogate",
        ),
    ],
)
def test_row_with_an_unusable_order_is_dead_and_says_why(ledger, instance, payload, sentence):
    insert(ledger, "bad", payload)
    assert tick(instance) == []
    request = get_request(ledger, "bad")
    assert (request.status, request.error_code) == (Status.DEAD, "invalid_payload")
    assert (request.error_message or "").startswith(sentence)


@pytest.mark.parametrize(
    "hold", ["lyrik", "Lyric", '["lyric"]', "lyric;song", "lyric song", "video"]
)
def test_row_whose_hold_names_no_stage_to_approve_is_dead_and_says_why(ledger, instance, hold):
    insert(ledger, "bad")
    by_sql(ledger, "UPDATE requests SET hold = :hold", hold=hold)
    assert tick(instance) == []
    request = get_request(ledger, "bad")
    assert (request.status, request.error_code, request.error_message) == (
        *(Status.DEAD, "invalid_payload"),
        f"hold: expected stages of song_video before its last one: lyric, song, got {hold!r}",
    )


def test_hold_of_a_row_may_have_spaces_around_its_commas(ledger, instance):
    insert(ledger, "good")
    by_sql(ledger, "UPDATE requests SET hold = ' lyric , song'")
    assert len(tick(instance)) == 1


def test_bad_row_does_not_hold_up_its_neighbours(ledger, instance):
    insert(ledger, "bad", "{broken")
    insert(ledger, "good")
    assert [run.run_config["task_id"] for run in tick(instance)] == ["good"]


# Postgres takes no such bytes.
NO_TEXT = "CAST(x'7bff7d' AS TEXT)"


@on_sqlite
def test_payload_that_is_no_text_is_dead_and_says_so(ledger, instance):
    by_sql(ledger, f"INSERT INTO requests (task_id, payload) VALUES ('bad', {NO_TEXT})")
    tick(instance)
    request = get_request(ledger, "bad")
    assert (request.status, request.error_code) == (Status.DEAD, "invalid_payload")


@on_sqlite
def test_bytes_that_are_no_text_inside_an_order_are_refused(ledger, instance):
    insert(ledger, "bad", GOOD.replace('": "', '": "XX', 1))
    by_sql(
        ledger,
        "UPDATE requests SET payload = CAST(replace(CAST(payload AS BLOB), x'5858', x'ffff') AS TEXT)",
    )
    tick(instance)
    request = get_request(ledger, "bad")
    assert (request.status, request.error_code) == (Status.DEAD, "invalid_payload")


@on_sqlite
@pytest.mark.parametrize(
    "column",
    ["payload", "pipeline", "owner", "source", "callback_url", "run_id", "error_message", "stage"],
)
def test_bytes_that_are_no_text_do_not_hold_up_the_neighbours(ledger, instance, column):
    insert(ledger, "bad")
    insert(ledger, "good")
    by_sql(ledger, f"UPDATE requests SET {column} = {NO_TEXT} WHERE task_id = 'bad'")
    assert "good" in [run.run_config["task_id"] for run in tick(instance)]


def test_row_that_changes_while_it_is_refused_does_not_hold_up_its_neighbours(ledger, instance):
    def edited_meanwhile(brief: Brief, makers: Mapping[str, str], settings: Settings) -> None:
        if brief.customer_name == "bad":
            by_sql(ledger, "UPDATE requests SET priority = 9 WHERE task_id = 'bad'")
            raise InvalidInputError("customer_name", "expected another")

    insert(ledger, "bad", '{"customer_name": "bad", "region": "b"}')
    insert(ledger, "good")
    pipeline = replace(SONG_VIDEO, acceptance=edited_meanwhile)
    runs = tick(instance, Catalog({SONG_VIDEO.name: pipeline}))
    assert [run.run_config["task_id"] for run in runs] == ["good"]


def unfulfillable(brief: Brief, makers: Mapping[str, str], settings: Settings) -> None:
    raise InvalidInputError("CASTAD_PUBLIC_URL", "expected an address", code="public_url_missing")


UNFULFILLABLE = Catalog({SONG_VIDEO.name: replace(SONG_VIDEO, acceptance=unfulfillable)})


def test_order_that_the_settings_cannot_fulfill_waits_and_says_why(ledger, instance):
    insert(ledger, "shop-1")
    assert tick(instance, UNFULFILLABLE) == []
    request = get_request(ledger, "shop-1")
    assert (request.status, request.waits_for, request.error_code, request.error_message) == (
        *(Status.PENDING, "settings", "public_url_missing"),
        "CASTAD_PUBLIC_URL: expected an address",
    )


def test_order_that_has_begun_is_continued_whatever_the_settings_allow_a_new_one(ledger, instance):
    insert(ledger, "shop-1")
    by_sql(ledger, "UPDATE requests SET stage = 'song'")
    assert len(tick(instance, UNFULFILLABLE)) == 1


def test_order_that_waited_for_settings_starts_once_they_can_fulfill_it(ledger, instance):
    insert(ledger, "shop-1")
    tick(instance, UNFULFILLABLE)
    by_sql(ledger, "UPDATE requests SET not_before = NULL")
    assert len(tick(instance)) == 1


def test_row_of_an_unknown_pipeline_is_dead_and_names_it(ledger, instance):
    insert(ledger, "odd")
    by_sql(ledger, "UPDATE requests SET pipeline = 'opera' WHERE task_id = 'odd'")
    tick(instance)
    expected = f"pipeline: expected {' or '.join(get_catalog().names)}, got 'opera'"
    assert get_request(ledger, "odd").error_message == expected


def test_environment_reference_in_a_payload_is_no_text(ledger, instance):
    insert(ledger, "thief", '{"customer_name": {"env": "HOME"}, "region": "x"}')
    assert tick(instance) == []
    assert get_request(ledger, "thief").error_message == "customer_name: expected text"


def test_undelivered_run_is_due_again(ledger, instance, monkeypatch):
    insert(ledger, "shop-1")
    tick(instance)
    monkeypatch.setenv("CASTAD_DISPATCH_GRACE", "0.001")
    settings.cache_clear()
    rescue(instance, None)
    assert get_request(ledger, "shop-1").status is Status.PENDING


def make_lost(ledger: Database) -> None:
    insert(ledger, "lost")
    by_sql(ledger, "UPDATE requests SET status = 'processing' WHERE task_id = 'lost'")


def long_calm(ledger: Database, instance: DagsterInstance) -> str:
    """The cursor of a sensor that has seen the database for an hour."""
    cursor = rescue(instance, None).cursor
    assert cursor is not None
    seen, _ = json.loads(cursor)
    return json.dumps([seen, seen.replace("20", "19", 1)])


def test_lost_lease_is_rescued_once_the_database_has_been_calm(ledger, instance):
    make_lost(ledger)
    rescue(instance, long_calm(ledger, instance))
    assert get_request(ledger, "lost").status is Status.PENDING


def test_nobody_is_declared_dead_right_after_an_outage(ledger, instance):
    make_lost(ledger)
    rescue(instance, None)
    assert get_request(ledger, "lost").status is Status.PROCESSING


def mirrored(instance: DagsterInstance, task_id: str) -> list[tuple[int, str]]:
    records = instance.fetch_observations(
        AssetRecordsFilter(REQUESTS_ASSET, asset_partitions=[task_id]), limit=100, ascending=True
    ).records
    found = []
    for record in records:
        observation = record.asset_observation
        assert observation is not None
        found.append((observation.metadata["seq"].value, observation.metadata["type"].value))
    return found


def test_outbox_mirrors_every_event_in_order(ledger, instance):
    insert(ledger, "shop-1")
    tick(instance)
    cancel_request(ledger, "shop-1")
    mirror_events(instance)
    expected = [(e.seq, e.type) for e in list_event_views(ledger, get_request(ledger, "shop-1"))]
    assert mirrored(instance, "shop-1") == expected


def test_outbox_mirrors_an_event_once(ledger, instance):
    insert(ledger, "shop-1")
    mirror_events(instance)
    assert mirror_events(instance) == 0


class FullStorage:
    """A Dagster instance whose event log takes nothing for now."""

    @property
    def event_log_storage(self) -> Self:
        return self

    def store_event_batch(self, entries: object) -> None:
        raise OSError("no space left on device")


def test_event_that_was_not_stored_is_mirrored_by_the_next_tick(ledger, instance):
    insert(ledger, "shop-1")
    with pytest.raises(OSError, match="no space"):
        mirror_events(cast(DagsterInstance, FullStorage()))
    mirror_events(instance)
    assert mirrored(instance, "shop-1") == [(1, "created")]


@on_sqlite
def test_event_that_cannot_be_mirrored_holds_up_no_other(ledger, instance):
    insert(ledger, "bad")
    insert(ledger, "good")
    data = '{"run_id": "' + chr(92) + 'ud800"}'
    bad = "SELECT id FROM requests WHERE task_id = 'bad'"
    by_sql(ledger, f"UPDATE events SET data = :data WHERE request_id = ({bad})", data=data)
    mirror_events(instance)
    assert mirrored(instance, "good") == [(1, "created")]
    assert mirror_events(instance) == 0


def test_page_of_a_run_ends_with_one_line_of_what_became_of_the_request(ledger, instance):
    steps = Steps(ledger)
    lease = steps.working()
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.FAILED)
    steps.fail(lease)
    run_id = str(steps.attempts()[-1].run_id)
    mirror_events(instance)
    lines = [entry.user_message for entry in instance.all_logs(run_id) if entry.user_message]
    assert [line.split(":")[0] for line in lines] == ["failed"]


NEWER = {
    "a pipeline": "pipeline = 'opera'",
    "a member": 'payload = \'{"customer_name": "a", "region": "b", "mood": "c"}\'',
}


@pytest.mark.parametrize("newer", NEWER)
@pytest.mark.parametrize(("source", "status"), [("api", "pending"), ("sql", "dead")])
def test_order_that_only_another_release_understands_waits_where_that_one_has_accepted_it(
    ledger, instance, newer, source, status
):
    insert(ledger, "odd")
    by_sql(ledger, f"UPDATE requests SET {NEWER[newer]}, source = '{source}'")
    assert tick(instance) == []
    request = get_request(ledger, "odd")
    assert (request.status, request.error_code == "other_release") == (status, source == "api")
