"""The schema: brought up to date by whoever comes first, and refused where it cannot be used."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.exc import DatabaseError

from resources.contract.errors import StateUnavailableError
from resources.ledger.db.database import Database, open_database
from resources.ledger.errors import DatabaseNewerError
from resources.ledger.schema import migrations
from resources.ledger.schema.tables import (
    SCRATCH_TABLE,
    VERSION_TABLE,
    JobStatus,
    StageStatus,
    Status,
    metadata,
)
from tests.ledger_steps import Steps

MIGRATIONS = Path(migrations.__file__).parent
Shape = dict[str, object]


def shape_of_metadata(table: str) -> Shape:
    described = metadata.tables[table]
    return {
        "columns": {(column.name, bool(column.nullable)) for column in described.columns},
        "indexes": {str(index.name) for index in described.indexes},
    }


def shape_in(db: Database, table: str) -> Shape:
    with db.reading() as tx:
        found = inspect(tx)
        return {
            "columns": {(str(c["name"]), bool(c["nullable"])) for c in found.get_columns(table)},
            "indexes": {
                str(index["name"])
                for index in found.get_indexes(table)
                if not index.get("duplicates_constraint")
            },
        }


def test_migrated_database_has_the_tables_of_the_metadata(own_ledger: Database) -> None:
    with own_ledger.reading() as tx:
        found = set(inspect(tx).get_table_names())
    assert found - {VERSION_TABLE, SCRATCH_TABLE} == set(metadata.tables)


@pytest.mark.parametrize("table", sorted(metadata.tables))
def test_migrated_table_is_the_one_of_the_metadata(db: Database, table: str) -> None:
    assert shape_in(db, table) == shape_of_metadata(table)


@pytest.mark.parametrize("table", sorted(metadata.tables))
def test_migrated_table_has_the_unique_constraints_of_the_metadata(
    db: Database, table: str
) -> None:
    declared = {
        tuple(sorted(column.name for column in constraint.columns))
        for constraint in metadata.tables[table].constraints
        if type(constraint).__name__ == "UniqueConstraint"
    }
    with db.reading() as tx:
        found = inspect(tx).get_unique_constraints(table)
    assert {tuple(sorted(one["column_names"])) for one in found} == declared


@pytest.mark.parametrize(
    ("table", "statuses"),
    [("requests", Status), ("stages", StageStatus), ("provider_jobs", JobStatus)],
)
def test_check_names_exactly_the_statuses_of_the_code(
    db: Database, table: str, statuses: type[Status | StageStatus | JobStatus]
) -> None:
    with db.reading() as tx:
        checks = inspect(tx).get_check_constraints(table)
    rule = next(check["sqltext"] for check in checks if check["name"] == "status_exists")
    quoted = set(rule.split("'")[1::2])
    assert quoted == {status.value for status in statuses}


def test_database_opened_again_keeps_what_is_in_it(database_url: str) -> None:
    first = Database(database_url)
    Steps(first).order()
    first.close()
    again = Database(database_url)
    assert Steps(again).task_ids() == ["r"]
    again.close()


def test_database_of_a_later_castad_is_refused_in_one_sentence(database_url: str) -> None:
    Database(database_url).close()
    engine = create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = 'ledger_9999'"))
    engine.dispose()
    with pytest.raises(DatabaseNewerError, match="'ledger_9999', which this castad does not know"):
        Database(database_url)


BEFORE_UNIQUE_IDS = "ledger_0009"
DUPLICATES = (
    ("first", "failed", "x1", None),
    ("second", "submitted", "x1", None),
    ("third", "succeeded", "x1", "y1"),
    ("fourth", "unknown", None, "y1"),
    ("fifth", "submitted", "z1", None),
)
KEPT = [
    ("failed", "x1", None, False),
    ("unknown", None, None, True),
    ("succeeded", "x1#3", "y1", True),
    ("unknown", None, None, False),
    ("submitted", "z1", None, False),
]


def test_ids_that_were_given_twice_are_kept_by_the_first_and_noted_by_the_others(
    database_url: str,
) -> None:
    engine = create_engine(database_url)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, BEFORE_UNIQUE_IDS)
        for task_id, status, external_id, heard_id in DUPLICATES:
            connection.execute(
                text("INSERT INTO requests (task_id, payload) VALUES (:r, '{}')"), {"r": task_id}
            )
            connection.execute(
                text(
                    "INSERT INTO provider_jobs (request_id, stage, generation, attempt, provider, status,"
                    " token, external_id, request_hash, cost, heard_id) SELECT id, 'song', 1, 1, 'suno',"
                    " :s, task_id, :e, '0', 0, :h FROM requests WHERE task_id = :r"
                ),
                {"r": task_id, "s": status, "e": external_id, "h": heard_id},
            )
    engine.dispose()
    with closing(Database(database_url)) as db:
        steps = Steps(db)
        jobs = [job for task_id, *_ in DUPLICATES for job in steps.jobs(task_id)]
    found = [
        (j.status, j.external_id, j.heard_id, "x1 is that of" in str(j.error_message)) for j in jobs
    ]
    assert found == KEPT


def test_state_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    # A path under a regular file is closed to root as well.
    (tmp_path / "file").write_text("")
    with pytest.raises(StateUnavailableError, match="CASTAD_HOME"):
        open_database(f"sqlite:///{tmp_path / 'file' / 'home' / 'castad.db'}")


def test_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "castad.db").write_text("this is a letter to my grandmother, not a database" * 20)
    with pytest.raises(StateUnavailableError, match="cannot be opened"):
        open_database(f"sqlite:///{tmp_path / 'castad.db'}")


def test_server_that_is_not_there_is_told_without_its_password() -> None:
    with pytest.raises(StateUnavailableError) as refused:
        Database("postgresql+psycopg2://castad:hunter2@127.0.0.1:1/castad?sslpassword=hunter2")
    assert "hunter2" not in str(refused.value)


def test_state_folder_is_closed_to_others(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'home' / 'castad.db'}")
    database.close()
    assert (tmp_path / "home").stat().st_mode & 0o077 == 0


LYRIC_THEN_SONG_FAILED = """
    INSERT INTO requests (task_id, payload) VALUES ('r', '{}');
    INSERT INTO events (request_id, seq, type, "from", "to", data) VALUES
        (1, 2, 'failed', 'processing', 'failed',
            '{"stage": "lyric", "set": {"retry_count": 1, "error_code": "e"}}'),
        (1, 3, 'failed', 'processing', 'failed',
            '{"stage": "lyric", "set": {"retry_count": 1, "error_code": "submission_unknown"}}'),
        (1, 4, 'stage_completed', 'processing', 'processing',
            '{"stage": "lyric", "generation": 1, "set": {"deaths": 0}}'),
        (1, 5, 'failed', 'processing', 'failed',
            '{"stage": "song", "set": {"retry_count": 2, "error_code": "e"}}');
    INSERT INTO stages (request_id, stage, generation, status) VALUES
        (1, 'lyric', 1, 'completed'), (1, 'song', 1, 'failed'), (1, 'video', 1, 'pending');
    UPDATE requests SET seq = 5, status = 'failed', stage = 'song', retry_count = 2
