"""An order that comes to a commit which another request has or makes is that record, with its result."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dagster import DagsterInstance

from castad.orders.acts import redo_order
from pipeline_defs.analysis.pipeline import PIPELINE
from pipeline_defs.build import make_job
from pipeline_defs.catalog import get_catalog
from resources.files.artifacts import open_artifact_store
from resources.ledger.db.database import Database
from resources.ledger.queries.dispatch import list_due_task_ids
from resources.ledger.queries.status import get_request, read_stage_result
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.orders import cancel_request
from resources.process.settings import settings
from sensors.requests import pick_up_or_reject
from tests.api_house import House, served, use_ledger
from tests.command_line import castad
from tests.fakes.faults import Fault
from tests.fakes.github import FakeGitHub
from tests.ledger_steps import Steps

TESTS = {"test_a.py": b"def test_it():\n    pass\n", "a.py": b"A = 1\n"}
Run = Callable[[str], Request]


@pytest.fixture
def github(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGitHub]:
    """The fake that this process' settings lead to, as they lead to the ledger."""
    use_ledger(db.url.render_as_string(hide_password=False), monkeypatch)
    with FakeGitHub(tmp_path / "github") as fake:
        monkeypatch.setenv("GITHUB_API_URL", fake.url)
        settings.cache_clear()
        yield fake


@pytest.fixture
def house(github: FakeGitHub) -> Iterator[House]:
    github.add("shop", "till").push(TESTS, "main")
    with served() as made:
        yield made


@pytest.fixture
def run(instance: DagsterInstance, db: Database) -> Run:
    """A run of the request of this name, as its sensor launches one."""

    def execute(task_id: str) -> Request:
        config = {"task_id": task_id}
        make_job(PIPELINE).execute_in_process(
            run_config=config, instance=instance, raise_on_error=False
        )
        return get_request(db, task_id)

    return execute


def order(house: House, task_id: str, owner: str = "we", **fields: str) -> None:
    """Order the repository over HTTP."""
    named = {"task_id": task_id, "repository": "shop/till", **fields}
    assert house.as_(owner).post("/v1/analysis", json=named).status_code == 202


def sha_of(github: FakeGitHub) -> str:
    """The commit of the repository's main branch."""
    return github.repository("shop", "till").refs["main"]


def begin_and_wait(house: House, github: FakeGitHub, run: Run, task_id: str) -> None:
    """Begin an order of the commit; its archive cannot be fetched yet."""
    github.script(Fault("status", "tarball", times=3, code=502))
    order(house, task_id)
    assert run(task_id).status is Status.FAILED


@pytest.mark.parametrize("ref", ["main", "HEAD"])
def test_second_order_of_a_commit_is_completed_with_the_first_ones_result(house, github, run, ref):
    order(house, "first")
    run("first")
    order(house, "second", "they", ref=ref)
    assert run("second").status is Status.COMPLETED
    first = house.as_("we").get("/v1/pipeline/status/first").json()
    second = house.as_("they").get("/v1/pipeline/status/second").json()
    assert (second["overall_status"], second["error"]) == ("completed", None)
    assert second["result"] == first["result"]
    assert {each["status"] for each in second["stages"].values()} == {"completed"}
    assert [call.route for call in github.calls].count("archive") == 1


def test_file_of_the_second_order_is_read_when_the_first_one_is_deleted(house, run):
    order(house, "first")
    run("first")
    order(house, "second", "they")
    run("second")
    assert house.as_("we").delete("/v1/pipeline/first").is_success
    for name in ("analysis.json", "report.html"):
        assert house.as_("they").get(f"/artifacts/second/{name}").status_code == 200
    record = house.as_("they").get("/v1/analysis/second").json()
    assert (record["status"], record["summary"]["test_count"]) == ("completed", 1)


def test_second_order_is_the_first_ones_record(house, run):
    order(house, "first")
    run("first")
    order(house, "second", "they")
    run("second")
    they = house.as_("they")
    record = they.get("/v1/analysis/first").json()
    assert (record["status"], record["summary"]["test_count"]) == ("completed", 1)
    assert they.get("/v1/analysis/second").json() == record
    assert they.get("/v1/analysis/shop/till").json() == record
    assert they.get("/v1/analysis").json()["records"] == [record]


def test_order_of_a_commit_that_is_being_made_waits_for_it(db, house, github, run):
    begin_and_wait(house, github, run, "first")
    order(house, "second", "they")
    waiting = run("second")
    assert (waiting.status, waiting.waits_for, waiting.error_code) == (
        Status.PENDING,
        "order:first",
        None,
    )
    assert list_due_task_ids(db, 9) == []
    Steps(db).sql("UPDATE requests SET not_before = NULL")
    run("first")
    assert list_due_task_ids(db, 9) == ["second"]
    assert run("second").status is Status.COMPLETED
    assert house.as_("they").get("/v1/analysis/second").json()["id"] == "first"


