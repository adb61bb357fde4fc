"""Dagster's storage: opened by many at once, on one pool, and while its database is in trouble."""

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dagster import DagsterInstance, DagsterRunStatus, EventLogEntry, Out, RunsFilter, job, op
from dagster._core.scheduler.instigation import TickStatus
from dagster_postgres import DagsterPostgresStorage
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import OperationalError

from castad.dagster_storage.home import make_dagster_home
from castad.dagster_storage.pooled_postgres import open_postgres
from castad.dagster_storage.storage import open_worker_instance
from resources.dagster.internals import InstigatorType
from resources.process.settings import settings
from tests.chaos_proxy import ChaosProxy
from tests.eventually import eventually

_OPEN_AT_ONCE = """
import multiprocessing

from dagster import DagsterInstance

from castad.dagster_storage.home import make_dagster_home
from resources.ledger.db.database import open_database
from resources.dagster.internals import InstigatorType
from resources.process.settings import settings

def open_one(ready):
    ready.wait()
    open_database(settings().ledger_url)
    DagsterInstance.from_config(str(make_dagster_home(settings()))).get_runs_count()

fork = multiprocessing.get_context("fork")
ready = fork.Barrier(4)
together = [fork.Process(target=open_one, args=(ready,)) for _ in range(4)]
for process in together:
    process.start()
for process in together:
    process.join()
print([process.exitcode for process in together])
"""
_DIE_OVER_TABLES = """
import os
import sys

from sqlalchemy import Engine, event

from castad.dagster_storage.pooled_postgres import open_postgres

@event.listens_for(Engine, "after_cursor_execute")
def die(connection, cursor, statement, *rest):
    if "CREATE TABLE jobs" in statement:
        os._exit(9)

open_postgres(sys.argv[1])
"""
_OPEN_AS_A_CODE_SERVER = """
from dagster import DagsterInstance

from castad.dagster_storage.home import make_dagster_home
from resources.process.configure_logging import configure_logging
from resources.dagster.internals import InstigatorType
from resources.process.settings import settings

configure_logging()
DagsterInstance.from_config(str(make_dagster_home(settings()))).dispose()
"""
_STRUCTURE = (
    "SELECT table_name, column_name, data_type, is_nullable, column_default "
    "FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
    "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
    "SELECT name FROM secondary_indexes WHERE migration_completed IS NOT NULL ORDER BY 1",
    "SELECT version_num FROM alembic_version",
)
_PATIENCE = 60.0


