"""A ledger that an earlier castad has left, with a request in every state, goes on where it was."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, make_url
from sqlalchemy.exc import DatabaseError

from resources.contract.errors import StateUnavailableError, UnknownSubmissionError
from resources.files.artifacts import ArtifactStore
from resources.ledger.db.database import Database
from resources.ledger.rules import classify_failure
from resources.ledger.schema.tables import LIVE_JOBS, Status, metadata
from resources.ledger.workers.attempt import Attempt
from resources.ledger.workers.worker import Worker
from resources.purchase.failures import close_failed
from tests.conftest import MakeSettings
from tests.fakes.vendor import Vendor
from tests.former_ledger import leave_ledger
from tests.ledger_laws import assert_laws
from tests.ledger_steps import STAGES, Steps
from tests.song_video import stage_plan
from tests.stage_contexts import buy

REVISIONS = ("ledger_0028", "ledger_0032")
FORMER_NAMES = {
    "shared_access": "readers",
    "source_checks": "recurring_orders",
    "used_at": "looked_at",
    "slot": "place",
    "permit": "turn",
    "slots": "places",
    "queues": "lanes",
    "paused_until": "parked_until",
    "pause_reason": "parked_why",
}
TODAYS_NAMES = {former: today for today, former in FORMER_NAMES.items()}
RENAMED_VALUES = {
    '"waits_for": "place:': '"waits_for": "slot:',
    '"waits_for": "turn:': '"waits_for": "permit:',
    '"waits_for": "verdict:': '"waits_for": "final_status:',
    '"place": ': '"slot": ',
    "no_place": "no_slot",
    "no_turn": "no_permit",
    "no_verdict": "no_final_status",
}
FORMER_WAITS = {"place:": "slot:", "turn:": "permit:", "verdict:": "final_status:"}
# The vendor has accepted the song of each of these, in this order; one was deleted since.
CHARGED = (
    "waits-verdict",
    "leased",
    "submitted",
    "succeeded",
    "sent",
    "unknown",
    "completed",
    "redone",
    "",
)
NOT_SENT = "unsent"
NOT_BOUGHT = (
    *("dispatched", "pending", "urgent", "later", "holder", "waits-place", "waits-turn", "held"),
    *("failed", "refused", "redone"),
)
"""No submission for their song counts: it was refused, or a redo has begun another generation."""
BOUGHT = ("waits-verdict", "leased", "submitted", "succeeded", "sent", "unknown")
BY_SQL = "SELECT id FROM requests WHERE task_id = 'by-sql'"

Row = tuple[Any, ...]


@pytest.fixture(params=REVISIONS)
def former_url(database_url: str, request: pytest.FixtureRequest) -> str:
    """A ledger of each revision that is taken over, once of each kind."""
    return leave_ledger(database_url, request.param)


@pytest.fixture
def taken_over(former_url: str) -> Iterator[Steps]:
    """A former ledger, opened by this castad."""
    with closing(Database(former_url)) as db:
        yield Steps(db)


def sql(url: str, *statements: str) -> list[Row]:
    """The rows that the last statement returns; no trigger of Python's side is in between."""
    engine = create_engine(url)
    with engine.begin() as connection:
        for statement in statements:
            result = connection.exec_driver_sql(statement)
        rows = [tuple(row) for row in result] if result.returns_rows else []
    engine.dispose()
    return rows


def name_in(url: str, name: str) -> str:
    """The name of the table in this ledger."""
    engine = create_engine(url)
    with engine.connect() as connection:
        is_there = engine.dialect.has_table(connection, name)
    engine.dispose()
    return name if is_there else FORMER_NAMES.get(name, name)


def columns_in(url: str) -> dict[str, list[str]]:
    """The tables that are there, with the columns that they have still, by their names of today."""
    engine, found = create_engine(url), {}
    with engine.connect() as connection:
        for name, table in metadata.tables.items():
            former = FORMER_NAMES.get(name, name)
            if engine.dialect.has_table(connection, former):
                had = connection.exec_driver_sql(f"SELECT * FROM {former} LIMIT 0").keys()
                found[name] = [
                    column.name
                    for column in table.columns
                    if FORMER_NAMES.get(column.name, column.name) in had
                ]
    engine.dispose()
    return found


def rows_in(
    url: str, columns: dict[str, list[str]], *, is_former: bool = False
) -> dict[str, list[Row]]:
    """The rows of each table, but those of the request that is given a reason; a former one's in today's words."""
    rows = {}
    for name, of_table in columns.items():
        table = name_in(url, name)
        listed = ", ".join(
            f'"{FORMER_NAMES.get(column, column) if is_former else column}"' for column in of_table
        )
        key = {"requests": "id", "events": "request_id"}.get(name)
        others = f"WHERE {key} NOT IN ({BY_SQL})" if key else ""
        found = sql(url, f"SELECT {listed} FROM {table} {others} ORDER BY 1, 2")
        rows[name] = (
            [tuple(in_todays_words(each) for each in row) for row in found] if is_former else found
        )
    return rows


