"""The report of an hour: what ended in it, stored once, and compared with the days before."""

import json
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from resources.ledger.db.database import Database
from resources.ledger.queries.hours import (
    HOUR_EXECUTIONS,
    StageFigures,
    compute_hour_bounds,
    find_report,
    list_reported_hours,
)
from resources.ledger.queries.status import read_clock
from resources.ledger.rules import FailureAction
from resources.ledger.schema.tables import JobStatus
from resources.ledger.transitions.housekeeping import save_report
from resources.views.report import HOUR, build_report, format_csv, render_report
from sensors.hour_report import find_last_closed, list_baseline_hours, make_report, read_report
from tests.integration.test_any_row import LITERALS, OF_POSTGRES, OF_SQLITE
from tests.integration.test_look_ups import is_whole_table, plans_of
from tests.ledger_steps import STAGES, Steps

NINE = datetime(2030, 1, 31, 9, tzinfo=UTC)
KNOWN = [("song_video", stage) for stage in STAGES]
MOMENTS = {
    "events": ("at",),
    "stages": ("started_at", "completed_at"),
    "provider_jobs": ("created_at",),
}


def happened(steps: Steps, at: str, since: str = "2029-01-01") -> None:
    """All that the ledger remembers since then happened at this moment, which is later."""
    for table, columns in MOMENTS.items():
        for column in columns:
            steps.sql(f"UPDATE {table} SET {column} = '{at}' WHERE {column} < '{since}'")


def lyric_of(db: Database, hour: datetime) -> StageFigures:
    figures = {figure.stage: figure for figure in make_report(db, hour, KNOWN)}
    return figures["lyric"]


def a_busy_hour(steps: Steps, at: str = "2030-01-31 09:30:00+00:00") -> None:
    steps.completed("a")
    steps.failed("b")
    steps.dead("c")
    lease = steps.working("d")
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.SUBMITTED, cost=300_000)
    happened(steps, at)


def test_report_counts_what_ended_in_its_hour(steps):
    a_busy_hour(steps)
    lyric = lyric_of(steps.db, NINE)
    assert (lyric.completed, lyric.failed, lyric.retries) == (1, 2, 1)
    assert lyric.codes == {"for_none": 1, "for_retry": 1}
    assert (lyric.p50, lyric.longest, lyric.cost) == (0, 0, 300_000)
    for other in (NINE - HOUR, NINE + HOUR):
        assert make_report(steps.db, other, KNOWN) == [StageFigures(*stage) for stage in KNOWN]


@pytest.mark.parametrize(
    ("at", "counted"),
    [("09:00:00.000", 1), ("09:59:59.999", 1), ("08:59:59.999", 0), ("10:00:00.000", 0)],
)
def test_hour_begins_at_its_first_moment_and_ends_before_the_next(steps, at, counted):
    steps.completed()
    happened(steps, f"2030-01-31 {at}+00:00")
    assert lyric_of(steps.db, NINE).completed == counted


def test_failure_before_the_first_stage_has_no_stage(steps):
    steps.order()
    steps.dispatch()
    steps.sql("UPDATE requests SET payload = payload")
    lease = steps.take(dispatched_as=1)
    steps.fail(lease, FailureAction.DEAD_LETTER, stage="")
    happened(steps, "2030-01-31 09:30:00+00:00")
    assert make_report(steps.db, NINE, KNOWN)[-1].stage == ""


def test_report_made_again_takes_the_place_of_the_first(steps):
    first = make_report(steps.db, NINE, [*KNOWN, ("gone", "stage")])
    a_busy_hour(steps)
    make_report(steps.db, NINE, KNOWN)
    found = find_report(steps.db, NINE)
    assert found is not None
    assert [each.stage for each in found.stages] == list(STAGES)
    assert found.stages != tuple(first)


def test_running_hour_is_reported_on_and_not_stored(steps):
    a_busy_hour(steps, f"{read_clock(steps.db):%Y-%m-%d %H}:00:00.000+00:00")
    hour = find_last_closed(read_clock(steps.db)) + HOUR
    running = read_report(steps.db, hour, KNOWN)
    assert running is not None
    # The hour may have turned meanwhile: then it is over, and nobody has stored a report of it.
    assert [each.completed for each in running.stages] == [1, 1, 1]
    assert find_report(steps.db, hour) is None


def test_stored_report_is_the_one_that_was_made(steps):
    a_busy_hour(steps)
    usual = StageFigures("song_video", "lyric", completed=40, p95=7.5)
    for hour in list_baseline_hours(NINE):
        save_report(steps.db, hour, [usual])
    made = make_report(steps.db, NINE, KNOWN)
    found = find_report(steps.db, NINE)
    assert found is not None
    assert list(found.stages) == made
    assert [each.figure for each in made[0].unusual] == ["count", "p95", "cost"]


