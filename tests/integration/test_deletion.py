"""An ended order is deleted by a person: nothing of it is left but its costs, and that it was deleted."""

from collections.abc import Iterator

import pytest
from dagster import DagsterInstance, DagsterRunStatus
from sqlalchemy import select

from castad.cli.app import app
from castad.cli.boundary import run
from castad.orders.acts import delete_order
from castad.stack.local_daemon import open_instance
from resources.files.artifacts import open_artifact_store
from resources.files.pictures import UPLOADS
from resources.ledger.db.database import Database, open_database
from resources.ledger.ledger_errors import IllegalTransitionError, UnknownRequestError
from resources.ledger.queries.hours import sum_spent
from resources.ledger.schema.tables import JobStatus, deleted_requests
from resources.ledger.transitions.access import save_profile
from resources.process.settings import settings
from sensors.event_mirror import mirror_events
from tests.api_house import BRIEF
from tests.integration.test_retention import (
    GO,
    HOUSE,
    STORY,
    counted,
    half_deleted,
    logged,
    with_file,
    with_run,
)
from tests.integration.test_spent_days import bought
from tests.ledger_steps import Steps


@pytest.fixture
def steps(own_ledger: Database) -> Steps:
    """Of the ledger that the settings lead to, in a database that Dagster may share."""
    return Steps(own_ledger)


@pytest.fixture
def instance(steps: Steps) -> Iterator[DagsterInstance]:
    """Dagster beside that ledger."""
    with open_instance(settings()) as made:
        yield made


def deleted(steps: Steps, instance: DagsterInstance, task_id: str) -> None:
    delete_order(steps.db, open_artifact_store(settings()), instance, task_id, "a test")


@pytest.mark.parametrize("name", STORY)
def test_only_what_has_ended_and_is_settled_is_deleted(steps, instance, name):
    STORY[name](steps, name)
    if name in GO:
        deleted(steps, instance, name)
        assert steps.task_ids() == []
        return
    before = counted(steps.db)
    with pytest.raises(IllegalTransitionError) as refused:
        deleted(steps, instance, name)
    assert refused.value.code == ("in_doubt" if name == "in_doubt" else "not_ended")
    del before["events"]
    assert before.items() <= counted(steps.db).items()


def test_nothing_of_a_deleted_order_is_left_but_its_costs_and_a_note(steps, instance):
    for name in ("a", "b"):
        bought(steps, name, 1_000, JobStatus.SUCCEEDED)
    runs = {name: with_run(instance, name, DagsterRunStatus.SUCCESS, days=0) for name in ("a", "b")}
    files = {name: with_file(steps, name) for name in ("a", "b")}
    mirror_events(instance)
    deleted(steps, instance, "a")
    assert steps.task_ids() == ["b"]
    assert half_deleted(steps.db) == []
    assert [name for name, path in files.items() if path.exists()] == ["b"]
    assert instance.get_run_ids() == [runs["b"]]
    assert not instance.all_logs(runs["a"])
    assert logged(instance) == {"b"}
    assert sum_spent(steps.db, HOUSE) == 2_000
    with steps.db.reading() as tx:
        (note,) = tx.execute(select(deleted_requests)).all()
    assert (note.task_id, note.owner, note.deleted_by) == ("a", "a", "a test")


def test_uploaded_picture_goes_with_the_last_order_that_has_it(steps, instance):
    digest = "0" * 64
    upload = open_artifact_store(settings()).root / UPLOADS / digest
    upload.parent.mkdir(parents=True)
    upload.write_bytes(b"a picture")
    for name in ("a", "b"):
        steps.order(name, {"images": [f"upload:{digest}"]})
        steps.cancel(name)
    deleted(steps, instance, "a")
    assert upload.exists()
    deleted(steps, instance, "b")
    assert not upload.exists()


def test_uploaded_picture_of_a_profile_outlives_its_orders(steps, instance):
    digest = "1" * 64
    upload = open_artifact_store(settings()).root / UPLOADS / digest
    upload.parent.mkdir(parents=True)
    upload.write_bytes(b"a logo")
    save_profile(steps.db, "shop", "song_video", "봄날", {"logo": [f"upload:{digest}"]})
    steps.order("a", {"logo": [f"upload:{digest}"]})
    steps.cancel("a")
    deleted(steps, instance, "a")
    assert upload.exists()


def test_deletion_that_was_cut_off_is_finished_by_another(steps, instance):
    steps.completed("a")
    path = with_file(steps, "a")
    with_run(instance, "a", DagsterRunStatus.SUCCESS, days=0)
    content = path.read_bytes()
    deleted(steps, instance, "a")
    # What a process leaves that dies after its commit.
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    with_run(instance, "a", DagsterRunStatus.SUCCESS, days=0)
    deleted(steps, instance, "a")
    assert not path.exists()
    assert instance.get_run_ids() == []
    with pytest.raises(UnknownRequestError):
        deleted(steps, instance, "never ordered")


def test_order_is_deleted_over_http_by_its_owner_or_an_admin_only(house):
    shop, other = house.as_("shop"), house.as_("other")
    for name in ("a", "b"):
        assert shop.post("/v1/pipeline/start", json={**BRIEF, "task_id": name}).status_code == 202
    refused = shop.delete("/v1/pipeline/a")
    assert (refused.status_code, refused.json()["code"]) == (409, "not_ended")
    for name in ("a", "b"):
        shop.post(f"/v1/pipeline/cancel/{name}")
    assert other.delete("/v1/pipeline/a").status_code == 404
    assert shop.delete("/v1/pipeline/a").json() == {"task_id": "a", "deleted": True}
    assert shop.get("/v1/pipeline/status/a").status_code == 404
    assert house.admin().delete("/v1/pipeline/b").status_code == 200
    assert house.admin().delete("/v1/pipeline/c").status_code == 404
    assert other.delete("/v1/pipeline/a").status_code == 404


def test_command_asks_before_it_deletes(sqlite_ledger_url, capsys):
    steps = Steps(open_database(settings().ledger_url))
    steps.order("a")
    steps.cancel("a")
    assert run(app, ["delete", "a"]) == 2
    assert "--yes: expected" in capsys.readouterr().err
    assert steps.task_ids() == ["a"]
    assert run(app, ["delete", "a", "--yes"]) == 0
    assert steps.task_ids() == []