def test_order_whose_first_one_was_canceled_makes_it_itself(db, house, github, run):
    begin_and_wait(house, github, run, "first")
    order(house, "second")
    run("second")
    cancel_request(db, "first")
    assert list_due_task_ids(db, 9) == ["second"]
    done = run("second")
    assert done.status is Status.COMPLETED
    assert (done.unique_key or "").startswith("shop/till@")


def test_order_takes_the_commit_from_one_that_has_not_begun(db, house, github, run):
    sha = sha_of(github)
    order(house, "later", ref=sha, not_before="2099-01-01T00:00:00Z")
    order(house, "now")
    assert run("now").status is Status.COMPLETED
    Steps(db).sql("UPDATE requests SET not_before = NULL")
    assert run("later").status is Status.COMPLETED
    assert house.as_("we").get("/v1/analysis/later").json()["id"] == "now"


def test_order_by_sql_of_a_known_commit_is_completed(db, house, github, run):
    order(house, "first")
    run("first")
    payload = json.dumps({"repository": "shop/till", "ref": sha_of(github)})
    steps = Steps(db)
    steps.sql(
        "INSERT INTO requests (task_id, pipeline, payload, source) VALUES ('sql', 'analysis', :p, 'sql')",
        p=payload,
    )
    steps.dispatch()
    assert pick_up_or_reject(db, get_catalog(), steps.row("sql")) is not None
    assert run("sql").status is Status.COMPLETED


def test_redo_of_an_order_that_took_a_result_over_leaves_the_first_one(db, house, run):
    order(house, "first")
    run("first")
    order(house, "second")
    run("second")
    for stage in ("resolve", "analyse"):
        redo_order(db, "second", stage, {}, settings(), "Mina")
        assert run("second").status is Status.COMPLETED
    assert get_request(db, "first").status is Status.COMPLETED
    result = read_stage_result(db, "second", "analyse") or {}
    file = open_artifact_store(settings()).open(result["files"][0])
    assert json.loads(file.read_text())["test_files"][0]["path"] == "test_a.py"


def test_redo_from_a_stage_that_was_taken_over_with_others_makes_a_record_of_its_own(
    db, house, run
):
    order(house, "first")
    run("first")
    order(house, "second")
    run("second")
    redo_order(db, "second", "analyse", {}, settings(), "Mina")
    assert run("second").status is Status.COMPLETED
    assert house.as_("we").get("/v1/analysis/second").json()["id"] == "second"


def test_newest_result_of_an_order_that_was_made_again_is_taken_over(db, house, run):
    order(house, "first")
    run("first")
    redo_order(db, "first", "analyse", {}, settings(), "Mina")
    run("first")
    order(house, "second")
    assert run("second").status is Status.COMPLETED
    result = read_stage_result(db, "second", "analyse") or {}
    assert [each["name"] for each in result["files"]] == ["analysis.json"]
    status = house.as_("we").get("/v1/pipeline/status/second").json()
    assert status["result"]["analysis"] == "analysis.json"
    taken = status["stages"]["analyse"]
    assert (taken["status"], taken["attempts"], taken["seconds"]) == ("completed", 0, None)


def test_first_order_that_has_lost_a_file_is_named_to_who_comes_to_its_commit(house, run):
    order(house, "first")
    run("first")
    (open_artifact_store(settings()).root / "first" / "report.html").unlink()
    order(house, "second")
    second = run("second")
    assert (second.status, second.error_code) == (Status.DEAD, "artifact_missing")
    assert "castad redo first" in (second.error_message or "")


@pytest.mark.parametrize("name", ["f" * 128])
def test_wait_for_a_request_with_a_long_name_is_due_again_by_time(db, house, github, run, name):
    begin_and_wait(house, github, run, name)
    order(house, "second")
    waiting = run("second")
    assert (waiting.status, waiting.waits_for) == (Status.PENDING, f"order:{name}"[:64])
    assert waiting.not_before is not None


def test_wait_for_another_order_has_words_at_every_face(db, house, github, run):
    begin_and_wait(house, github, run, "first")
    order(house, "second", "they")
    run("second")
    status = house.as_("they").get("/v1/pipeline/status/second").json()
    assert (status["waits_for"], status["error"]) == ("order:first", None)
    assert house.as_("they").get("/v1/analysis/second").json()["status"] == "pending"
    shown = castad("status", "second").stdout
    assert "waiting for the result of first, which is the same order" in shown
