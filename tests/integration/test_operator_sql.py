"""What an operator types in psql or sqlite3 does what it says, at once, and is stored."""

import re
import sqlite3
from contextlib import suppress
from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError

from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import ClaimRefusedError, LeaseLostError
from resources.ledger.queries.status import read_clock
from resources.ledger.schema.tables import JobStatus, Status
from resources.ledger.transitions.rescue import renew_leases
from resources.process.settings import PROJECT_ROOT
from tests.ledger_laws import assert_laws
from tests.ledger_steps import Steps

PAGES = "\n".join(
    page.read_text() for page in sorted((PROJECT_ROOT / "docs" / "operations").glob("*.md"))
)
PLAIN = "INSERT INTO requests (task_id, payload) VALUES (:name, '{}')"
POLICIES = (
    "max_retries = 9",
    "priority = 9",
    "not_before = '2999-01-01 00:00:00'",
    "owner = 'somebody'",
    "callback_url = 'https://example.com'",
    "hold = 'lyric'",
    "hold_seconds = 60",
    "hold_then = 'continue'",
)
GROUND = (
    "status = 'pending'",
    "payload = '[]'",
    "pipeline = 'other'",
    "attempt = 7",
    "run_id = 'other'",
    "lease_owner = 'other'",
    "fence = 7",
)
MOMENTS = (
    "not_before",
    "lease_until",
    "created_at",
    "updated_at",
    "dispatched_at",
    "completed_at",
    "last_failed_at",
)
NO_MOMENTS = (
    "yesterday at noon",
    "",
    "2026-02-30 10:00:00",
    "2026-11-20 25:00:00",
    "2026-11-20 10:00:00x",
)
ODD_MOMENTS = (
    "infinity",
    "-infinity",
    "now",
    "0000-01-01 00:00:00",
    "0044-03-15 00:00:00 BC",
    "9999-12-31 23:59:59.999",
    "20000-01-01 00:00:00",
    "2026-11-20",
    "2026-11-20T10:00:00",
    "2026-11-20 10:00",
    "2026-11-20 10:00:60",
    "2026-11-20 24:00:00",
    "2026-11-20 10:00:00 ",
    "2026-11-20 10:00:00.",
    "2026-11-20 10:00:00.1",
    "2026-11-20 10:00:00.1234567",
    "2026-11-20 10:00:00z",
    "2026-11-20 10:00:00 +00:00",
    "2026-11-20 10:00:00+00",
)
NUMBERS = ("seq", "attempt", "retry_count", "max_retries", "deaths", "priority", "fence")
BAD_NAMES = ("", " ", "a b", "-a", ".a", "a/b", "é", "a\n", "a;b", "a" * 129)


def in_an_hour(db: Database) -> str:
    return "datetime('now', '+1 hour')" if db.is_sqlite else "now() + interval '1 hour'"


# Ordering by INSERT


def test_plain_insert_is_an_order_like_any_other_with_every_default(steps):
    steps.sql(PLAIN, name="r")
    row = steps.row()
    assert (row.pipeline, row.status, row.source) == ("song_video", Status.PENDING, "sql")
    assert (row.seq, row.attempt, row.retry_count, row.max_retries) == (1, 0, 0, 3)
    assert (row.deaths, row.priority, row.fence, row.cancel_requested) == (0, 0, 0, False)
    assert abs(read_clock(steps.db) - row.created_at) < timedelta(minutes=1)
    (event,) = steps.events()
    assert (event.seq, event.type, event.before, event.after) == (1, "created", None, "pending")
    assert [request.task_id for request in steps.dispatch()] == ["r"]


@pytest.mark.parametrize("name", ["a", "A0", "order-1", "a.b:c_d-e", "0" * 128])
def test_good_task_id_is_taken(steps, name):
    steps.sql(PLAIN, name=name)
    assert steps.task_ids() == [name]


@pytest.mark.parametrize("name", BAD_NAMES, ids=repr)
def test_bad_task_id_is_refused(steps, name):
    with pytest.raises(DBAPIError):
        steps.sql(PLAIN, name=name)


def test_second_insert_of_a_name_is_refused(steps):
    steps.order()
    with pytest.raises(IntegrityError):
        steps.sql(PLAIN, name="r")


# What is typed into a row


