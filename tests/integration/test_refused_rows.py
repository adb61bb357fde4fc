"""What the database itself refuses, whoever types it: values that can never be right, and ids given twice."""

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from resources.ledger.db.database import Database
from resources.ledger.schema.tables import JobStatus, Status, metadata
from tests.ledger_laws import assert_laws
from tests.ledger_steps import Steps

COUNTED = ("requests", "stages", "provider_jobs", "events", "attempts", "artifacts", "orphans")
NO_MOMENTS = ("yesterday at noon", "infinity", "20000-01-01 00:00:00")
FURTHEST = (2**31, 2**63 - 1, -(2**63))
COUNTERS = {
    "requests": ("seq", "attempt", "retry_count", "max_retries", "deaths", "fence", "callbacks"),
    "stages": ("generation", "attempts", "retry_count"),
    "provider_jobs": ("generation", "attempt"),
    "events": ("seq",),
    "attempts": ("number",),
    "workers": ("slots",),
}
MOMENTS = {
    "stages": ("started_at", "completed_at"),
    "provider_jobs": ("created_at", "submitted_at", "settled_at"),
    "events": ("at",),
    "attempts": ("started_at", "ended_at"),
    "workers": ("beat_at",),
    "providers": ("paused_until",),
}


@pytest.fixture
def full(steps: Steps) -> Steps:
    """A ledger with a row in every table that the fixtures empty."""
    steps.completed()
    lease = steps.working("b")
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.FAILED)
    steps.sql("INSERT INTO workers (name, nonce, slots) VALUES ('w', '1', 1)")
    steps.sql("INSERT INTO providers (name) VALUES ('vendor')")
    return steps


def refused(steps: Steps, statement: str, sentence: str) -> None:
    with pytest.raises(IntegrityError, match=sentence):
        steps.sql(statement)


def is_taken(steps: Steps, statement: str) -> bool:
    try:
        steps.sql(statement)
    except DBAPIError:
        return False
    return True


@pytest.mark.parametrize("table", COUNTERS)
def test_counter_out_of_range_is_refused(full, table):
    tried = [(column, value) for column in COUNTERS[table] for value in FURTHEST]
    assert [one for one in tried if is_taken(full, f"UPDATE {table} SET {one[0]} = {one[1]}")] == []


SENTENCES = {
    "requests.status": ("requests", "status", "'Dead'", "expected pending, dispatched"),
    "stages.status": ("stages", "status", "'dead'", "expected pending, processing"),
    "provider_jobs.status": ("provider_jobs", "status", "'lost'", "expected intent, submitted"),
    "requests.max_retries": ("requests", "max_retries", "-1", "expected a whole number from 0"),
    "requests.retry_count": ("requests", "retry_count", "-1", "expected a whole number from 0"),
    "requests.task_id": ("requests", "task_id", "'a b'", "expected 1 to 128 letters"),
}


@pytest.mark.parametrize("field", SENTENCES)
def test_value_that_does_not_exist_is_refused_in_one_sentence_without_the_row(full, field):
    table, column, value, expected = SENTENCES[field]
    with pytest.raises(IntegrityError) as caught:
        full.sql(f"UPDATE {table} SET {column} = {value}")
    said = str(caught.value.orig)
    assert said.startswith(f"{field}: {expected}")
    assert "Failing row" not in said


@pytest.mark.parametrize("column", ["status", "max_retries"])
def test_new_row_with_such_a_value_is_refused_alike(steps, column):
    value = {"status": "'Dead'", "max_retries": "-1"}[column]
    statement = f"INSERT INTO requests (task_id, payload, {column}) VALUES ('r', '{{}}', {value})"
    refused(steps, statement, f"^.*requests.{column}: expected")


@pytest.mark.parametrize("table", MOMENTS)
def test_moment_that_nobody_can_read_is_refused(full, table):
    tried = [(column, moment) for column in MOMENTS[table] for moment in NO_MOMENTS]
    assert [
        one for one in tried if is_taken(full, f"UPDATE {table} SET {one[0]} = '{one[1]}'")
    ] == []


@pytest.mark.parametrize("number", [0, 5, 2**31 - 1])
def test_seq_of_a_hand_is_refused_in_one_sentence(steps, number):
    steps.order()
    refused(steps, f"UPDATE requests SET seq = {number}", "requests.seq: only castad raises it")


