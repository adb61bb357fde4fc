"""The schema: brought up to date by whoever comes first, and refused where it cannot be used."""

from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect, text

from resources.contract.errors import StateUnavailableError
from resources.ledger.db.database import Database, open_database
from resources.ledger.ledger_errors import DatabaseNewerError
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


def test_migrated_database_has_the_tables_of_the_metadata(own_ledger):
    with own_ledger.reading() as tx:
        found = set(inspect(tx).get_table_names())
    assert found - {VERSION_TABLE, SCRATCH_TABLE} == set(metadata.tables)


@pytest.mark.parametrize("table", sorted(metadata.tables))
def test_migrated_table_is_the_one_of_the_metadata(db, table):
    assert shape_in(db, table) == shape_of_metadata(table)


@pytest.mark.parametrize("table", sorted(metadata.tables))
def test_migrated_table_has_the_unique_constraints_of_the_metadata(db, table):
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
def test_check_names_exactly_the_statuses_of_the_code(db, table, statuses):
    with db.reading() as tx:
        checks = inspect(tx).get_check_constraints(table)
    rule = next(check["sqltext"] for check in checks if check["name"] == "status_exists")
    quoted = set(rule.split("'")[1::2])
    assert quoted == {status.value for status in statuses}


def test_database_opened_again_keeps_what_is_in_it(database_url):
    first = Database(database_url)
    Steps(first).order()
    first.close()
    again = Database(database_url)
    assert Steps(again).task_ids() == ["r"]
    again.close()


@pytest.mark.parametrize("revision", ["ledger_0027", "ledger_9999"])
def test_ledger_of_a_revision_that_is_not_known_is_refused_in_one_sentence(database_url, revision):
    Database(database_url).close()
    engine = create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '{revision}'"))
    engine.dispose()
    expected = f"'{revision}', which this castad does not know; expected ledger_0028 to"
    with pytest.raises(DatabaseNewerError, match=expected):
        Database(database_url)


def test_state_folder_that_cannot_be_made_is_named(tmp_path):
    # A path under a regular file is closed to root as well.
    (tmp_path / "file").write_text("")
    with pytest.raises(StateUnavailableError, match="CASTAD_HOME"):
        open_database(f"sqlite:///{tmp_path / 'file' / 'home' / 'castad.db'}")


def test_file_that_is_no_database_is_named(tmp_path):
    (tmp_path / "castad.db").write_text("this is a letter to my grandmother, not a database" * 20)
    with pytest.raises(StateUnavailableError, match="cannot be opened"):
        open_database(f"sqlite:///{tmp_path / 'castad.db'}")


def test_server_that_is_not_there_is_told_without_its_password():
    with pytest.raises(StateUnavailableError) as refused:
        Database("postgresql+psycopg2://castad:hunter2@127.0.0.1:1/castad?sslpassword=hunter2")
    assert "hunter2" not in str(refused.value)


def test_state_folder_is_closed_to_others(tmp_path):
    database = open_database(f"sqlite:///{tmp_path / 'home' / 'castad.db'}")
    database.close()
    assert (tmp_path / "home").stat().st_mode & 0o077 == 0
