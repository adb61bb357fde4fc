"""What has ended long ago goes, all of it or nothing; what is alive, in doubt or untold stays."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest
from dagster import DagsterInstance, DagsterRun, DagsterRunStatus, RunsFilter
from sqlalchemy import func, select, update

from castad.cli.reports import run_retention
from castad.stack.local_daemon import open_instance
from castad.views.history import read_history
from resources.dagster.internals import RunsTable
from resources.dagster.request_resource import TASK_ID_TAG
from resources.files.artifacts import open_artifact_store
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import LeaseLostError, UnknownCallbackError
from resources.ledger.queries.hours import sum_spent
from resources.ledger.queries.workload import WorkloadScope
from resources.ledger.rules import Failure, FailureAction
from resources.ledger.schema.tables import JobStatus, Status, metadata, requests
from resources.ledger.transitions.access import save_profile
from resources.ledger.transitions.housekeeping import purge_requests
from resources.process.settings import settings
from sensors.event_mirror import REQUESTS_ASSET, mirror_events
from sensors.retention_job import retain, retention_job, summarize_cycle
from tests.eventually import eventually
from tests.integration.test_concurrency import at_once, waiting_for_locks
from tests.integration.test_spent_days import bought
from tests.ledger_steps import Steps

HOUSE = WorkloadScope({"song_video": "lyric"}, 30)
LONG_AGO = "2020-01-31 09:30:00+00:00"
STORY = {
    "completed": lambda steps, name: steps.completed(name),
    "dead": lambda steps, name: steps.dead(name),
    "canceled": lambda steps, name: steps.order(name) and steps.cancel(name),
    "pending": lambda steps, name: steps.order(name),
    "processing": lambda steps, name: steps.working(name),
    "failed": lambda steps, name: steps.failed(name),
    "in_doubt": lambda steps, name: steps.lost_for_good(name),
}
GO = ("completed", "dead", "canceled")


@pytest.fixture
def steps(own_ledger: Database) -> Steps:
    """Of the ledger that the settings lead to, in a database that Dagster may share."""
    return Steps(own_ledger)


@pytest.fixture
def instance(steps: Steps) -> Iterator[DagsterInstance]:
    """Dagster beside that ledger."""
    with open_instance(settings()) as made:
        yield made


def aged(steps: Steps) -> None:
    """Everything happened long ago, and was told."""
    for column in ("created_at", "updated_at"):
        steps.sql(f"UPDATE requests SET {column} = '{LONG_AGO}'")
    steps.sql("UPDATE events SET mirrored = TRUE")


def with_file(steps: Steps, task_id: str) -> Path:
    """The order has a file, as old as itself."""
    path = open_artifact_store(settings()).root / task_id / "song.mp3"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"12345")
    os.utime(path, (1, 1))
    steps.sql(
        "INSERT INTO artifacts (request_id, stage, generation, name, sha256, bytes, media_type,"
        " \"where\") SELECT id, 'song', 1, 'song.mp3', '0', 5, 'audio/mpeg',"
        " task_id || '/song.mp3' FROM requests WHERE task_id = :r",
        r=task_id,
    )
    return path


def counted(db: Database) -> dict[str, int]:
    """How many rows each table has."""
    with db.reading() as tx:
        count = {
            name: tx.execute(select(func.count()).select_from(table)).scalar_one()
            for name, table in metadata.tables.items()
        }
    return {name: number for name, number in count.items() if number}


def half_deleted(db: Database) -> list[str]:
    """Rows of requests that are gone."""
    with db.reading() as tx:
        return [
            table.name
            for table in metadata.tables.values()
            if any(key.column is requests.c.id for key in table.foreign_keys)
            and tx.execute(
                select(func.count())
                .select_from(table)
                .where(table.c.request_id.not_in(select(requests.c.id)))
            ).scalar()
        ]


def test_what_ended_long_ago_goes_and_what_lives_or_is_in_doubt_stays(steps, instance):
    files = {}
    for name, happens in STORY.items():
        happens(steps, name)
        files[name] = with_file(steps, name)
    aged(steps)
    before = counted(steps.db)
    would = summarize_cycle(retain(instance, is_dry=True))
    assert counted(steps.db) == before
    done = summarize_cycle(retain(instance))
    assert would == done
    assert (done["requests"], done["files"], done["bytes"]) == (3, 3, 15)
    assert done["kept_in_doubt"] == 1
    assert set(steps.task_ids()) == set(STORY) - set(GO)
    assert {name for name, path in files.items() if not path.exists()} == set(GO)
    assert half_deleted(steps.db) == []
    assert summarize_cycle(retain(instance))["requests"] == 0


def test_cycles_at_once_remove_each_thing_once_and_nothing_by_halves(steps, instance):
    names = [f"r{number}" for number in range(40)]
    for name in names:
        bought(steps, name, 1_000, JobStatus.SUCCEEDED)
        with_run(instance, name, DagsterRunStatus.SUCCESS, days=500)
        with_file(steps, name)
    aged(steps)
    done = at_once(4, lambda _: summarize_cycle(retain(instance)))
    sums = {name: sum(each[name] for each in done) for name in done[0]}
    assert {sums[name] for name in ("runs", "events", "requests")} == {40}
    assert sums["files"] + sums["leftover_files"] == 40
    assert sums["bytes"] == 200
    assert (steps.task_ids(), instance.get_run_ids()) == ([], [])
    assert half_deleted(steps.db) == []
    assert sum_spent(steps.db, HOUSE) == 40_000


def test_what_another_transaction_is_about_to_change_stays(shared_ledger, postgres_ledger_url):
    """SQLite has one writer. On Postgres the removal neither takes nor waits for a locked request."""
    steps = Steps(shared_ledger)
    for name in ("held", "free"):
        steps.completed(name)
    ids = [steps.row(name).id for name in ("held", "free")]
    with shared_ledger.writing() as tx, ThreadPoolExecutor(1) as thread:
        tx.execute(select(requests).where(requests.c.task_id == "held").with_for_update())
        removing = thread.submit(purge_requests, shared_ledger, ids, lambda _: True)
        eventually(lambda: removing.done() or waiting_for_locks(shared_ledger) > 0)
        waited = not removing.done()
        tx.rollback()
    assert (waited, steps.task_ids()) == (False, ["held"])


def test_what_comes_late_for_a_removed_order_is_refused_and_leaves_no_row(steps, instance):
    lease = steps.working("a")
    entry = steps.begin(lease)
    job = steps.save_intent(lease, entry, "token of a", 1_000)
    steps.settle(lease, entry, job, JobStatus.FAILED, 0)
    steps.edit("status = 'canceled'", "a")
    aged(steps)
    retain(instance)
    before = counted(steps.db)
    with pytest.raises(UnknownCallbackError):
        steps.save_callback("x1", token="token of a")
    late: tuple[Callable[[], object], ...] = (
        lambda: steps.begin(lease),
        lambda: steps.complete(lease, entry),
        lambda: steps.settle(lease, entry, job, JobStatus.FAILED, 0),
        lambda: steps.fail(lease),
    )
    for comes in late:
        with pytest.raises(LeaseLostError):
            comes()
    assert counted(steps.db) == before
    assert steps.task_ids() == []


def test_what_ended_just_now_stays(steps, instance):
    for name in GO:
        STORY[name](steps, name)
        with_file(steps, name)
    steps.sql("UPDATE events SET mirrored = TRUE")
    before = counted(steps.db)
    assert not any(summarize_cycle(retain(instance)).values())
    assert counted(steps.db) == before


@pytest.mark.parametrize("untold", ["event", "webhook"])
def test_what_was_not_told_yet_stays(steps, instance, untold):
    steps.order("a", callback_url="https://example.com/hook" if untold == "webhook" else None)
    steps.cancel("a")
    aged(steps)
    if untold == "event":
        steps.sql("UPDATE events SET mirrored = FALSE WHERE seq = 1")
    retain(instance)
    assert steps.task_ids() == ["a"]
    steps.sql("UPDATE events SET mirrored = TRUE")
    steps.sql("UPDATE webhook_deliveries SET status = 'delivered'")
    retain(instance)
    assert steps.task_ids() == []


def test_files_go_before_the_order_and_are_noted(steps, instance):
    steps.completed("a")
    path = with_file(steps, "a")
    steps.sql("UPDATE events SET mirrored = TRUE")
    day = "now() - interval '91 days'"
    steps.sql(
        "UPDATE requests SET updated_at = "
        + ("datetime('now', '-91 days')" if steps.db.is_sqlite else day)
    )
    done = summarize_cycle(retain(instance))
    assert (done["requests"], done["requests_without_files"], done["files"]) == (0, 1, 1)
    assert not path.exists()
    assert counted(steps.db)["pruned"] == 1
    assert summarize_cycle(retain(instance))["requests_without_files"] == 0


def test_file_that_another_order_has_stays(steps, instance):
    for name in ("a", "b"):
        steps.completed(name)
    path = with_file(steps, "a")
    steps.sql(
        "INSERT INTO artifacts (request_id, stage, generation, name, sha256, bytes, media_type,"
        " \"where\") SELECT (SELECT id FROM requests WHERE task_id = 'b'), stage, generation, name,"
        ' sha256, bytes, media_type, "where" FROM artifacts'
    )
    aged(steps)
    steps.sql("UPDATE requests SET updated_at = '2999-01-01 00:00:00+00:00' WHERE task_id = 'b'")
    assert summarize_cycle(retain(instance))["files"] == 0
    assert path.exists()
    steps.sql(f"UPDATE requests SET updated_at = '{LONG_AGO}'")
    assert summarize_cycle(retain(instance))["files"] == 1
    assert not path.exists()


@pytest.mark.parametrize("where", ["../outside", "/etc/hostname", "a/../../outside", "."])
def test_no_file_outside_the_folder_is_deleted(steps, instance, where):
    outside = settings().home / "outside"
    outside.parent.mkdir(parents=True, exist_ok=True)
    outside.write_text("kept")
    steps.completed("a")
    with_file(steps, "a")
    steps.sql('UPDATE artifacts SET "where" = :w', w=where)
    aged(steps)
    retain(instance)
    assert outside.read_text() == "kept"
    assert Path("/etc/hostname").exists()


def test_name_that_was_purged_may_be_ordered_again_under_an_id_of_its_own(steps, instance):
    steps.completed("a")
    former = steps.row("a").id
    aged(steps)
    retain(instance)
    steps.completed("a")
    assert steps.row("a").id > former


@pytest.mark.processes
def test_killed_cycle_leaves_nothing_half_deleted_and_the_next_finishes_it(steps):
    for name in ("a", "b", "c"):
        lease = steps.working(name)
        entry = steps.begin(lease)
        job = steps.save_intent(lease, entry, f"token of {name}", 1_000)
        steps.settle(lease, entry, job, JobStatus.FAILED, 1_000)
        steps.edit("status = 'canceled'", name)
        with_file(steps, name)
    steps.completed("kept")
    kept = with_file(steps, "kept")
    aged(steps)
    steps.sql("UPDATE requests SET updated_at = '2999-01-01 00:00:00+00:00' WHERE task_id = 'kept'")
    command = [sys.executable, "-m", "castad", "retention"]
    for point, left in (("before_commit", 4), ("after_commit", 1)):
        environment = {**os.environ, "CASTAD_CRASH": f"retention.{point}:KILL"}
        killed = subprocess.run(command, env=environment, check=False, capture_output=True)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert half_deleted(steps.db) == []
        assert sum_spent(steps.db, HOUSE) == 3_000
        assert len(steps.task_ids()) == left
    subprocess.run(command, check=True, capture_output=True)
    assert steps.task_ids() == ["kept"]
    assert kept.exists()
    assert sum_spent(steps.db, HOUSE) == 3_000


def test_command_prints_what_it_counts(steps, instance, capsys):
    steps.completed("a")
    steps.lost_for_good("b")
    aged(steps)
    run_retention(dry_run=True, as_json=False)
    said = capsys.readouterr().out
    assert "requests would be removed: 1\n" in said
    assert "no final status: 1 (b); `castad history ID`" in said
    assert steps.task_ids() == ["a", "b"]
    run_retention(dry_run=True, as_json=True)
    said = json.loads(capsys.readouterr().out)
    assert (said["requests"], said["kept_in_doubt"], said["in_doubt"]) == (1, 1, ["b"])


def with_run(
    instance: DagsterInstance, task_id: str | None, status: DagsterRunStatus, *, days: float
) -> str:
    """A run with an event, of this order, which ended so many days ago."""
    run_id = str(uuid4())
    tags = {} if task_id is None else {TASK_ID_TAG: task_id}
    instance.add_run(DagsterRun("song_video", run_id=run_id, status=status, tags=tags))
    instance.report_engine_event("it happened", run_id=run_id, job_name="song_video")
    ended = datetime.now(UTC) - timedelta(days=days)
    times = {"create_timestamp": ended, "end_time": ended.timestamp()}
    with cast("Any", instance.run_storage).one_transaction() as tx:
        tx.execute(update(RunsTable).where(RunsTable.c.run_id == run_id).values(times))
    return run_id


def ended(steps: Steps, task_id: str, days: float) -> None:
    """The order ended so many days ago, and was told."""
    past = (
        f"strftime('%Y-%m-%d %H:%M:%f', 'now', '-{days} days')"
        if steps.db.is_sqlite
        else f"now() - interval '{days} days'"
    )
    steps.sql(
        f"UPDATE requests SET created_at = {past}, updated_at = {past} WHERE task_id = :r",
        r=task_id,
    )


def logged(instance: DagsterInstance) -> set[str]:
    """The orders of which the event log has mirrored events."""
    events = cast("Any", instance.event_log_storage)
    found = events.list_oldest_observations(REQUESTS_ASSET.to_string(), after=0, limit=9999)
    return {each.task_id for each in found}


def test_log_of_an_ended_order_goes_by_how_it_ended_and_history_says_so(steps, instance):
    runs = {}
    for name in ("completed", "dead", "pending", "in_doubt"):
        STORY[name](steps, name)
        runs[name] = with_run(instance, name, DagsterRunStatus.SUCCESS, days=31)
    runs["none"] = with_run(instance, None, DagsterRunStatus.SUCCESS, days=31)
    runs["failed"] = with_run(instance, None, DagsterRunStatus.FAILURE, days=31)
    runs["started"] = with_run(instance, None, DagsterRunStatus.STARTED, days=400)
    runs["again"] = with_run(instance, "completed", DagsterRunStatus.SUCCESS, days=1)
    mirror_events(instance)
    for name in ("completed", "dead", "pending", "in_doubt"):
        ended(steps, name, 31)
    would = summarize_cycle(retain(instance, is_dry=True))
    assert len(instance.get_run_ids()) == len(runs)
    done = summarize_cycle(retain(instance))
    assert would == done
    assert (done["runs"], done["requests"]) == (2, 0)
    assert set(instance.get_run_ids()) == {
        run_id for name, run_id in runs.items() if name not in ("completed", "none")
    }
    assert logged(instance) == {"dead", "pending", "in_doubt"}
    assert not instance.all_logs(runs["completed"])
    assert instance.all_logs(runs["dead"])
    assert not instance.get_run_ids(RunsFilter(tags={TASK_ID_TAG: "none"}))
    history = read_history(instance, steps.db, "completed")
    assert history.note is not None
    assert "was pruned on" in history.note
    assert [entry.seq for entry in history.entries if entry.seq] == [
        event.seq for event in steps.events("completed")
    ]
    ended(steps, "dead", 91)
    assert summarize_cycle(retain(instance))["requests"] == 1
    assert logged(instance) == {"pending", "in_doubt"}
    # Its run ended later than itself, and goes by its own end.
    assert summarize_cycle(retain(instance))["runs"] == 1
    assert not any(summarize_cycle(retain(instance)).values())


def test_runs_whose_events_alone_were_deleted_are_found_again(steps, instance, monkeypatch):
    steps.completed("a")
    run_id = with_run(instance, "a", DagsterRunStatus.SUCCESS, days=31)
    mirror_events(instance)
    ended(steps, "a", 31)
    command = [sys.executable, "-m", "castad", "retention"]
    environment = {**os.environ, "CASTAD_CRASH": "retention.after_events:KILL"}
    killed = subprocess.run(command, env=environment, check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert instance.get_run_ids() == [run_id]
    retain(instance)
    assert instance.get_run_ids() == []
    assert logged(instance) == set()


def test_events_of_no_run_are_never_deleted_as_those_of_a_run(instance):
    with pytest.raises(ValueError, match="expected ids of runs"):
        cast("Any", instance.event_log_storage).delete_events_of([""])


def test_files_that_nobody_lists_go_when_they_are_old(steps, instance):
    root = open_artifact_store(settings()).root
    for name in ("ended", "living", "listed"):
        steps.order(name)
    for name in ("ended", "listed"):
        steps.cancel(name)
    steps.sql("UPDATE events SET mirrored = TRUE")
    digest = "ab" * 32
    steps.order("with_a_picture", {"images": [f"upload:{digest}"]})
    of_a_profile = "ef" * 32
    save_profile(steps.db, "shop", "song_video", "봄날", {"logo": [f"upload:{of_a_profile}"]})
    days = {
        "ended/left.mp3": 2,
        "ended/fresh.mp3": 0.5,
        "living/left.mp3": 200,
        "unknown/old.mp3": 91,
        "unknown/young.mp3": 89,
        f".uploads/{'cd' * 32}": 91,
        f".uploads/{digest}": 91,
        f".uploads/{of_a_profile}": 91,
        ".fetched/of-orders/ef": 91,
        ".fetched/01": 89,
    }
    for where, age in days.items():
        path = root / where
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"12345")
        os.utime(path, (1, time.time() - age * 86_400))
    listed = with_file(steps, "listed")
    would = summarize_cycle(retain(instance, is_dry=True))
    done = summarize_cycle(retain(instance))
    assert would == done
    assert (done["leftover_files"], done["bytes"]) == (4, 20)
    assert {where for where in days if not (root / where).exists()} == {
        "ended/left.mp3",
        "unknown/old.mp3",
        f".uploads/{'cd' * 32}",
        ".fetched/of-orders/ef",
    }
    assert listed.exists()


def test_uploads_that_no_order_names_go_after_a_day(steps, instance):
    root = open_artifact_store(settings()).root
    unused, fresh, of_ended, of_open, of_profile = (f"{number:064x}" for number in range(5))
    steps.order("ended", {"images": [f"upload:{of_ended}"]})
    steps.cancel("ended")
    steps.order("open", {"images": [f"upload:{of_open}"]})
    save_profile(steps.db, "shop", "song_video", "봄날", {"logo": [f"upload:{of_profile}"]})
    days = {unused: 1.1, fresh: 0.9, of_ended: 5, of_open: 5, of_profile: 5}
    for digest, age in days.items():
        path = root / ".uploads" / digest
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"12345")
        os.utime(path, (1, time.time() - age * 86_400))
    would = summarize_cycle(retain(instance, is_dry=True))
    assert would == summarize_cycle(retain(instance))
    assert {each.name for each in (root / ".uploads").iterdir()} == days.keys() - {unused}


@pytest.mark.processes
def test_killed_cycle_leaves_files_that_a_later_one_sweeps(steps, instance):
    steps.completed("a")
    path = with_file(steps, "a")
    aged(steps)
    command = [sys.executable, "-m", "castad", "retention"]
    environment = {**os.environ, "CASTAD_CRASH": "retention.after_commit:KILL"}
    subprocess.run(command, env=environment, check=False, capture_output=True)
    assert (steps.task_ids(), path.exists()) == ([], True)
    retain(instance)
    assert not path.parent.exists()


def test_job_shows_what_it_removed_as_an_asset(steps, instance):
    steps.completed("a")
    with_file(steps, "a")
    aged(steps)
    result = retention_job.execute_in_process(instance=instance)
    (made,) = result.asset_materializations_for_node("remove_old")
    counts = {name: value.value for name, value in made.metadata.items()}
    assert (counts["requests"], counts["files"], counts["bytes"]) == (1, 1, 5)
    assert not counts["unfinished"]


def test_cycle_whose_time_is_over_leaves_the_rest_to_the_next(steps, instance):
    steps.completed("a")
    aged(steps)
    assert summarize_cycle(retain(instance, seconds=0))["unfinished"]
    assert steps.task_ids() == ["a"]
    assert summarize_cycle(retain(instance, seconds=600))["requests"] == 1


def test_dead_letter_of_a_passing_cause_is_tried_once_more_where_that_is_set(
    steps, instance, monkeypatch
):
    for name, code in (("a", "disk_full"), ("b", "invalid_image")):
        lease = steps.working(name)
        steps.fail_as(lease, Failure(code, "it went wrong", FailureAction.DEAD_LETTER))
    STORY["in_doubt"](steps, "in_doubt")
    steps.sql("UPDATE requests SET error_code = 'disk_full' WHERE task_id = 'in_doubt'")
    assert summarize_cycle(retain(instance))["redriven"] == 0
    monkeypatch.setenv("CASTAD_DEAD_REDRIVE", "1")
    settings.cache_clear()
    assert summarize_cycle(retain(instance, is_dry=True))["redriven"] == 1
    assert summarize_cycle(retain(instance))["redriven"] == 1
    assert steps.last("a").type == "redriven"
    steps.dispatch()
    lease = steps.take("a", dispatched_as=steps.row("a").attempt)
    steps.fail_as(lease, Failure("disk_full", "it went wrong", FailureAction.DEAD_LETTER))
    assert summarize_cycle(retain(instance))["redriven"] == 0
    assert [steps.row(name).status for name in ("a", "b", "in_doubt")] == [Status.DEAD] * 3
