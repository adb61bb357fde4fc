"""Orders for an analysis of a local repository, by runs of the pipeline's own job."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from dagster import DagsterInstance
from dagster._core.execution.execute_in_process_result import ExecuteInProcessResult

from castad.orders.acts import redo_order
from castad.orders.orders_file import CheckedOrder
from castad.orders.submit import submit_order
from pipeline_defs.analysis.pipeline import PIPELINE
from pipeline_defs.build import make_job
from pipeline_defs.catalog import get_catalog
from resources.files.artifacts import open_artifact_store
from resources.ledger.queries.listing import find_artifact
from resources.ledger.queries.status import get_request, list_requests, may_read, read_stage_result
from resources.ledger.schema.tables import Status
from resources.process.settings import settings
from tests.api_house import served
from tests.git_repositories import commit_files, new_repository

TESTS = {"test_a.py": b"def test_it():\n    pass\n", "a.py": b"A = 1\n"}


def run(instance: DagsterInstance, task_id: str, **order: str) -> ExecuteInProcessResult:
    """The run of the order, as a run that is started by hand."""
    config = {"task_id": task_id, **order}
    return make_job(PIPELINE).execute_in_process(
        run_config=config, instance=instance, raise_on_error=False
    )


def test_local_repository_is_analysed_and_its_report_kept(instance, ledger, tmp_path):
    repository = new_repository(tmp_path / "shop", TESTS)
    sha = repository.head().decode()
    commit_files(repository, {"test_b.py": b"def test_later():\n    pass\n"})
    run(instance, "r", repository=repository.path, ref=sha[:12])
    assert get_request(ledger, "r").status is Status.COMPLETED
    pipeline = get_catalog().get_pipeline("analysis")
    results = {name: read_stage_result(ledger, "r", name) or {} for name in pipeline.stage_names}
    result = pipeline.build_result(results)
    assert (result["sha"], result["file_count"], result["test_count"]) == (sha, 2, 1)
    store = open_artifact_store(settings())
    found = {name: find_artifact(ledger, "r", result[name]) for name in ("analysis", "report")}
    files = {name: store.open(vars(file)).read_text() for name, file in found.items() if file}
    assert json.loads(files["analysis"])["test_files"][0]["path"] == "test_a.py"
    assert files["report"].startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("order", "code"),
    [({"ref": "nowhere"}, "ref_not_found"), ({"repository": "/nowhere"}, "repository_not_found")],
)
def test_repository_that_cannot_be_read_makes_the_order_dead_by_its_code(
    instance, ledger, tmp_path, order, code
):
    repository = new_repository(tmp_path / "shop", TESTS)
    run(instance, "r", **{"repository": repository.path, **order})
    request = get_request(ledger, "r")
    assert (request.status, request.error_code) == (Status.DEAD, code)


def test_local_branch_of_a_commit_that_another_request_has_analysed_has_its_result(
    instance, ledger, tmp_path
):
    repository = new_repository(tmp_path / "shop", TESTS)
    run(instance, "first", repository=repository.path)
    run(instance, "second", repository=repository.path, ref="main")
    assert get_request(ledger, "second").status is Status.COMPLETED
    counted = [read_stage_result(ledger, name, "analyse") or {} for name in ("first", "second")]
    assert counted[0]["test_count"] == counted[1]["test_count"] == 1


def test_order_of_an_analysed_commit_is_the_request_that_analysed_it(instance, ledger, tmp_path):
    repository = new_repository(tmp_path / "shop", TESTS)
    run(instance, "first", repository=repository.path)
    sha = repository.head().decode()
    again = submit_order(ledger, ordered(repository.path, sha))
    assert (again.created, again.request.task_id) == (False, "first")


@pytest.mark.parametrize(
    ("ref", "stage", "is_new"),
    [("main", "resolve", True), ("main", "analyse", False), ("", "resolve", False)],
)
def test_order_whose_commit_is_found_again_is_that_commit_only_where_it_names_it(
    instance, ledger, tmp_path, ref, stage, is_new
):
    repository = new_repository(tmp_path / "shop", TESTS)
    sha = repository.head().decode()
    run(instance, "first", repository=repository.path, ref=ref or sha)
    redo_order(ledger, "first", stage, {}, settings(), "Mina")
    assert submit_order(ledger, ordered(repository.path, sha)).created is is_new


def test_200_parallel_orders_of_20_owners_for_5_commits_are_5_requests(db):
    together = Barrier(20)
    spelt = ("Shop/Till", "shop/till", "https://github.com/shop/Till.git")

    def order(owner: int) -> set[str]:
        together.wait()
        return {
            submit_order(
                db, ordered(spelt[number % 3], f"{number % 5:040x}"), owner=f"owner-{owner}"
            ).request.task_id
            for number in range(10)
        }

    with ThreadPoolExecutor(20) as threads:
        seen = list(threads.map(order, range(20)))
    requests = list_requests(db, limit=300)
    assert len(requests) == 5
    assert all(each == {request.task_id for request in requests} for each in seen)
    assert all(
        may_read(db, request.id, f"owner-{owner}") for request in requests for owner in range(20)
    )


@pytest.mark.usefixtures("ledger")
def test_path_of_this_machine_is_refused_over_http(tmp_path):
    order = {"pipeline": "analysis", "repository": new_repository(tmp_path / "shop", TESTS).path}
    with served() as house:
        client = house.as_("we")
        start = client.post("/v1/pipeline/start", json=order)
        dry_run = client.post("/v1/pipeline/start", params={"dry_run": "true"}, json=order)
        batch = client.post("/v1/pipeline/batch", json=[order])
    answers = [(answer.status_code, answer.json()["field"]) for answer in (start, dry_run, batch)]
    assert answers == 3 * [(422, "repository")]
    assert "can only be ordered by `castad make`" in start.json()["detail"]


def ordered(repository: str, ref: str) -> CheckedOrder:
    """An order as the faces check it."""
    return CheckedOrder(
        "", None, PIPELINE, PIPELINE.normalize({"repository": repository, "ref": ref})
    )