def test_hours_are_listed_the_newest_first(steps):
    a_busy_hour(steps)
    for hour in (NINE - HOUR, NINE, NINE + HOUR):
        make_report(steps.db, hour, KNOWN)
    listed = list_reported_hours(steps.db, limit=2)
    assert [each.hour for each in listed] == [NINE + HOUR, NINE]
    assert (listed[1].count, listed[1].failed, listed[1].cost) == (5, 2, 300_000)
    assert [each.hour for each in list_reported_hours(steps.db, limit=9, before=NINE)] == [
        NINE - HOUR
    ]


def test_hour_without_a_report_has_none(steps):
    assert find_report(steps.db, NINE) is None


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_report_reads_no_table_from_end_to_end_on_sqlite(steps):
    a_busy_hour(steps)
    lines = plans_of(steps.db, lambda: make_report(steps.db, NINE, KNOWN))
    assert lines
    assert [line for line in lines if is_whole_table(line)] == []


@pytest.mark.parametrize("db", ["postgres"], indirect=True)
def test_report_reads_no_table_from_end_to_end_on_postgres(steps):
    a_busy_hour(steps)
    with steps.db.reading() as tx:
        # Of a few rows the planner reads all at once, unless it is forbidden: for this transaction, which
        # on Postgres begins with a BEGIN of its own (connections commit each statement).
        tx.exec_driver_sql("BEGIN")
        tx.exec_driver_sql("SET LOCAL enable_seqscan = off")
        bounds = compute_hour_bounds(tx, NINE)
        statement = HOUR_EXECUTIONS.params(bounds).compile(
            tx.engine, compile_kwargs={"literal_binds": True}
        )
        plan = tx.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}").scalar_one()
        tx.exec_driver_sql("ROLLBACK")
    assert "Seq Scan" not in json.dumps(plan)


def test_one_hour_of_many_is_found_by_its_ids(steps):
    for day in range(5):
        steps.completed(f"r{day}")
        happened(steps, f"203{day}-01-31 09:30:00+00:00")
    with steps.db.reading() as tx:
        bounds = compute_hour_bounds(tx, NINE)
        inside = tx.execute(
            text("SELECT count(DISTINCT request_id) FROM events WHERE id >= :low AND id < :high"),
            {name: bounds[name] for name in ("low", "high")},
        ).scalar_one()
    assert inside == 1
    assert lyric_of(steps.db, NINE).completed == 1


@pytest.mark.parametrize(
    "assignment",
    [
        "events SET data = '{\"set\": 7}'",
        'events SET data = \'{"stage": {"a": 1}, "set": {"error_code": [1]}}\'',
        'events SET data = \'{"stage": "\\u0000\\ud800' + "x" * 99 + '", "set": {}}\'',
        "stages SET started_at = '0001-01-02 00:00:00'",
        "requests SET pipeline = '\N{RIGHT-TO-LEFT OVERRIDE}<b>'",
    ],
)
def test_whatever_sql_has_written_the_hour_is_reported_on(steps, assignment):
    a_busy_hour(steps)
    steps.sql(f"UPDATE {assignment}".replace(":", "\\:"))
    figures = make_report(steps.db, NINE, KNOWN)
    assert (sum(each.completed for each in figures), sum(each.failed for each in figures)) == (3, 2)
    found = find_report(steps.db, NINE)
    assert found is not None
    assert list(found.stages) == figures


def is_accepted(steps: Steps, statement: str) -> bool:
    try:
        steps.sql(statement.replace(":", "\\:"))
    except DBAPIError:
        return False
    return True


def test_whatever_sql_has_written_into_a_report_all_faces_answer(steps):
    literals = (*LITERALS, *(OF_SQLITE if steps.db.is_sqlite else OF_POSTGRES))
    # One of each kind.
    columns = ("hour", "stage", "failed", "p95", "cost", "codes", "unusual")
    save_report(steps.db, NINE - timedelta(days=1), [StageFigures("p", "s", codes={"c": 1})])
    shown = 0
    for column, literal in product(columns, literals):
        if not is_accepted(steps, f"UPDATE reports SET {column} = {literal}"):
            continue
        for hour in list_reported_hours(steps.db, limit=9):
            found = find_report(steps.db, hour.hour)
            # SQLite compares moments as text, and another spelling is another hour.
            assert found is not None or column == "hour"
            if found is not None:
                body = build_report(found)
                assert body.model_dump_json()
                assert format_csv(body)
                assert render_report(body, "en")
        make_report(steps.db, NINE, KNOWN)
        steps.sql("DELETE FROM reports")
        save_report(steps.db, NINE - timedelta(days=1), [StageFigures("p", "s", codes={"c": 1})])
        shown += 1
    assert shown > 25