@pytest.mark.parametrize("status", list(Status))
def test_status_typed_by_hand_holds_and_keeps_the_laws(steps, status):
    steps.working()
    assert steps.edit(f"status = '{status}'").status is status
    assert_laws(steps)


@pytest.mark.parametrize(
    "assignment",
    ["status = 'running'", "status = 'PENDING'", "max_retries = -1", "retry_count = -1"],
)
def test_value_that_does_not_exist_is_refused(steps, assignment):
    steps.order()
    with pytest.raises(IntegrityError):
        steps.edit(assignment)


@pytest.mark.parametrize("moment", NO_MOMENTS)
@pytest.mark.parametrize("column", MOMENTS)
def test_moment_that_is_none_is_refused_in_every_column(steps, column, moment):
    steps.order()
    with pytest.raises((IntegrityError, DataError)):
        steps.edit(f"{column} = '{moment}'")


@pytest.mark.parametrize("column", [name for name in MOMENTS if name != "lease_until"])
def test_moment_that_is_none_is_refused_in_an_order(steps, column):
    with pytest.raises((IntegrityError, DataError)):
        steps.sql(
            f"INSERT INTO requests (task_id, payload, {column}) VALUES ('r', '{{}}', 'no moment')"
        )


@pytest.mark.parametrize("moment", ODD_MOMENTS, ids=repr)
def test_moment_that_is_taken_can_be_read(steps, moment):
    steps.order()
    with suppress(DBAPIError):
        steps.edit(f"not_before = '{moment}'")
    assert steps.row().task_id == "r"


@pytest.mark.parametrize("value", ["x", "many", ""])
@pytest.mark.parametrize("column", NUMBERS)
def test_number_that_is_none_is_refused(steps, column, value):
    steps.order()
    with pytest.raises((IntegrityError, DataError)):
        steps.edit(f"{column} = '{value}'")


@pytest.mark.parametrize("column", NUMBERS)
def test_number_that_is_none_is_refused_in_an_order(steps, column):
    with pytest.raises((IntegrityError, DataError)):
        steps.sql(f"INSERT INTO requests (task_id, payload, {column}) VALUES ('r', '{{}}', 'high')")


@pytest.mark.parametrize(
    "moment",
    ["2026-02-28 10:00:00", "2028-02-29 23:59:59.123", "2026-11-20 10:00:00+00:00"],
)
def test_moment_as_people_type_it_is_taken(steps, moment):
    steps.order()
    assert steps.edit(f"not_before = '{moment}'").not_before is not None


@pytest.mark.parametrize("assignment", GROUND)
def test_edit_of_the_ground_stops_a_running_attempt(steps, assignment):
    lease = steps.working()
    steps.edit(assignment)
    with pytest.raises(LeaseLostError):
        steps.begin(lease)


@pytest.mark.parametrize("assignment", POLICIES)
def test_edit_of_policy_leaves_a_running_attempt_alone(steps, assignment):
    lease = steps.working()
    steps.edit(assignment)
    assert steps.begin(lease).stage == "lyric"


@pytest.mark.parametrize("assignment", [*GROUND, *POLICIES])
def test_edit_is_one_event_that_folds_to_the_row(steps, assignment):
    steps.working()
    seq = steps.row().seq
    steps.edit(assignment)
    assert (steps.last().type, steps.row().seq) == ("edited", seq + 1)
    assert_laws(steps)


@pytest.mark.parametrize("assignment", ["status = 'pending'", "priority = 0", "owner = NULL"])
def test_edit_that_changes_nothing_is_no_edit(steps, assignment):
    steps.order()
    steps.edit(assignment)
    assert len(steps.events()) == 1


def test_one_update_of_many_rows_edits_each(steps):
    steps.order("a")
    steps.order("b")
    steps.sql("UPDATE requests SET priority = 5")
    assert [steps.last(name).type for name in ("a", "b")] == ["edited", "edited"]


def test_beat_is_no_edit(steps):
    lease = steps.working(owner="w:1")
    seq, until = steps.row().seq, steps.until("lease_until")
    renew_leases(steps.db, "w:1", [lease.request_id], lease_seconds=6000)
    assert steps.row().seq == seq
    assert steps.until("lease_until") > until


# What follows from it