@pytest.fixture(params=["sqlite", "postgres"])
def home(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """DAGSTER_HOME on a storage that nobody has used, once of each kind."""
    if request.param == "postgres":
        monkeypatch.setenv("CASTAD_DATABASE_URL", request.getfixturevalue("postgres_url"))
    settings.cache_clear()
    return str(make_dagster_home(settings()))


@pytest.fixture
def durable(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings name a Postgres that keeps its promises."""
    url = f"{postgres_url}?options=-c%20synchronous_commit%3Don"
    monkeypatch.setenv("CASTAD_DATABASE_URL", url)
    monkeypatch.setenv("CASTAD_DATABASE_PATIENCE", str(_PATIENCE))
    settings.cache_clear()


@pytest.fixture
def worker_instance(durable: None) -> Iterator[DagsterInstance]:
    with open_worker_instance(settings()) as instance:
        yield instance


@pytest.fixture
def open_instance(durable: None) -> Iterator[Callable[[], DagsterInstance]]:
    """Opens instances on one Postgres."""
    opened: list[DagsterInstance] = []

    def open_one() -> DagsterInstance:
        opened.append(DagsterInstance.from_config(str(make_dagster_home(settings()))))
        return opened[-1]

    yield open_one
    for instance in opened:
        instance.dispose()


def structure(url: str) -> list[list[tuple[object, ...]]]:
    engine = create_engine(url)
    with engine.connect() as connection:
        found = [[tuple(row) for row in connection.execute(text(query))] for query in _STRUCTURE]
    engine.dispose()
    return found


def connections(url: str) -> int:
    engine = create_engine(url)
    others = "datname = current_database() AND pid <> pg_backend_pid()"
    with engine.connect() as connection:
        count = connection.execute(text(f"SELECT count(*) FROM pg_stat_activity WHERE {others}"))
        found = count.scalar_one()
    engine.dispose()
    return int(found)


@pytest.mark.processes
@pytest.mark.usefixtures("home")
def test_state_is_made_whole_by_many_processes_at_once():
    shutil.rmtree(settings().home)
    command = [sys.executable, "-W", "ignore", "-c", _OPEN_AT_ONCE]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout == "[0, 0, 0, 0]\n"


def test_tables_in_postgres_are_those_that_dagster_makes(postgres_url):
    open_postgres(postgres_url)
    ours = structure(postgres_url)
    engine = create_engine(postgres_url)
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    DagsterPostgresStorage(postgres_url, should_autocreate_tables=True)
    assert ours == structure(postgres_url)


def test_tables_in_postgres_are_made_whole_after_a_process_died_over_them(postgres_url):
    made = subprocess.run([sys.executable, "-c", _DIE_OVER_TABLES, postgres_url], check=False)
    assert made.returncode == 9
    _, _, ticks = open_postgres(postgres_url)
    ticks.get_ticks("origin", "selector", limit=1)


def test_watcher_hears_of_what_another_instance_writes(home):
    with DagsterInstance.from_config(home) as writer, DagsterInstance.from_config(home) as reader:
        run = writer.create_run_for_job(three)
        heard = threading.Event()
        reader.watch_event_logs(run.run_id, None, lambda event, cursor: heard.set())
        writer.report_engine_event("something has happened", run)
        assert heard.wait(_PATIENCE)


def test_watcher_that_fails_keeps_no_other_from_hearing(home):
    with DagsterInstance.from_config(home) as writer, DagsterInstance.from_config(home) as reader:
        runs = [writer.create_run_for_job(three) for _ in range(2)]
        ended, heard = threading.Event(), threading.Event()

        def end(event: EventLogEntry, cursor: str) -> None:
            reader.event_log_storage.end_watch(runs[0].run_id, end)
            ended.set()

        reader.watch_event_logs(runs[0].run_id, None, end)
        writer.report_engine_event("first", runs[0])
        assert ended.wait(_PATIENCE)
        reader.watch_event_logs(runs[1].run_id, None, lambda event, cursor: heard.set())
        writer.report_engine_event("second", runs[1])
        assert heard.wait(_PATIENCE)


def test_run_asked_for_by_its_id_is_the_one_that_a_search_finds(home):
    with DagsterInstance.from_config(home) as instance:
        runs = [instance.create_run_for_job(three, tags={"number": word}) for word in ("1", "2")]
        instance.report_run_failed(runs[0])
        found = [instance.get_run_records(RunsFilter(tags={"number": word})) for word in ("1", "2")]
        assert [instance.get_run_record_by_id(run.run_id) for run in runs] == [
            record for (record,) in found
        ]


def test_run_asked_for_by_more_than_its_id_has_to_match_all_of_it(home):
    with DagsterInstance.from_config(home) as instance:
        run = instance.create_run_for_job(three)
        failed = RunsFilter(run_ids=[run.run_id], statuses=[DagsterRunStatus.FAILURE])
        assert instance.get_run_records(failed) == []


def test_run_needs_no_file_of_its_own(home):
    with DagsterInstance.from_config(home) as instance:
        instance.report_engine_event("first", instance.create_run_for_job(three))
        before = sorted(Path(home).rglob("*.db"))
        instance.report_engine_event("second", instance.create_run_for_job(three))
        assert sorted(Path(home).rglob("*.db")) == before


@pytest.mark.parametrize("kind", [InstigatorType.SCHEDULE, InstigatorType.SENSOR])
def test_ticks_of_each_status_have_an_end(home, kind):
    with DagsterInstance.from_config(home) as instance:
        days = instance.get_tick_retention_settings(kind)
    assert {status for status, kept in days.items() if kept <= 0} == set()
    assert set(days) == set(TickStatus)


def test_process_has_one_pool_for_all_its_instances(open_instance, postgres_url):
    for instance in (open_instance(), open_instance()):
        instance.get_runs_count()
        instance.all_asset_keys()
        instance.all_instigator_state()
    assert connections(postgres_url) == 1


def test_web_server_keeps_the_pool_and_limits_its_statements(open_instance, postgres_url):
    instance = open_instance()
    instance.optimize_for_webserver(statement_timeout=4321, pool_recycle=60, max_overflow=5)
    instance.get_runs_count()
    instance.all_asset_keys()
    with instance.event_log_storage.index_connection() as connection:  # type: ignore[attr-defined]
        assert connection.execute(text("SHOW statement_timeout")).scalar() == "4321ms"
    # Those of before the limit are closed; the server takes a moment to see it.
    assert eventually(lambda: connections(postgres_url) == 1)


# In trouble

_trouble: list[Callable[[], None]] = []


@op(out=Out(str))
def first() -> str:
    return "a"


@op(out=Out(str))
def second(text: str) -> str:
    while _trouble:
        _trouble.pop()()
    return text


@op
def third(text: str) -> None:
    return None


@job
def three() -> None:
    third(second(first()))


def run_three(instance: DagsterInstance) -> str:
    return three.execute_in_process(instance=instance).run_id


def kinds(instance: DagsterInstance, run_id: str) -> list[str]:
    records = instance.get_records_for_run(run_id).records
    return [
        record.event_log_entry.dagster_event.event_type_value
        for record in records
        if record.event_log_entry.dagster_event is not None
    ]


@pytest.mark.processes
def test_run_outlives_a_restart_with_all_its_events(worker_instance, postgres_server):
    undisturbed = kinds(worker_instance, run_three(worker_instance))
    up = threading.Timer(2, postgres_server.start_again)

    def restart() -> None:
        postgres_server.shut_down()
        up.start()

    _trouble.append(restart)
    run_id = run_three(worker_instance)
    up.join()
    assert undisturbed[-1] == "PIPELINE_SUCCESS"
    assert kinds(worker_instance, run_id) == undisturbed


def test_storage_without_patience_says_at_once_that_the_server_is_gone(
    open_instance, postgres_server
):
    instance = open_instance()
    postgres_server.shut_down()
    try:
        with pytest.raises(OperationalError):
            instance.get_runs_count()
    finally:
        postgres_server.start_again()


@pytest.mark.processes
def test_code_server_starts_though_the_database_comes_back_only_now(
    postgres_server, postgres_url, monkeypatch
):
    url = make_url(postgres_url)
    with ChaosProxy(int(url.port or 0)) as proxy:
        port = proxy.port
    there = url.set(port=port).render_as_string(hide_password=False)
    monkeypatch.setenv("CASTAD_DATABASE_URL", there)
    command = [sys.executable, "-c", _OPEN_AS_A_CODE_SERVER, "api", "grpc"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        assert "database unavailable, retrying" in server.stderr.readline()
        with ChaosProxy(int(url.port or 0), port):
            _, said = server.communicate(timeout=60)
    assert (server.returncode, said) == (0, "")