"""


def ledger_of(revision: str, url: str, filled_by: str) -> None:
    """A ledger as the castad of this revision has left it."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    engine = create_engine(url)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        for statement in filled_by.split(";"):
            connection.exec_driver_sql(statement)
    engine.dispose()


def test_migration_keeps_the_retries_on_record(database_url: str) -> None:
    ledger_of("ledger_0008", database_url, LYRIC_THEN_SONG_FAILED)
    db = Database(database_url)
    kept = {row.stage: row.retry_count for row in Steps(db).stages()}
    assert (kept, Steps(db).row().retry_count) == ({"lyric": 1, "song": 2, "video": 0}, 2)
    db.close()


def test_migration_counts_no_retries_by_events_that_cannot_be_read(database_url: str) -> None:
    typed = LYRIC_THEN_SONG_FAILED.replace(
        '"lyric", "generation": 1', '["lyric"], "generation": {}'
    )
    ledger_of("ledger_0008", database_url, typed.replace('"retry_count": 2', '"retry_count": "x"'))
    with closing(Database(database_url)) as db:
        assert {row.stage: row.retry_count for row in Steps(db).stages()}["lyric"] == 0


# What older castads took from a hand, in any of their tables.
ODD_ROWS = """
    INSERT INTO requests (task_id, payload) VALUES ('good', '{}'), ('bad', '{}');
    UPDATE requests SET deaths = -5, seq = 0 WHERE task_id = 'bad';
    INSERT INTO events (request_id, seq, type, "to", data)
        SELECT id, 2, 'failed', 'pending', 'no json' FROM requests WHERE task_id = 'bad';
    INSERT INTO stages (request_id, stage, started_at, cost)
        SELECT id, 'lyric', '0000-00-00', -1 FROM requests WHERE task_id = 'bad';
    INSERT INTO providers (name, parked_until) VALUES ('vendor', 'infinity');
    INSERT INTO workers (name, nonce, places) VALUES ('w', '1', -1)
"""
OF_SQLITE = """;
    INSERT INTO provider_jobs (request_id, stage, generation, attempt, provider, token, request_hash, cost)
        VALUES (99, 'song', 1, 1, 'vendor', 'token', '0', 7);
    INSERT INTO events (request_id, seq, type, "to") VALUES (99, 1, 'created', 'pending');
    INSERT INTO requests (task_id, payload, fence, seq)
        VALUES ('furthest', '{}', 9223372036854775807, 9223372036854775807)
"""


