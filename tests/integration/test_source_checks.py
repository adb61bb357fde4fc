"""What somebody has used lately is analysed again where its branch has another commit."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from dagster import DagsterInstance, RunRequest, SkipReason, build_schedule_context
from sqlalchemy import Row, select

from pipeline_defs.analysis.pipeline import PIPELINE
from pipeline_defs.build import make_job
from pipeline_defs.catalog import get_catalog
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.status import get_request, list_requests, read_clock
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status, source_checks
from resources.ledger.transitions.housekeeping import resume_provider
from resources.ledger.transitions.source_checks import save_source_use
from resources.process.settings import settings
from sensors.check_sources import (
    SOURCE,
    check_sources,
    list_pipelines_to_check,
    source_check_job,
    source_check_schedule,
)
from tests.api_house import served
from tests.fakes.faults import Fault
from tests.fakes.github import FakeGitHub, FakeRepository
from tests.git_repositories import new_repository
from tests.ledger_steps import Steps
from tests.quiet_dagster import quiet_instance

FILES = {"a.py": b"A = 1\n"}
CHANGED = {"a.py": b"A = 2\n"}
CHANGED_AGAIN = {"a.py": b"A = 3\n"}


@dataclass
class House:
    """A ledger, a fake GitHub with one repository, and the runs that the orders get."""

    db: Database
    github: FakeGitHub
    repository: FakeRepository
    dagster: DagsterInstance

    def run(self, task_id: str, **order: str) -> Request:
        config = {"task_id": task_id, **order}
        make_job(PIPELINE).execute_in_process(
            run_config=config, instance=self.dagster, raise_on_error=False
        )
        return get_request(self.db, task_id)

    def ordered(self, ref: str = "main") -> Request:
        """A person has ordered the repository's branch, and it is analysed."""
        return self.run("by-hand", repository="shop/till", ref=ref)

    def edit(self, assignments: str, **values: Any) -> None:
        Steps(self.db).sql(f"UPDATE source_checks SET {assignments}", **values)

    def run_once(self) -> list[str]:
        """Return what one run of the schedule makes where everything is due."""
        self.edit("due_at = :past", past="2020-01-01 00:00:00+00:00")
        return check_sources(self.db, get_catalog(), settings())

    def check(self) -> list[str]:
        """Return what the schedule makes where everything is due, run by run until nothing may be asked."""
        made = self.run_once()
        while list_pipelines_to_check(self.db, get_catalog()):
            made += check_sources(self.db, get_catalog(), settings())
        return made

    def idle(self, days: float) -> None:
        """Nobody has used it for so long."""
        past = f"datetime('now', '-{days} days')"
        past = past if self.db.is_sqlite else f"now() - interval '{days} days'"
        self.edit(f"used_at = {past}")

    @property
    def rows(self) -> list[Row[Any]]:
        with self.db.reading() as tx:
            return list(tx.execute(select(source_checks).order_by(source_checks.c.id)).all())

    @property
    def hours(self) -> float:
        """How long the one row is left alone."""
        (row,) = self.rows
        return float((row.due_at - read_clock(self.db)).total_seconds() / 3_600)

    @property
    def made(self) -> list[Request]:
        """What was ordered by the schedule, the oldest first."""
        return [each for each in list_requests(self.db, limit=99)[::-1] if each.source == SOURCE]


