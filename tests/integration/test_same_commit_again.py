"""A dead or canceled order that comes back to a commit which another request has made by then is that record."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier

import pytest
from dagster import DagsterInstance
from sqlalchemy import select

from castad.orders.bulk import plan_retry, retry_planned
from pipeline_defs.analysis.pipeline import PIPELINE
from pipeline_defs.build import make_job
from pipeline_defs.catalog import get_catalog
from resources.files.artifacts import open_artifact_store
from resources.ledger.db.database import Database
from resources.ledger.queries.dispatch import list_due_task_ids
from resources.ledger.queries.listing import RequestFilter
from resources.ledger.queries.status import get_request, read_clock
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status, analyses
from resources.ledger.transitions.claims import Claimant, claim_request
from resources.ledger.transitions.orders import cancel_request
from resources.process.settings import settings
from sensors.requests import pick_up_or_reject
from sensors.retention_job import Cycle, build_keep_times, redrive_dead_letters
from tests.api_house import House, served, use_ledger
from tests.command_line import castad
from tests.fakes.faults import Fault
from tests.fakes.github import FakeGitHub
from tests.ledger_steps import Steps
from tests.page_visitor import log_in

TESTS = {"test_a.py": b"def test_it():\n    pass\n", "a.py": b"A = 1\n"}
STAGES = ("resolve", "read", "analyse", "record")
Run = Callable[[str], Request]
Retry = Callable[[House], object]


@pytest.fixture
def github(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGitHub]:
    """The fake that this process' settings lead to, as they lead to the ledger."""
    use_ledger(db.url.render_as_string(hide_password=False), monkeypatch)
    with FakeGitHub(tmp_path / "github") as fake:
        fake.add("shop", "till").push(TESTS, "main")
        monkeypatch.setenv("GITHUB_API_URL", fake.url)
        settings.cache_clear()
        yield fake


@pytest.fixture
def house(github: FakeGitHub) -> Iterator[House]:
    with served() as made:
        yield made


@pytest.fixture
def run(instance: DagsterInstance, db: Database) -> Run:
    """A run of the request of this name, after its sensor has dispatched what is due."""

    def execute(task_id: str) -> Request:
        steps = Steps(db)
        steps.dispatch()
        request = steps.row(task_id)
        if request.status is Status.DISPATCHED:
            pick_up_or_reject(db, get_catalog(), request)
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


def ref_of(github: FakeGitHub, named_by: str) -> str:
    """The commit as an order names it."""
    return "main" if named_by == "branch" else github.repository("shop", "till").refs["main"]


def die(house: House, github: FakeGitHub, run: Run, task_id: str, ref: str = "main") -> None:
    """Order the commit, whose archive cannot be fetched."""
    github.script(Fault("status", "tarball", times=1, code=404))
    order(house, task_id, ref=ref)
    assert run(task_id).status is Status.DEAD


def die_in(db: Database, house: House, run: Run, stage: str) -> None:
    """Order the commit as `first`; this stage and those after it are not made."""
    order(house, "first")
    run("first")
    steps = Steps(db)
    for name in STAGES[STAGES.index(stage) :]:
        steps.sql("DELETE FROM artifacts WHERE stage = :s", s=name)
        steps.sql("UPDATE stages SET status = 'pending', result = NULL WHERE stage = :s", s=name)
    steps.sql("UPDATE requests SET status = 'dead', completed_at = NULL, stage = :s", s=stage)


def begin(house: House, github: FakeGitHub, run: Run, task_id: str, owner: str = "we") -> None:
    """Begin an order of the commit; its archive cannot be fetched yet."""
    github.script(Fault("status", "tarball", times=3, code=502))
    order(house, task_id, owner)
    assert run(task_id).status is Status.FAILED


def make(house: House, run: Run, task_id: str = "second") -> None:
    """Another owner's order of the commit makes it."""
    order(house, task_id, "they")
    assert run(task_id).status is Status.COMPLETED


def archives(github: FakeGitHub) -> int:
    """How often the commit was fetched."""
    return [call.route for call in github.calls].count("archive")


def own_projections(db: Database) -> Sequence[str]:
    """The requests that have a projection of their own."""
    with db.reading() as tx:
        return list(tx.execute(select(analyses.c.id)).scalars())


def retry_by_command(house: House) -> None:
    done = castad("retry", "first")
    assert done.returncode == 0, done.stderr


def retry_over_http(house: House) -> None:
    answer = house.as_("we").post("/v1/pipeline/retry/first")
    assert answer.is_success, answer.text


def retry_all_over_http(house: House) -> None:
    answer = house.as_("we").post("/v1/pipeline/retry", params={"status": "dead"})
    assert answer.json()["task_ids"] == ["first"]


def retry_on_its_page(house: House) -> None:
    log_in(house, "we", "order", "read").confirm("/works/first/retry", {})


def retry_all_on_the_dashboard(house: House) -> None:
    wanted, later = RequestFilter(status=Status.DEAD), read_clock(house.db) + timedelta(minutes=1)
    plan = plan_retry(house.db, wanted, later, settings())
    assert retry_planned(house.db, plan, later, "Mina").task_ids == ["first"]


def redrive(house: House) -> None:
    """As the schedule does with what died of a passing cause."""
    Steps(house.db).sql("UPDATE requests SET error_code = 'disk_full' WHERE status = 'dead'")
    config = settings()
    cycle = Cycle(
        house.db, open_artifact_store(config), build_keep_times(config), read_clock(house.db)
    )
    redrive_dead_letters(cycle)
    assert cycle.counts["redriven"] == 1