@pytest.fixture
def mended(database_url: str) -> Iterator[Steps]:
    """A ledger with rows that an older castad took and this one would not."""
    sqlite = database_url.startswith("sqlite")
    odd = ODD_ROWS if sqlite else ODD_ROWS.replace("'0000-00-00'", "'-infinity'")
    ledger_of("ledger_0008", database_url, odd + OF_SQLITE if sqlite else odd)
    steps = Steps(Database(database_url))
    yield steps
    steps.db.close()


def test_rows_that_are_refused_today_do_not_stop_the_migration(mended: Steps) -> None:
    assert {request.task_id for request in mended.dispatch(9)} >= {"good", "bad"}
    assert mended.row("bad").deaths == 0


def test_row_that_the_migration_mended_says_so(mended: Steps) -> None:
    edited = mended.events("bad")[-1]
    assert (edited.type, edited.seq) == ("edited", mended.row("bad").seq)
    assert "deaths" in edited.data["message"]


SAME_WHEN_MENDED = """
    INSERT INTO requests (task_id, payload) VALUES ('r', '{}');
    INSERT INTO attempts (request_id, number, worker) VALUES (1, -1, 'w'), (1, 0, 'w'), (1, 1, 'w');
    INSERT INTO stages (request_id, stage, generation) VALUES (1, 'lyric', 0), (1, 'lyric', 1);
    INSERT INTO provider_jobs
        (request_id, stage, generation, attempt, provider, token, external_id, request_hash, cost)
        VALUES (1, 'lyric', 0, 1, 'vendor', 'older', 'x0', '0', 7),
            (1, 'lyric', 1, 1, 'vendor', 'newer', 'x1', '0', 7)
"""


def test_rows_that_are_the_same_when_mended_do_not_stop_the_migration(database_url: str) -> None:
    ledger_of("ledger_0008", database_url, SAME_WHEN_MENDED)
    with closing(Database(database_url)) as db, db.reading() as tx:
        kept = [
            tx.execute(text(f"SELECT {column} FROM {table}")).scalars().all()
            for table, column in (
                ("attempts", "number"),
                ("stages", "generation"),
                ("provider_jobs", "external_id"),
                ("orphans", "external_id"),
            )
        ]
    assert kept == [[1], [1], ["x1"], ["x0"]]


def test_ids_go_on_where_they_were_after_the_migration(database_url: str) -> None:
    ledger_of(
        *("ledger_0008", database_url),
        "INSERT INTO requests (task_id, payload) VALUES ('a', '{}'), ('b', '{}'); DELETE FROM requests",
    )
    steps = Steps(Database(database_url))
    steps.order("c")
    assert steps.row("c").id == 3
    steps.db.close()


def test_submission_whose_request_was_deleted_in_the_shell_is_kept(sqlite_url: str) -> None:
    ledger_of("ledger_0008", sqlite_url, ODD_ROWS + OF_SQLITE)
    db = Database(sqlite_url)
    with db.reading() as tx:
        assert tx.execute(text("SELECT token, cost FROM orphans")).all() == [("token", 7)]
    db.close()


HALFWAY = """
    INSERT INTO requests (task_id, payload) VALUES ('r', '{}');
    INSERT INTO stages (request_id, stage, status) VALUES
        ((SELECT id FROM requests), 'lyric', 'completed'), ((SELECT id FROM requests), 'song', 'processing');
    INSERT INTO provider_jobs
        (request_id, stage, generation, attempt, provider, token, status, request_hash, progress, progress_note)
        VALUES ((SELECT id FROM requests), 'lyric', 1, 1, 'vendor', 'a', 'succeeded', '0', 1, 'done'),
            ((SELECT id FROM requests), 'song', 1, 1, 'vendor', 'b', 'failed', '0', 0.9, 'failed since'),
            ((SELECT id FROM requests), 'song', 1, 1, 'vendor', 'c', 'submitted', '0', 0.5, 'half')
"""


def test_migration_keeps_the_progress_of_a_submission_as_its_stages(database_url: str) -> None:
    ledger_of("ledger_0014", database_url, HALFWAY)
    with closing(Database(database_url)) as db:
        rows = [(row.stage, row.progress, row.progress_note) for row in Steps(db).stages()]
        assert rows == [("lyric", None, None), ("song", 0.5, "half")]
        assert [job.token for job in Steps(db).jobs()] == ["a", "b", "c"]


def test_submission_is_guarded_after_the_migration_as_before(database_url: str) -> None:
    ledger_of("ledger_0014", database_url, HALFWAY)
    with closing(Database(database_url)) as db:
        steps = Steps(db)
        with pytest.raises(DatabaseError, match="money is under way"):
            steps.sql("DELETE FROM provider_jobs WHERE token = 'c'")
        with pytest.raises(DatabaseError, match=r"provider_jobs\.status: expected"):
            steps.sql("UPDATE provider_jobs SET status = 'lost'")
        lease = steps.take()
        job = steps.record_intent(lease, steps.begin(lease, "video"))
        assert job.id == max(row.id for row in steps.jobs()[:-1]) + 1