@pytest.fixture
def house(ledger_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    if ledger_url.startswith("postgresql"):
        monkeypatch.setenv("CASTAD_DATABASE_URL", ledger_url)
    with (
        FakeGitHub(tmp_path / "github") as github,
        quiet_instance(tmp_path / "dagster") as dagster,
    ):
        monkeypatch.setenv("GITHUB_API_URL", github.url)
        settings.cache_clear()
        repository = github.add("Shop", "Till")
        repository.push(FILES, "main")
        db = open_database(settings().ledger_url)
        yield House(db, github, repository, dagster)
        db.close()


def test_branch_with_another_commit_is_analysed_again_as_any_other_order(house):
    house.ordered()
    assert house.check() == []
    sha = house.repository.push(CHANGED, "main")
    (task_id,) = house.check()
    assert house.run(task_id).status is Status.COMPLETED
    (made,) = house.made
    assert made.unique_key == f"shop/till@{sha}"
    assert (made.owner, made.priority) == (None, -100)
    assert house.check() == []


def test_unchanged_branch_is_asked_about_by_its_etag(house):
    house.ordered()
    house.check()
    house.check()
    asked = [each.headers.get("if-none-match") for each in house.github.calls]
    assert [each for each in asked if each] == [house.rows[0].mark]
    assert 5.9 < house.hours < 6.7


@pytest.mark.parametrize("has_token", [False, True])
def test_one_order_at_a_time_is_made_and_the_next_when_it_has_ended(house, monkeypatch, has_token):
    if has_token:
        monkeypatch.setenv("GITHUB_TOKEN", house.github.key)
        settings.cache_clear()
    house.ordered("main")
    house.repository.push(CHANGED, "next")
    house.run("other", repository="shop/till", ref="next")
    house.repository.push(CHANGED_AGAIN, "main")
    house.repository.push({}, "next")
    (first,) = house.check()
    assert house.check() == []
    house.run(first)
    (second,) = house.check()
    house.run(second)
    assert house.check() == []
    assert len(house.made) == 2


def test_commit_and_local_or_unknown_repository_are_never_asked_about(house, tmp_path):
    local = new_repository(tmp_path / "local", FILES)
    sha = house.repository.refs["main"]
    house.run("commit", repository="shop/till", ref=sha)
    house.run("local", repository=local.path)
    house.run("unknown", repository="shop/unknown")
    assert house.rows == []


def test_branch_whose_commit_another_request_has_is_checked_all_the_same(house):
    house.run("commit", repository="shop/till", ref=house.repository.refs["main"])
    assert house.ordered().status is Status.COMPLETED
    house.repository.push(CHANGED, "main")
    assert len(house.check()) == 1


def test_repository_that_has_become_private_is_forgotten_unanalysed(house, monkeypatch):
    house.ordered()
    house.repository.push(CHANGED, "main")
    house.repository.is_private = True
    monkeypatch.setenv("GITHUB_TOKEN", house.github.key)
    settings.cache_clear()
    assert (house.check(), house.rows) == ([], [])


def test_less_used_is_asked_about_more_rarely_and_at_last_forgotten(house):
    house.ordered()
    house.idle(8)
    house.check()
    assert 47 < house.hours < 54
    save_source_use(house.db, "analysis", "shop/till")
    assert house.hours < 6.1
    house.idle(30)
    calls = len(house.github.calls)
    house.check()
    assert (house.rows, len(house.github.calls)) == ([], calls)


def test_repository_that_is_gone_is_asked_about_three_times_until_a_person_orders_it(house):
    house.ordered()
    name = house.repository.name
    house.repository.name = "elsewhere"
    calls = len(house.github.calls)
    for _ in range(5):
        house.check()
    assert len(house.github.calls) == calls + 3
    assert house.hours > 29 * 24
    save_source_use(house.db, "analysis", "shop/till")
    assert house.hours > 29 * 24
    house.repository.name = name
    house.repository.push(CHANGED, "main")
    house.run("again", repository="shop/till", ref="main")
    assert house.hours < 7
    house.repository.push(CHANGED_AGAIN, "main")
    assert len(house.check()) == 1


def test_orders_that_end_dead_are_failures_until_one_is_completed(house):
    house.ordered()
    failures = []
    for number, breaks in enumerate((True, True, False, True)):
        sha = house.repository.push({"a.py": b"%d" % number}, "main")
        if breaks:
            house.repository.archives[sha] = b"no archive"
        (task_id,) = house.check()
        house.run(task_id)
        failures.append(house.rows[0].failures)
    assert failures == [0, 1, 2, 0]
    assert [each.status for each in house.made] == [
        *(Status.DEAD, Status.DEAD, Status.COMPLETED, Status.DEAD)
    ]
    for _ in range(3):
        house.check()
    assert house.rows[0].failures == 3


def test_limit_of_github_leaves_the_rest_for_later_and_counts_as_no_failure(house):
    house.ordered()
    house.repository.push(CHANGED, "next")
    house.run("other", repository="shop/till", ref="next")
    house.github.script(Fault("rate_limited", "commit", retry_after=900, code=403))
    calls = len(house.github.calls)
    for _ in range(2):
        assert house.check() == []
    assert len(house.github.calls) == calls + 1
    assert [each.failures for each in house.rows] == [0, 0]
    resume_provider(house.db, "github")
    house.repository.push(CHANGED_AGAIN, "main")
    assert len(house.check()) == 1


@pytest.mark.parametrize(
    "payload", ["nonsense", "[]", "{}", '{"repository": "a b"}', '[["repository", "/x"]]']
)
def test_row_that_an_operator_has_spoilt_harms_only_itself(house, payload):
    house.ordered()
    house.edit("payload = :p", p=payload)
    house.repository.push(CHANGED, "next")
    house.run("other", repository="shop/till", ref="next")
    house.repository.push(CHANGED_AGAIN, "next")
    assert len(house.check()) == 1
    assert [each.failures for each in house.rows] == [1, 0]


def test_schedule_has_a_run_check_only_where_something_is_due(house):
    def tick() -> object:
        return source_check_schedule(build_schedule_context(instance=house.dagster))

    house.ordered()
    assert isinstance(tick(), SkipReason)
    house.edit("due_at = used_at")
    assert isinstance(tick(), RunRequest)
    house.repository.push(CHANGED, "main")
    assert source_check_job.execute_in_process(instance=house.dagster).success
    house.edit("due_at = used_at")
    assert [each.status for each in house.made] == [Status.PENDING]
    assert isinstance(tick(), SkipReason)


def test_who_may_read_an_analysis_may_read_the_next_and_a_stranger_neither(house):
    with served() as api:
        we, they, strangers = (api.as_(name) for name in ("we", "they", "strangers"))
        we.post("/v1/analysis", json={"task_id": "r", "repository": "shop/till", "ref": "main"})
        house.run("r")
        sha = house.repository.refs["main"]
        they.post("/v1/analysis", json={"repository": "shop/till", "ref": sha})
        newest = []
        for content in (CHANGED, CHANGED_AGAIN):
            house.repository.push(content, "main")
            newest += house.check()
            house.run(newest[-1])
        seen = [
            each.get("/v1/analysis/shop/till").json().get("id") for each in (we, they, strangers)
        ]
        assert seen == [newest[-1], newest[-1], None]


@pytest.mark.parametrize("path", ["/v1/analysis/by-hand", "/v1/analysis/SHOP/till"])
def test_reading_a_record_is_a_use(house, path):
    house.ordered()
    house.idle(29)
    house.edit("due_at = :later", later="2100-01-01 00:00:00+00:00")
    with served() as api:
        assert api.as_("strangers").get(path).status_code == 404
        assert house.hours > 7 * 24
        assert api.admin().get(path).status_code == 200
    assert 5.9 < house.hours < 6.7
    assert (read_clock(house.db) - house.rows[0].used_at).days == 0


@pytest.mark.parametrize(("has_token", "asked"), [(False, 1), (True, 4)])
def test_run_asks_no_more_than_its_share_of_the_hour(house, monkeypatch, has_token, asked):
    for number in range(4):
        house.repository.push({"a.py": b"%d" % number}, f"branch-{number}")
        house.run(f"r-{number}", repository="shop/till", ref=f"branch-{number}")
    if has_token:
        monkeypatch.setenv("GITHUB_TOKEN", house.github.key)
        settings.cache_clear()
    calls = len(house.github.calls)
    house.run_once()
    commits = [each for each in house.github.calls[calls:] if each.route == "commit"]
    assert len(commits) == asked


def test_order_that_its_process_could_not_save_is_made_once(house):
    house.ordered()
    (before,) = house.rows
    house.repository.push(CHANGED, "main")
    made = house.check()
    house.edit("found = :found, mark = '', task_id = NULL", found=before.found)
    assert house.check() == made
    assert [each.task_id for each in house.made] == made
    assert house.check() == []
    house.run(made[0])
    assert house.check() == []
    assert len(house.made) == 1