RETRIES: Sequence[Retry] = (
    *(retry_by_command, retry_over_http, retry_all_over_http),
    *(retry_on_its_page, retry_all_on_the_dashboard, redrive),
)


@pytest.mark.parametrize(
    ("retry", "named_by"),
    [*((each, "branch") for each in RETRIES), (retry_over_http, "commit"), (redrive, "commit")],
)
def test_dead_order_whose_commit_another_one_has_made_is_retried_as_its_record(
    db, house, github, run, retry, named_by
):
    die(house, github, run, "first", ref_of(github, named_by))
    make(house, run)
    retry(house)
    done = run("first")
    assert (done.status, done.error_code) == (Status.COMPLETED, None)
    assert archives(github) == 1
    record = house.as_("we").get("/v1/analysis/first").json()
    assert (record["id"], record["status"]) == ("second", "completed")
    assert record["summary"]["test_count"] == 1
    assert house.as_("we").get("/v1/analysis").json()["records"] == [record]
    assert own_projections(db) == ["second"]


@pytest.mark.parametrize("stage", ["read", "analyse", "record"])
def test_dead_order_is_retried_as_the_record_from_whichever_stage_it_died_in(
    db, house, github, run, stage
):
    die_in(db, house, run, stage)
    make(house, run)
    retry_over_http(house)
    assert run("first").status is Status.COMPLETED
    assert archives(github) == 2
    assert own_projections(db) == ["second"]
    we = house.as_("we")
    assert we.get("/v1/analysis/first").json()["id"] == "second"
    for name in ("analysis.json", "report.html"):
        assert we.get(f"/artifacts/first/{name}").status_code == 200


def test_canceled_order_whose_commit_another_one_has_made_is_retried_as_its_record(
    db, house, github, run
):
    begin(house, github, run, "first")
    cancel_request(db, "first")
    make(house, run)
    retry_over_http(house)
    assert run("first").status is Status.COMPLETED
    assert house.as_("we").get("/v1/analysis/first").json()["id"] == "second"


def test_canceled_order_that_dagster_brings_back_leaves_the_commit_to_the_one_that_has_it(
    db, house, github, run
):
    order(house, "first", ref=ref_of(github, "commit"))
    cancel_request(db, "first", by="dagster")
    make(house, run)
    later = read_clock(db) + timedelta(minutes=1)
    again = Claimant("run", "worker:1", None, "analysis", takes_over=True, reexecuted_at=later)
    request, _ = claim_request(db, "first", again, lease_seconds=60, poison_deaths=3)
    assert (request.status, request.unique_key) == (Status.PROCESSING, None)


@pytest.mark.parametrize("stage", ["read", "analyse"])
def test_order_that_is_retried_waits_for_the_one_that_makes_its_commit(
    db, house, github, run, stage
):
    die_in(db, house, run, stage)
    begin(house, github, run, "second", "they")
    retry_over_http(house)
    waiting = run("first")
    assert (waiting.status, waiting.waits_for) == (Status.PENDING, "order:second")
    assert house.as_("we").get("/v1/analysis/first").json()["status"] == "pending"
    Steps(db).sql("UPDATE requests SET not_before = NULL")
    assert run("second").status is Status.COMPLETED
    assert list_due_task_ids(db, 9) == ["first"]
    assert run("first").status is Status.COMPLETED
    assert house.as_("we").get("/v1/analysis/first").json()["id"] == "second"


@pytest.mark.parametrize("stage", ["read", "analyse", "record"])
def test_order_that_is_retried_makes_its_commit_where_the_other_one_was_deleted_meanwhile(
    db, house, run, stage
):
    die_in(db, house, run, stage)
    make(house, run)
    retry_over_http(house)
    assert house.as_("they").delete("/v1/pipeline/second").is_success
    done = run("first")
    assert done.status is Status.COMPLETED
    assert (done.unique_key or "").startswith("shop/till@")
    record = house.as_("we").get("/v1/analysis/first").json()
    assert (record["id"], record["summary"]["test_count"]) == ("first", 1)


@pytest.mark.parametrize("named_by", ["branch", "commit"])
def test_dead_orders_of_one_commit_that_are_retried_at_once_are_made_once(
    db, house, github, run, named_by
):
    names = ("a", "b", "c")
    for name in names:
        # No order holds the commit once the one before it is dead.
        die(house, github, run, name, ref_of(github, named_by))
    together = Barrier(len(names))

    def retry(name: str) -> int:
        client = house.as_("admin", "admin")
        together.wait()
        return client.post(f"/v1/pipeline/retry/{name}").status_code

    with ThreadPoolExecutor(len(names)) as threads:
        assert list(threads.map(retry, names)) == [200] * len(names)
    # One that begins before the one that holds the commit waits for that, and begins again.
    for name in (*names, *names):
        if get_request(db, name).status is not Status.COMPLETED:
            run(name)
    assert [get_request(db, name).status for name in names] == [Status.COMPLETED] * len(names)
    assert archives(github) == 1
    assert len(own_projections(db)) == 1


def test_dead_letter_of_a_release_that_took_no_result_over_is_among_those_that_are_retried(
    db, house, github, run
):
    die(house, github, run, "first")
    make(house, run)
    Steps(db).sql("UPDATE requests SET error_code = 'duplicate' WHERE status = 'dead'")
    retry_all_on_the_dashboard(house)
    assert run("first").status is Status.COMPLETED