def in_todays_words(value: Any) -> Any:
    """The value as it is called today; what was said to people stays."""
    if not isinstance(value, str):
        return value
    for former, today in FORMER_WAITS.items():
        if value.startswith(former):
            return today + value.removeprefix(former)
    for former, today in RENAMED_VALUES.items():
        value = value.replace(former, today)
    return value


def schema_of(url: str) -> set[Row]:
    """All that the database knows of its tables, but the order of their columns."""
    if url.startswith("sqlite"):
        return {
            *sql(url, "SELECT type, name, sql FROM sqlite_master WHERE name <> 'castad_version'")
        }
    queries = (
        """SELECT table_name, column_name, data_type, character_maximum_length, is_nullable,
        column_default, is_identity FROM information_schema.columns WHERE table_schema = 'public'""",
        """SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace""",
        "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
        "SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
        """SELECT proname, pg_get_functiondef(oid) FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace""",
        "SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'",
    )
    return {row for query in queries for row in sql(url, query)}


def counters_in(url: str) -> dict[str, int]:
    """The highest id that each table has ever given."""
    if url.startswith("sqlite"):
        query = "SELECT name, seq FROM sqlite_sequence"
    else:
        query = "SELECT replace(sequencename, '_id_seq', ''), last_value FROM pg_sequences WHERE last_value > 0"
    return {TODAYS_NAMES.get(name, str(name)): int(value) for name, value in sql(url, query)}


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_former_ledger_gets_the_schema_of_a_new_one(kind, revision, request):
    url = leave_ledger(request.getfixturevalue(f"{kind}_url"), revision)
    Database(url).close()
    is_sqlite = kind == "sqlite"
    new = request.getfixturevalue("sqlite_ledger_url" if is_sqlite else "own_postgres_ledger_url")
    assert schema_of(url) == schema_of(new)


def test_former_ledger_keeps_every_row(former_url):
    columns = columns_in(former_url)
    before = rows_in(former_url, columns, is_former=True)
    Database(former_url).close()
    assert rows_in(former_url, columns) == before
    assert all(before.values())


def test_ids_go_on_where_they_were(former_url):
    before = counters_in(former_url)
    with closing(Database(former_url)) as db:
        after = counters_in(former_url)
        assert {**after, "events": before["events"]} == before
        [(highest,)] = sql(former_url, "SELECT max(id) FROM requests")
        assert highest < before["requests"]
        assert Steps(db).order("next").id == before["requests"] + 1


def test_request_that_sql_has_ended_without_a_reason_is_given_one(taken_over):
    row = taken_over.row("by-sql")
    assert (row.status, row.error_code) == (Status.DEAD, "edited")
    assert "an operator's SQL" in str(row.error_message)
    assert_laws(taken_over, "by-sql")


def test_triggers_of_a_former_ledger_are_those_of_today(taken_over):
    with pytest.raises(DatabaseError, match="money is under way"):
        taken_over.sql("DELETE FROM provider_jobs WHERE external_id = 'job-2'")
    with pytest.raises(DatabaseError, match=r"requests\.status: expected"):
        taken_over.edit("status = 'lost'", "pending")
    taken_over.edit("priority = 7", "pending")
    assert taken_over.last("pending").type == "edited"


def test_foreign_keys_are_held_in_the_process_that_has_taken_the_ledger_over(taken_over):
    taken_over.sql("DELETE FROM requests WHERE task_id = 'filmed'")
    with taken_over.db.reading() as tx:
        query = "SELECT count(*) FROM stages WHERE request_id NOT IN (SELECT id FROM requests)"
        assert tx.exec_driver_sql(query).scalar() == 0


def test_rows_whose_request_was_deleted_in_the_shell_are_kept(sqlite_url):
    url = leave_ledger(sqlite_url, "ledger_0028")
    sql(url, "DELETE FROM requests WHERE task_id = 'filmed'")
    columns = columns_in(url)
    before = rows_in(url, columns, is_former=True)
    Database(url).close()
    assert rows_in(url, columns) == before


def test_view_of_an_operators_shows_the_ledger_as_before(sqlite_url):
    url = leave_ledger(sqlite_url, "ledger_0028")
    sql(url, "CREATE VIEW mine AS SELECT task_id FROM requests WHERE owner = 'shop'")
    Database(url).close()
    assert sql(url, "SELECT * FROM mine ORDER BY 1") == [("completed",), ("dead",)]


def test_ledger_that_cannot_be_taken_over_stays_as_it_was(former_url):
    sql(former_url, "CREATE TABLE before_sessions (id INTEGER)")
    columns, schema = columns_in(former_url), schema_of(former_url)
    before = rows_in(former_url, columns, is_former=True)
    with pytest.raises(StateUnavailableError, match="before_sessions"):
        Database(former_url)
    assert (schema_of(former_url), rows_in(former_url, columns, is_former=True)) == (schema, before)
    sql(former_url, "DROP TABLE before_sessions")
    Database(former_url).close()


