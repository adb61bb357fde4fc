"""Orders for an analysis of a repository of GitHub, by runs of the pipeline's own job against a fake of GitHub."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from dagster import DagsterInstance

from castad.orders.orders_file import CheckedOrder
from castad.orders.submit import submit_order
from pipeline_defs.analysis.pipeline import PIPELINE
from pipeline_defs.build import make_job
from resources.files.artifacts import open_artifact_store
from resources.ledger.db.database import Database
from resources.ledger.queries.status import get_request, read_stage_result
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.housekeeping import resume_provider
from resources.process.settings import settings
from tests.fakes.faults import Fault
from tests.fakes.github import FakeGitHub

TESTS = {"test_a.py": b"def test_it():\n    pass\n", "a.py": b"A = 1\n"}


@pytest.fixture
def github(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGitHub]:
    with FakeGitHub(tmp_path / "github") as fake:
        monkeypatch.setenv("GITHUB_API_URL", fake.url)
        settings.cache_clear()
        yield fake


def run(instance: DagsterInstance, ledger: Database, task_id: str, **order: str) -> Request:
    """The request after a run of its order."""
    config = {"task_id": task_id, **order}
    make_job(PIPELINE).execute_in_process(
        run_config=config, instance=instance, raise_on_error=False
    )
    return get_request(ledger, task_id)


def ordered(repository: str, ref: str) -> CheckedOrder:
    """An order as the faces check it."""
    payload = PIPELINE.normalize({"repository": repository, "ref": ref})
    return CheckedOrder("", None, PIPELINE, payload)


def test_repository_of_github_is_fetched_and_analysed(instance, ledger, github):
    sha = github.add("Shop", "Till").push(TESTS, "main")
    assert run(instance, ledger, "r", repository="shop/till").status is Status.COMPLETED
    resolved, counted = (read_stage_result(ledger, "r", each) for each in ("resolve", "analyse"))
    assert (resolved or {})["sha"] == sha
    assert ((counted or {})["file_count"], (counted or {})["test_count"]) == (2, 1)


def test_order_of_an_analysed_commit_in_another_spelling_is_the_request_that_analysed_it(
    instance, ledger, github
):
    sha = github.add("Shop", "Till").push(TESTS, "main")
    run(instance, ledger, "first", repository="shop/till", ref="main")
    again = submit_order(ledger, ordered("https://github.com/SHOP/Till.git", sha))
    assert (again.created, again.request.task_id) == (False, "first")


def test_file_that_gitattributes_keep_out_of_the_archive_is_named_in_the_result(
    instance, ledger, github
):
    attributes = b"/tests export-ignore\n.gitattributes export-ignore\n"
    files = {"a.py": b"A = 1\n", "tests/test_a.py": TESTS["test_a.py"]}
    github.add("shop", "till").push({**files, ".gitattributes": attributes}, "main")
    assert run(instance, ledger, "r", repository="shop/till").status is Status.COMPLETED
    counted = read_stage_result(ledger, "r", "analyse") or {}
    analysis = json.loads(open_artifact_store(settings()).open(counted["files"][0]).read_text())
    left_out = [each for each in analysis["remarks"] if each["remark"] == "not_in_archive"]
    assert left_out[0]["examples"] == [".gitattributes", "tests/test_a.py"]


def test_renamed_repository_is_analysed_once_under_its_new_name(instance, ledger, github):
    repository = github.add("shop", "till")
    repository.push(TESTS, "main")
    github.rename(repository, "store", "Counter")
    assert run(instance, ledger, "old", repository="shop/till").status is Status.COMPLETED
    resolved = read_stage_result(ledger, "old", "resolve") or {}
    assert (resolved["owner"], resolved["name"]) == ("store", "Counter")
    assert run(instance, ledger, "new", repository="store/counter").status is Status.COMPLETED
    assert [call.route for call in github.calls].count("archive") == 1


@pytest.mark.parametrize(
    ("repository", "ref", "code"),
    [
        ("shop/nothing", "HEAD", "repository_not_found"),
        ("shop/hidden", "HEAD", "repository_not_found"),
        ("shop/empty", "HEAD", "repository_empty"),
        ("shop/till", "nowhere", "ref_not_found"),
    ],
)
def test_repository_that_github_does_not_give_makes_the_order_dead_by_its_code(
    instance, ledger, github, repository, ref, code
):
    github.add("shop", "till").push(TESTS, "main")
    github.add("shop", "hidden", is_private=True).push(TESTS, "main")
    github.add("shop", "empty")
    request = run(instance, ledger, "r", repository=repository, ref=ref)
    assert (request.status, request.error_code) == (Status.DEAD, code)


def test_private_repository_that_the_token_reaches_is_refused(
    instance, ledger, github, monkeypatch
):
    github.add("shop", "hidden", is_private=True).push(TESTS, "main")
    monkeypatch.setenv("GITHUB_TOKEN", github.key)
    settings.cache_clear()
    request = run(instance, ledger, "r", repository="shop/hidden")
    assert (request.status, request.error_code) == (Status.DEAD, "repository_private")


@pytest.mark.parametrize("route", ["commit", "tarball"])
@pytest.mark.parametrize("code", [403, 429])
def test_limit_of_github_pauses_it_and_the_request_waits_uncounted(
    instance, ledger, github, route, code
):
    github.add("shop", "till").push(TESTS, "main")
    github.script(Fault("rate_limited", route, retry_after=900, code=code))
    limited = run(instance, ledger, "r", repository="shop/till")
    assert (limited.status, limited.waits_for) == (Status.PENDING, "github")
    assert limited.retry_count == 0
    calls = len(github.calls)
    other = run(instance, ledger, "other", repository="shop/till")
    assert (other.waits_for, len(github.calls)) == ("github", calls)
    assert resume_provider(ledger, "github")
    assert run(instance, ledger, "r").status is Status.COMPLETED


def test_token_that_github_refuses_pauses_it(instance, ledger, github, monkeypatch):
    github.add("shop", "till").push(TESTS, "main")
    monkeypatch.setenv("GITHUB_TOKEN", "a-token-that-is-wrong")
    settings.cache_clear()
    request = run(instance, ledger, "r", repository="shop/till")
    assert (request.status, request.waits_for) == (Status.PENDING, "github")
    assert "GITHUB_TOKEN" in (request.error_message or "")
    assert "a-token-that-is-wrong" not in (request.error_message or "")


BREAKS = [("reset", "commit"), ("status", "commit"), ("truncate", "archive"), ("status", "tarball")]


@pytest.mark.parametrize(("kind", "route"), BREAKS)
def test_broken_answer_of_github_is_asked_for_again(instance, ledger, github, kind, route):
    github.add("shop", "till").push(TESTS, "main")
    github.script(Fault(kind, route))
    assert run(instance, ledger, "r", repository="shop/till").status is Status.COMPLETED
    assert github.unused() == []