_LATER = "not_before = '2999-01-01 00:00:00'"
FOLLOWS = {
    "pending is due at once": (
        lambda s: (s.failed(), s.edit(_LATER), s.edit("status = 'pending'"), s.dispatch()),
        {"status": Status.DISPATCHED},
    ),
    "pending with a moment waits for it": (
        lambda s: (s.failed(), s.edit(f"status = 'pending', {_LATER}"), s.dispatch()),
        {"status": Status.PENDING},
    ),
    "pending after a cancel forgets the cancel": (
        lambda s: (s.working(), s.cancel(), s.edit("status = 'pending'")),
        {"cancel_requested": False},
    ),
    "failed is due again": (
        lambda s: (s.working(), s.edit("status = 'failed'"), s.dispatch()),
        {"status": Status.DISPATCHED},
    ),
    "processing is rescued": (
        lambda s: (s.order(), s.edit("status = 'processing'"), s.rescue()),
        {"status": Status.PENDING},
    ),
    "dispatched falls back": (
        lambda s: (s.order(), s.edit("status = 'dispatched'"), s.undelivered(grace=600)),
        {"status": Status.PENDING},
    ),
    "dispatched under a run can be claimed again": (
        lambda s: (s.working(), s.edit("status = 'dispatched'"), s.take(dispatched_as=1)),
        {"attempt": 2},
    ),
    "attempt typed back does not block the next one": (
        lambda s: (s.release(s.working()), s.edit("attempt = 0"), s.take()),
        {"attempt": 2},
    ),
    "dead is not dispatched": (
        lambda s: (s.order(), s.edit("status = 'dead'"), s.dispatch()),
        {"status": Status.DEAD},
    ),
    "max_retries raised brings one more attempt": (
        lambda s: s.fail(edited(s, "max_retries = 0", "max_retries = 1")),
        {"status": Status.FAILED},
    ),
    "max_retries lowered ends a running attempt at its failure": (
        lambda s: s.fail(edited(s, "max_retries = 0")),
        {"status": Status.DEAD},
    ),
    "max_retries lowered under a waiting failure is not dispatched": (
        lambda s: (s.failed(), s.edit("max_retries = 0"), s.dispatch()),
        {"status": Status.FAILED},
    ),
    "not_before is waited for": (
        lambda s: (s.order(), s.edit(_LATER), s.dispatch()),
        {"status": Status.PENDING},
    ),
}


def edited(steps, *assignments):
    """A request at work whose policy was edited."""
    lease = steps.working()
    for assignment in assignments:
        steps.edit(assignment)
    return lease


@pytest.mark.parametrize(("act", "columns"), FOLLOWS.values(), ids=FOLLOWS.keys())
def test_what_is_typed_by_hand_does_what_it_says(steps, act, columns):
    act(steps)
    row = steps.row()
    assert {name: getattr(row, name) for name in columns} == columns


def test_pending_typed_with_a_moment_holds_back_a_run_under_way(steps):
    steps.order()
    steps.dispatch()
    steps.edit(f"status = 'pending', not_before = {in_an_hour(steps.db)}")
    with pytest.raises(ClaimRefusedError):
        steps.take(dispatched_as=1)


def test_priority_typed_by_hand_goes_first(steps):
    steps.order("a")
    steps.order("b")
    steps.edit("priority = 1", "b")
    assert [request.task_id for request in steps.dispatch(1)] == ["b"]


# DELETE


def test_deleted_request_takes_everything_with_it(steps):
    lease = steps.working()
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.SUCCEEDED)
    steps.sql("DELETE FROM requests")
    with steps.db.reading() as tx:
        for table in ("events", "stages", "provider_jobs", "attempts"):
            assert tx.execute(text(f"SELECT count(*) FROM {table}")).scalar() == 0


def test_delete_in_the_sqlite3_shell_leaves_the_next_order_valid(sqlite_url):
    ledger = Steps(Database(sqlite_url))
    ledger.working("old")
    # The shell does not enforce foreign keys, so what belonged to the request stays behind.
    shell = sqlite3.connect(str(ledger.db.url.database))
    with shell:
        shell.execute("DELETE FROM requests")
    shell.close()
    ledger.order("new")
    assert [event.type for event in ledger.events("new")] == ["created"]
    ledger.db.close()


@pytest.mark.parametrize("query", re.findall(r"`(SELECT [^`]*)`", PAGES))
def test_query_of_the_operators_page_is_one_of_this_ledger(steps, query):
    steps.sql(query)