def test_ledger_that_several_open_at_once_is_taken_over_once(former_url):
    columns = columns_in(former_url)
    before = rows_in(former_url, columns, is_former=True)
    with ThreadPoolExecutor(3) as threads:
        for opened in threads.map(Database, [former_url] * 3):
            opened.close()
    assert rows_in(former_url, columns) == before


RIGHTS = """SELECT relname, privilege_type, is_grantable, grantee::regrole::text
    FROM pg_class, aclexplode(relacl) WHERE relnamespace = 'public'::regnamespace
    AND grantee <> relowner AND relname NOT IN ('spool_costs', 'castad_version')"""


def test_rights_that_others_have_are_kept_and_no_others_given(postgres_url):
    url = leave_ledger(postgres_url, "ledger_0028")
    role = f"reader_{make_url(url).database}"
    sql(
        url,
        f"CREATE ROLE {role}",
        f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, DELETE ON TABLES TO {role}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}",
        f"GRANT INSERT ON requests TO {role} WITH GRANT OPTION",
        f"REVOKE SELECT ON api_keys FROM {role}",
        f"GRANT USAGE ON SEQUENCE requests_id_seq TO {role}",
    )
    before = [(TODAYS_NAMES.get(table, table), *right) for table, *right in sql(url, RIGHTS)]
    Database(url).close()
    after = sql(url, RIGHTS)
    sql(url, f"DROP OWNED BY {role}", f"DROP ROLE {role}")
    assert {*after} == {*before}


# Everything goes on, and nothing is bought a second time


class Shop:
    """A worker of this castad, and the vendor as it was left: it has charged what the ledger says."""

    def __init__(self, steps: Steps, make_settings: MakeSettings, files: Path) -> None:
        self.steps = steps
        self.settings = make_settings(beat_seconds=600, lease_seconds=600)
        self.worker = Worker(steps.db, self.settings)
        self.store = ArtifactStore(files)
        tokens = [steps.jobs(task_id)[0].token if task_id else "deleted" for task_id in CHARGED]
        self.vendor = Vendor(finds=True, charged=tokens)

    def make(self, task_id: str) -> None:
        """One run of the request, as the ops make it."""
        request, lease = self.steps.claim(task_id, owner=self.worker.owner)
        assert lease is not None
        plan = stage_plan(*STAGES)
        attempt = Attempt(self.steps.db, request, lease, self.worker, self.settings, plan)
        for stage in STAGES:
            entry = self.steps.begin(lease, stage)
            if stage == "song":
                try:
                    buy(
                        *(attempt, stage, self.vendor, {"genre": "city pop"}),
                        self.store,
                    )
                except UnknownSubmissionError as error:
                    close_failed(attempt, lease, stage, classify_failure(error, stage))
                    raise
            elif entry.result is None:
                self.steps.complete(lease, entry)


@pytest.fixture
def shop(taken_over: Steps, make_settings: MakeSettings, tmp_path: Path) -> Iterator[Shop]:
    """The lost workers of the former castad were found out, and a person has approved what was held."""
    shop = Shop(taken_over, make_settings, tmp_path / "artifacts")
    shop.worker.start()
    taken_over.run_out("leased")
    taken_over.run_out("stopping")
    taken_over.rescue()
    taken_over.discard_exhausted()
    taken_over.approve("held")
    yield shop
    shop.worker.stop()


def test_every_request_goes_on_and_nothing_is_bought_twice(shop):
    charged = len(shop.vendor.charged)
    for task_id in (*BOUGHT, *NOT_BOUGHT):
        shop.make(task_id)
        assert shop.steps.row(task_id).status is Status.COMPLETED
        assert_laws(shop.steps, task_id)
    assert len(shop.vendor.charged) == charged + len(NOT_BOUGHT)
    of = Counter(
        (task_id, job.generation)
        for task_id in shop.steps.task_ids()
        for job in shop.steps.jobs(task_id)
        if job.status in LIVE_JOBS
    )
    assert {*of.values()} == {1}


def test_submission_that_was_not_answered_is_not_sent_again(shop):
    charged = list(shop.vendor.charged)
    with pytest.raises(UnknownSubmissionError):
        shop.make(NOT_SENT)
    assert shop.vendor.charged == charged


def test_requests_that_were_over_are_over(shop):
    over = {
        **dict.fromkeys(("completed", "filmed"), Status.COMPLETED),
        **dict.fromkeys(("dead", "by-sql", "exhausted"), Status.DEAD),
        **dict.fromkeys(("canceled", "stopping"), Status.CANCELED),
    }
    assert {task_id: shop.steps.row(task_id).status for task_id in over} == over
