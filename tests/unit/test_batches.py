"""A batch has the orders of its name, in whichever order the database sorts text."""

import sqlite3
from contextlib import closing

import pytest
from sqlalchemy.dialects import sqlite

from resources.ledger.queries.listing import build_batch_condition

NAME = "batch-0a1b2c3d"
MEMBERS = [f"{NAME}-00001", f"{NAME}-00120", f"{NAME}-99999"]
OTHERS = [NAME, f"{NAME}.1", f"{NAME}x", f"{NAME}-", "batch-0a1b2c3e-00001", "batch-0a1b2c3-d00001"]


def by_bytes(text: str) -> str:
    return text


def by_letters_and_digits(text: str) -> tuple[str, str]:
    """As under many locales: what is neither only decides between texts that are the same otherwise."""
    return "".join(filter(str.isalnum, text)), text


def by_dots_first(text: str) -> str:
    return text.replace(".", " ")


@pytest.mark.parametrize("key", [by_bytes, by_letters_and_digits, by_dots_first])
def test_batch_has_its_orders_under_any_collation(key):
    def compare(one: str, other: str) -> int:
        return (key(one) > key(other)) - (key(one) < key(other))

    dialect, literally = sqlite.dialect(), {"literal_binds": True}
    condition = build_batch_condition(NAME).compile(dialect=dialect, compile_kwargs=literally)
    with closing(sqlite3.connect(":memory:")) as shell:
        shell.create_collation("locale", compare)
        shell.execute("CREATE TABLE requests (task_id TEXT PRIMARY KEY COLLATE locale)")
        shell.executemany("INSERT INTO requests VALUES (?)", [(each,) for each in MEMBERS + OTHERS])
        found = shell.execute(f"SELECT task_id FROM requests WHERE {condition}").fetchall()
        plan = shell.execute(
            f"EXPLAIN QUERY PLAN SELECT * FROM requests WHERE {condition}"
        ).fetchall()
    assert sorted(name for (name,) in found) == MEMBERS
    assert "SEARCH requests" in str(plan)
