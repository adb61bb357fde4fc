import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest
from dagster import AssetObservation, AssetRecordsFilter, DagsterInstance, RetryPolicy, job, op
from sqlalchemy import text

from castad.stack.local_daemon import open_instance
from castad.views.history import RequestHistory, read_history
from resources.contract.errors import CastadError, TransientError
from resources.dagster.request_resource import TASK_ID_TAG
from resources.ledger.db.database import Database, open_database
from resources.ledger.transitions.orders import cancel_request, retry_request
from resources.process.settings import settings
from sensors.event_mirror import REQUESTS_ASSET, mirror_events

CREATED = "created: nothing → pending"


@pytest.fixture
def instance() -> Iterator[DagsterInstance]:
    with open_instance(settings()) as opened:
        yield opened


def type_sql(ledger: Database, statement: str) -> None:
    with ledger.writing() as tx:
        tx.execute(text(statement))


def insert(ledger: Database) -> None:
    type_sql(ledger, "INSERT INTO requests (task_id, payload) VALUES ('x', '{}')")


def told() -> list[tuple[int | None, str]]:
    return [(entry.seq, entry.what) for entry in request_history().entries]


def request_history() -> RequestHistory:
    with open_instance(settings()) as opened:
        return read_history(opened, open_database(settings().ledger_url), "x")


@op(retry_policy=RetryPolicy(max_retries=1))
def tired() -> None:
    raise TransientError("suno: the call ended early")


@job
def tiring() -> None:
    tired()


def test_a_step_that_tries_again_says_why(instance):
    tiring.execute_in_process(instance=instance, tags={TASK_ID_TAG: "x"}, raise_on_error=False)
    assert "tired up for retry: suno: the call ended early" in [what for _, what in told()]


def test_the_life_of_a_deleted_request_does_not_hide_the_new_one(ledger, instance):
    insert(ledger)
    cancel_request(ledger, "x")
    retry_request(ledger, "x")
    assert mirror_events(instance) == 3
    type_sql(ledger, "DELETE FROM requests")
    insert(ledger)
    cancel_request(ledger, "x")
    assert mirror_events(instance) == 2
    assert told() == [(1, CREATED), (2, "canceled: pending → canceled")]
    assert told() == [(1, CREATED), (2, "canceled: pending → canceled")]


@pytest.mark.parametrize("pruned", [(1,), (1, 2, 3)], ids=["the oldest", "all"])
def test_what_the_log_holds_no_more_is_told_by_the_ledger(ledger, instance, pruned):
    insert(ledger)
    cancel_request(ledger, "x")
    retry_request(ledger, "x")
    whole = request_history()
    assert whole.note is None
    wanted = AssetRecordsFilter(asset_key=REQUESTS_ASSET, asset_partitions=["x"])
    records = instance.fetch_observations(wanted, limit=10, ascending=True).records
    [log] = settings().home.rglob("event_log.db")
    with closing(sqlite3.connect(log)) as database, database:
        gone = [(records[seq - 1].storage_id,) for seq in pruned]
        database.executemany("DELETE FROM event_logs WHERE id = ?", gone)
    assert request_history().entries == whole.entries
    told = "all" if len(pruned) == 3 else "1 of 3"
    assert (request_history().note or "").startswith(
        f"{told} events of the request come from the ledger"
    )


def test_a_deleted_request_keeps_its_history(ledger, instance):
    insert(ledger)
    mirror_events(instance)
    type_sql(ledger, "DELETE FROM requests")
    assert told() == [(1, CREATED)]


def test_an_event_that_was_mirrored_twice_is_told_once(ledger, instance):
    insert(ledger)
    cancel_request(ledger, "x")
    mirror_events(instance)
    type_sql(ledger, "UPDATE events SET mirrored = 0")
    assert mirror_events(instance) == 2
    assert [seq for seq, _ in told()] == [1, 2]


def test_an_event_of_no_request_id_counts_as_the_oldest_life(ledger, instance):
    mirrored_before = {"task_id": "x", "seq": 7, "at": "2026-01-02T03:04:05+00:00"}
    instance.report_runless_asset_event(
        AssetObservation(REQUESTS_ASSET, partition="x", metadata=mirrored_before)
    )
    assert [seq for seq, _ in told()] == [7]
    insert(ledger)
    assert told() == [(1, CREATED)]


@pytest.mark.parametrize("data", ['{"cost": "x"}', "[]", '{"changed": 7, "attempt": null}'])
def test_odd_data_of_one_order_stop_nobodys_history(ledger, data):
    type_sql(ledger, "INSERT INTO requests (task_id, payload) VALUES ('odd', '{}')")
    with ledger.writing() as tx:
        tx.execute(text("UPDATE events SET data = :data"), {"data": data})
    insert(ledger)
    assert told() == [(1, CREATED)]


def test_many_who_read_at_once_mirror_each_event_once(ledger, instance):
    insert(ledger)
    for _ in range(30):
        cancel_request(ledger, "x")
        retry_request(ledger, "x")
    together = Barrier(8)

    def read(_: int) -> int:
        together.wait()
        return len(read_history(instance, ledger, "x").entries)

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(read, range(8))) == {61}
    wanted = AssetRecordsFilter(asset_key=REQUESTS_ASSET, asset_partitions=["x"])
    assert len(instance.fetch_observations(wanted, limit=1000).records) == 61


def open_below(folder: Path) -> list[str]:
    files = (file.readlink() for file in Path("/proc/self/fd").iterdir() if file.is_symlink())
    return [str(file) for file in files if file.is_relative_to(folder)]


@pytest.mark.parametrize("command", [("history", "x"), ("doctor",)])
def test_command_leaves_no_file_of_dagsters_open(castad, ledger, command):
    insert(ledger)
    castad(*command)
    assert open_below(settings().home / "dagster") == []


def test_what_nobody_has_heard_of_is_refused(ledger, instance):
    with pytest.raises(CastadError, match="no request is called 'nobody'"):
        read_history(instance, ledger, "nobody")
