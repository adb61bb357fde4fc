"""The records of analyses: written by workers alone, read and ordered over HTTP."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from dagster import DagsterInstance
from sqlalchemy import create_engine, select, text
from sqlalchemy.exc import ProgrammingError

from pipeline_defs.analysis.pipeline import PIPELINE
from pipeline_defs.build import make_job
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.status import get_request, list_requests
from resources.ledger.schema.tables import Status, analyses
from resources.ledger.transitions.orders import cancel_request
from resources.process.settings import settings
from tests.api_house import House, served, use_ledger
from tests.fakes.faults import Fault
from tests.fakes.github import FakeGitHub
from tests.ledger_steps import Steps

TESTS = {"test_a.py": b"def test_it():\n    pass\n", "a.py": b"A = 1\n"}
Run = Callable[[str], None]


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
    with served() as made:
        yield made


@pytest.fixture
def run(instance: DagsterInstance) -> Run:
    """A run of the request of this name, as its sensor launches one."""

    def execute(task_id: str) -> None:
        make_job(PIPELINE).execute_in_process(
            run_config={"task_id": task_id}, instance=instance, raise_on_error=False
        )

    return execute


def test_record_is_read_by_its_id_and_by_its_names_in_any_case(house, github, run):
    sha = github.add("Shop", "Till").push(TESTS, "main")
    client = house.as_("we")
    ordered = client.post("/v1/analysis", json={"task_id": "r", "repository": "Shop/Till"})
    assert (ordered.status_code, ordered.headers["location"]) == (202, "/v1/analysis/r")
    before = client.get("/v1/analysis/r").json()
    assert (before["status"], before["sha"], before["summary"]) == ("pending", None, None)
    run("r")
    record = client.get("/v1/analysis/SHOP/tiLL").json()
    assert (record["id"], record["owner"], record["repo"]) == ("r", "Shop", "Till")
    assert (record["status"], record["sha"]) == ("completed", sha)
    assert (record["summary"]["file_count"], record["summary"]["test_count"]) == (2, 1)
    assert record["started_at"] <= record["finished_at"]
    others = ("/v1/analysis/r", f"/v1/analysis/shop/till?sha={sha}")
    assert [client.get(path).json() for path in others] == [record, record]
    assert client.get("/v1/analysis").json() == {"records": [record], "next": None}
    other_sha = client.get(f"/v1/analysis/shop/till?sha={'0' * 40}")
    assert (other_sha.status_code, other_sha.json()["code"]) == (404, "unknown_record")


def test_record_is_for_all_who_order_its_commit_and_for_nobody_else(house, github, run):
    sha = github.add("shop", "till").push(TESTS, "main")
    house.as_("we").post("/v1/analysis", json={"task_id": "r", "repository": "shop/till"})
    run("r")
    they = house.as_("they")
    paths = ("/v1/analysis/r", "/v1/analysis/shop/till")
    assert [they.get(path).status_code for path in paths] == [404, 404]
    again = they.post("/v1/analysis", json={"repository": "SHOP/till", "ref": sha})
    assert (again.status_code, again.json()["task_id"]) == (200, "r")
    assert [they.get(path).json()["status"] for path in paths] == ["completed", "completed"]


def test_record_of_an_order_that_is_canceled_is_closed(db, house, github, run):
    github.add("shop", "till").push(TESTS, "main")
    github.script(Fault("rate_limited", "tarball", retry_after=900))
    house.as_("we").post("/v1/analysis", json={"task_id": "r", "repository": "shop/till"})
    run("r")
    assert projection_statuses(db) == ["running"]
    cancel_request(db, "r")
    assert projection_statuses(db) == ["canceled"]


def test_record_by_its_names_is_pending_from_the_moment_of_the_order(house, github, run):
    github.add("Shop", "Till").push(TESTS, "main")
    we = house.as_("we")
    we.post("/v1/analysis", json={"task_id": "r", "repository": "Shop/Till"})
    record = we.get("/v1/analysis/shop/TILL").json()
    assert (record["id"], record["status"], record["sha"]) == ("r", "pending", None)
    assert (record["owner"], record["repo"]) == ("Shop", "Till")
    assert we.get("/v1/analysis/r").json() == record
    assert house.as_("they").get("/v1/analysis/shop/till").status_code == 404
    assert we.get("/v1/analysis/hop/till").status_code == 404
    run("r")
    assert we.get("/v1/analysis/shop/till").json()["status"] == "completed"


def test_record_by_its_names_and_commit_is_pending_where_the_order_names_the_commit(house, github):
    sha = github.add("shop", "till").push(TESTS, "main")
    we = house.as_("we")
    we.post("/v1/analysis", json={"task_id": "r", "repository": "shop/till", "ref": sha.upper()})
    assert we.get(f"/v1/analysis/shop/till?sha={sha}").json()["status"] == "pending"
    assert we.get(f"/v1/analysis/shop/till?sha={'0' * 40}").status_code == 404


def test_record_by_its_names_is_pending_for_an_order_of_sql(db, house, github):
    payload = json.dumps({"repository": "git@github.com:Shop/Till.git"})
    Steps(db).sql(
        "INSERT INTO requests (task_id, pipeline, payload, source) VALUES ('r', 'analysis', :p, 'sql')",
        p=payload,
    )
    assert house.admin().get("/v1/analysis/shop/till").json()["status"] == "pending"


def test_record_of_an_order_that_waits_for_another_try_is_not_lost(db, house, github, run):
    github.add("shop", "till").push(TESTS, "main")
    github.script(Fault("rate_limited", "commit", retry_after=900))
    we = house.as_("we")
    we.post("/v1/analysis", json={"task_id": "r", "repository": "shop/till"})
    run("r")
    assert we.get("/v1/analysis/shop/till").json()["status"] == "pending"
    cancel_request(db, "r")
    assert we.get("/v1/analysis/shop/till").status_code == 404


def test_record_is_read_by_the_name_that_a_renamed_repository_had(house, github, run):
    repository = github.add("shop", "till")
    repository.push(TESTS, "main")
    github.rename(repository, "store", "Counter")
    we = house.as_("we")
    we.post("/v1/analysis", json={"task_id": "r", "repository": "shop/till"})
    run("r")
    names = ("shop/till", "store/counter")
    records = [we.get(f"/v1/analysis/{each}").json() for each in names]
    assert records[0] == records[1]
    assert records[0]["status"] == "completed"


def test_method_that_a_path_lacks_is_refused_with_those_that_it_has(house):
    refused = house.as_("we").request("PUT", "/v1/analysis")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, POST")


def test_order_of_another_pipeline_is_refused_at_the_records_path(house):
    order = {"pipeline": "song_video", "repository": "shop/till"}
    refused = house.as_("we").post("/v1/analysis", json=order)
    assert (refused.status_code, refused.json()["field"]) == (422, "pipeline")


def test_200_parallel_orders_of_20_keys_for_5_commits_are_5_requests_and_5_records(
    db, house, github, run
):
    repository = github.add("Shop", "Till")
    shas = [repository.push({**TESTS, "n.txt": b"%d" % number}) for number in range(5)]
    spelt = ("Shop/Till", "shop/till", "https://github.com/shop/Till.git")
    clients = [house.as_(f"owner-{number}", rate=100_000) for number in range(20)]
    together = Barrier(20)

    def order(number: int) -> list[int]:
        together.wait()
        orders = [{"repository": spelt[n % 3], "ref": shas[n % 5]} for n in range(10)]
        return [clients[number].post("/v1/analysis", json=each).status_code for each in orders]

    with ThreadPoolExecutor(20) as threads:
        statuses = [status for each in threads.map(order, range(20)) for status in each]
    assert sorted(statuses) == [200] * 195 + [202] * 5
    for request in list_requests(db):
        run(request.task_id)
    assert projection_statuses(db) == ["completed"] * 5
    assert {request.status for request in list_requests(db)} == {Status.COMPLETED}
    assert [call.route for call in github.calls].count("archive") == 5
    pages = [client.get("/v1/analysis").json()["records"] for client in clients]
    assert all({record["sha"] for record in page} == set(shas) for page in pages)


def test_api_orders_reads_and_cancels_without_a_right_to_write_records(
    postgres_url, tmp_path, monkeypatch, instance
):
    use_ledger(postgres_url, monkeypatch)
    db = open_database(postgres_url)
    engine = create_engine(db.url, isolation_level="AUTOCOMMIT")
    with engine.connect() as owner:
        for statement in _ROLE:
            owner.execute(text(statement))
    as_api = db.url.set(username="castad_api", password="api").render_as_string(hide_password=False)
    with FakeGitHub(tmp_path / "github") as github:
        github.add("shop", "till").push(TESTS, "main")
        github.script(Fault("rate_limited", "tarball", retry_after=900))
        monkeypatch.setenv("GITHUB_API_URL", github.url)
        monkeypatch.setenv("CASTAD_DATABASE_URL", as_api)
        settings.cache_clear()
        api_settings = settings()
        use_ledger(postgres_url, monkeypatch)
        with served(api_settings) as house:
            client = house.as_("we")
            assert client.post(
                "/v1/analysis", json={"task_id": "r", "repository": "shop/till"}
            ).is_success
            make_job(PIPELINE).execute_in_process(
                run_config={"task_id": "r"}, instance=instance, raise_on_error=False
            )
            assert client.get("/v1/analysis/shop/till").json()["status"] == "pending"
            assert client.post("/v1/pipeline/cancel/r").is_success
            assert client.get("/v1/analysis/r").json()["status"] == "canceled"
            with (
                pytest.raises(ProgrammingError, match="permission denied"),
                house.db.writing() as tx,
            ):
                tx.execute(analyses.delete())
    assert projection_statuses(db) == ["canceled"]
    assert get_request(db, "r").status is Status.CANCELED
    db.close()
    engine.dispose()


_ROLE = (
    "CREATE ROLE castad_api LOGIN PASSWORD 'api'",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO castad_api",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO castad_api",
    "REVOKE INSERT, UPDATE, DELETE ON analyses FROM castad_api",
)


def projection_statuses(db: Database) -> list[str]:
    """The status of each projection."""
    with db.reading() as tx:
        return list(tx.execute(select(analyses.c.status)).scalars())
