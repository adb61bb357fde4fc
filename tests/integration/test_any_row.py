"""Whatever SQL has written into the rows of one request, ten others go through, and every look answers."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from dagster import DagsterInstance
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from castad.api.metrics import Metrics
from castad.cli.reports import build_statistics_view
from castad.views.events import render_events
from castad.views.order_list import read_page
from pipeline_defs.catalog import get_catalog
from resources.ledger.queries.feed import list_unmirrored_events, open_feed_from_now
from resources.ledger.queries.hours import read_statistics
from resources.ledger.queries.listing import RequestFilter
from resources.ledger.queries.overview import build_overview
from resources.ledger.queries.workload import WorkloadScope
from resources.ledger.schema.tables import JobStatus, Status, metadata
from resources.ledger.transitions.rescue import (
    list_unclaimed_requests,
    recover_worker,
    register_worker,
    renew_leases,
    requeue_request,
)
from resources.process.settings import Settings
from resources.views.statistics import build_stats_body
from sensors.event_mirror import _store_batch
from tests.ledger_steps import POISON, STAGES, Steps
from tests.quiet_dagster import quiet_instance

OTHERS = [f"other-{number}" for number in range(10)]
HOUSE = WorkloadScope({"song_video": "lyric"}, 600)
OF_REQUEST = ("stages", "provider_jobs", "events", "attempts")
TABLES = ("requests", *OF_REQUEST, "workers", "providers")
PLACES = [(table, column.name) for table in TABLES for column in metadata.tables[table].columns]
LITERALS = (
    *("NULL", "''", "'x'", "'pending'", "'processing'", "'slot:lyric'", "'[]'", "'{\"set\": 7}'"),
    *('\'{"run_id": "\\ud800"}\'', "'[1e999]'", "'9'", "'vendor'", "'w:1'", "'lyric'"),
    *("-1", "0", "1", "2", "2147483646", "2147483647", "2147483648", "9223372036854775807"),
    *("-9223372036854775808", "1e308", "0.5", "'NaN'", "'infinity'", "TRUE"),
    *("'0001-01-02 00:00:00'", "'9999-12-29 00:00:00'", "'2020-01-01 00:00:00'", "'now'"),
)
OF_SQLITE = ("x'00ff'", "CAST(x'61ff62' AS TEXT)", "char(0, 13)", "zeroblob(2000000)")
OF_POSTGRES = ("chr(27)", "repeat('x', 2000000)")
STORIES = ("ordered", "dispatched", "sent", "failed", "completed", "dead")


@pytest.fixture(scope="module")
def dagster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DagsterInstance]:
    with quiet_instance(tmp_path_factory.mktemp("dagster")) as instance:
        yield instance


def bring(steps: Steps, story: str) -> None:
    """One request comes so far, and there are a worker and a provider beside it that are edited too."""
    steps.sql("INSERT INTO workers (name, nonce, slots) VALUES ('v', '1', 20)")
    steps.sql("INSERT INTO workers (name, nonce, slots) VALUES ('w', '1', 20)")
    steps.sql("INSERT INTO providers (name, bucket) VALUES ('vendor', '[]')")
    if story in ("ordered", "dispatched"):
        steps.order("bad")
        if story == "dispatched":
            steps.dispatch()
        return
    lease = steps.working("bad", owner="w:1")
    if story == "sent":
        entry = steps.begin(lease)
        job = steps.save_intent(lease, entry, "token of bad")
        steps.settle(lease, entry, job, JobStatus.SUBMITTED)
    elif story == "completed":
        steps.make_all(lease)
    elif story == "failed":
        steps.fail(lease)
    else:
        steps.edit("status = 'dead'", "bad")


def write(steps: Steps, table: str, column: str, value: str) -> None:
    """As an operator types it; what the database refuses is not done."""
    key = "(SELECT id FROM requests WHERE task_id = 'bad')"
    of = {"requests": f"id = {key}", "workers": "name = 'w'", "providers": "name = 'vendor'"}
    where = of.get(table, f"request_id = {key}")
    with suppress(DBAPIError), steps.db.writing() as tx:
        tx.execute(
            text(f'UPDATE {table} SET "{column}" = {value} WHERE {where}'.replace(":", r"\:"))
        )


def add(steps: Steps, table: str) -> None:
    """A row more, as an operator types it."""
    rows = {
        "requests": "INSERT INTO requests (task_id, payload, attempt, deaths) "
        "VALUES ('bad2', '[]', 2147483647, 2147483647)",
        "events": 'INSERT INTO events (request_id, seq, type, "to") '
        "SELECT id, seq + 1, 'typed', status FROM requests WHERE task_id = 'bad'",
        "attempts": "INSERT INTO attempts (request_id, number, worker) "
        "SELECT id, 2147483647, 'w' FROM requests WHERE task_id = 'bad'",
        "stages": "INSERT INTO stages (request_id, stage, generation, status) "
        "SELECT id, 'lyric', 2147483647, 'processing' FROM requests WHERE task_id = 'bad'",
    }
    if table in rows:
        with suppress(DBAPIError):
            steps.sql(rows[table])


def repair_what_is_lost(steps: Steps) -> None:
    steps.rescue()
    steps.discard_exhausted()
    for late in list_unclaimed_requests(steps.db, 600):
        requeue_request(steps.db, late)


def go_through(steps: Steps) -> None:
    """The others are ordered, and every one that is handed out is made."""
    for name in OTHERS:
        steps.order(name)
    repair_what_is_lost(steps)
    for request in steps.dispatch(100):
        if request.task_id in OTHERS:
            lease = steps.take(request.task_id, dispatched_as=request.attempt, owner="v:1")
            renew_leases(steps.db, "v:1", [lease.request_id], lease_seconds=600)
            steps.make_all(lease)
    repair_what_is_lost(steps)
    register_worker(steps.db, "w", "2", slots=1, poison_deaths=POISON)
    recover_worker(steps.db, "w", poison_deaths=POISON)


def every_look_answers(steps: Steps, metrics: Metrics) -> None:
    told = read_statistics(steps.db, HOUSE, 0)
    body = build_stats_body(told, STAGES)
    body.model_dump_json()
    build_statistics_view(body)
    for words in ((), ["o"]):
        listed = read_page(steps.db, RequestFilter(), words=words, limit=50)
        assert {*OTHERS} <= {order.task_id for order in listed.orders}
        listed.model_dump_json()
    for name in OTHERS:
        build_overview(steps.db, name)
    metrics.render()


@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("ignore")
def test_whatever_is_in_one_row_the_others_go_through(steps, dagster):
    literals = (*LITERALS, *(OF_SQLITE if steps.db.is_sqlite else OF_POSTGRES))
    edits = st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(literals)), max_size=4)
    added = st.lists(st.sampled_from(("requests", "events", "attempts", "stages")), max_size=2)

    @settings(
        max_examples=12,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    @given(story=st.sampled_from(STORIES), edits=edits, rows=added)
    def holds(story: str, edits: list[tuple[tuple[str, str], str]], rows: list[str]) -> None:
        steps.empty()
        bring(steps, story)
        feed = open_feed_from_now(steps.db)
        metrics = Metrics(steps.db, Settings(home=Path("/nowhere")), get_catalog(), _no_signs)
        for table in rows:
            add(steps, table)
        for (table, column), value in edits:
            write(steps, table, column, value)
        go_through(steps)
        made = [steps.row(name).status for name in OTHERS]
        assert made == [Status.COMPLETED] * len(OTHERS)
        every_look_answers(steps, metrics)
        before = feed.cursor
        while found := feed.list_new_events():
            render_events(found, before)
            before = feed.cursor
        _store_batch(dagster, list_unmirrored_events(steps.db, 500))

    holds()


def _no_signs() -> None:
    raise OSError