def test_seq_of_a_new_request_is_not_for_hands(steps):
    statement = "INSERT INTO requests (task_id, payload, seq) VALUES ('r', '{}', 7)"
    refused(steps, statement, "requests.seq: a new request begins at 1")


def test_completed_request_set_back_with_all_its_counters_is_refused(steps):
    steps.completed()
    back = "UPDATE requests SET status = 'pending', attempt = 0, retry_count = 0, seq = 0"
    refused(steps, back, "leave it out of the statement")
    assert steps.row().status is Status.COMPLETED


def test_completed_request_set_back_without_its_seq_is_made_again(steps):
    steps.completed()
    steps.edit("status = 'pending', attempt = 0, retry_count = 0")
    assert [request.attempt for request in steps.dispatch()] == [2]
    assert_laws(steps)


def test_attempt_that_goes_back_under_castads_own_seq_is_refused(steps):
    steps.working()
    back = "UPDATE requests SET seq = seq + 1, attempt = 0"
    refused(steps, back, "requests.attempt: it never goes back")


@pytest.mark.parametrize("table", COUNTED[:5])
def test_id_never_changes(full, table):
    assert not is_taken(full, f"UPDATE {table} SET id = id + 1000000")


@pytest.mark.parametrize("key", [1, 5_000_000, 2**63 - 1])
def test_id_of_a_new_row_is_not_for_hands(steps, key):
    steps.order("first")
    steps.sql("DELETE FROM requests")
    order = f"INSERT INTO requests (id, task_id, payload) VALUES ({key}, 'r', '{{}}')"
    assert not is_taken(steps, order)


def test_many_orders_in_one_statement_are_taken(sqlite_ledger_url):
    """Each of them is far above the highest id that was known when the statement began."""
    steps = Steps(Database(sqlite_ledger_url))
    steps.sql(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) "
        "INSERT INTO requests (task_id, payload) SELECT 'r' || i, '{}' FROM n"
    )
    assert len(steps.task_ids()) == 1500
    steps.db.close()


@pytest.mark.parametrize("table", COUNTED[:5])
def test_no_id_is_given_twice(full, table):
    highest = select(func.max(metadata.tables[table].c.id))

    def newest() -> int:
        with full.db.reading() as tx:
            return int(tx.execute(highest).scalar() or 0)

    before = newest()
    full.sql("DELETE FROM requests")
    lease = full.working("again")
    entry = full.begin(lease)
    full.save_intent(lease, entry, "another token")
    assert newest() > before


def test_submission_never_becomes_another_ones(full):
    full.order("c")
    theft = "UPDATE provider_jobs SET request_id = (SELECT id FROM requests WHERE task_id = 'c')"
    refused(full, theft, "whose submission it is")


# Money


def in_doubt(steps: Steps, status: JobStatus = JobStatus.SUBMITTED) -> None:
    lease = steps.working()
    entry = steps.begin(lease)
    job = steps.save_intent(lease, entry)
    if status is not JobStatus.INTENT:
        steps.settle(lease, entry, job, status)


UNDER_WAY = [JobStatus.INTENT, JobStatus.SUBMITTED, JobStatus.UNKNOWN]


@pytest.mark.parametrize("status", UNDER_WAY)
@pytest.mark.parametrize("table", ["requests", "provider_jobs"])
def test_delete_with_money_under_way_is_refused_and_says_how_to_cancel(steps, table, status):
    in_doubt(steps, status)
    refused(steps, f"DELETE FROM {table}", "castad cancel")


@pytest.mark.parametrize("table", ["requests", "provider_jobs"])
def test_what_is_deleted_after_a_cancel_is_kept(steps, table):
    in_doubt(steps)
    steps.edit("status = 'canceled'")
    steps.sql(f"DELETE FROM {table}")
    with steps.db.reading() as tx:
        (orphan,) = tx.execute(text("SELECT * FROM orphans")).all()
    found = (orphan.token, orphan.provider, orphan.external_id, orphan.task_id, orphan.cost)
    assert found == ("token", "vendor", "x1", "r", 500_000)


def test_what_was_settled_is_deleted_without_a_trace(steps):
    in_doubt(steps, JobStatus.FAILED)
    steps.sql("DELETE FROM requests")
    with steps.db.reading() as tx:
        assert tx.execute(text("SELECT count(*) FROM orphans")).scalar() == 0
