"""What an operator's SQL may leave in a row must not keep people from looking at it."""

import json

import pytest
from sqlalchemy import text

from resources.ledger.db.database import Database

MEGABYTE = 1_000_000
BYTES = "CAST(x'61ff62' AS TEXT)"
ODD = {
    "broken json": {"payload": "'{\"customer_name\": '"},
    "no object": {"payload": "'[1]'"},
    "bytes in payload": {"payload": BYTES},
    "bytes in message": {"error_message": BYTES},
    "bytes everywhere": dict.fromkeys(
        ("payload", "pipeline", "stage", "error_code", "error_message"), BYTES
    ),
    "blobs": dict.fromkeys(("payload", "error_message"), "x'61ff62'"),
    "half characters": {"error_message": "CAST(x'eda080' AS TEXT)"},
    "a long message": {"error_message": f"printf('%.{MEGABYTE}c', 'x')"},
    "many lines": {"error_message": "replace(hex(zeroblob(1000)), '00', 'x' || char(10))"},
    "markup and control": {"error_message": "'[/bold][red' || char(27) || '[2J' || char(0, 13)"},
}


@pytest.fixture(params=ODD)
def odd(request: pytest.FixtureRequest, ledger: Database) -> str:
    """A dead letter of this content; returns its task_id."""
    usual = {"task_id": "'x'", "status": "'dead'", "payload": "'{}'", "error_code": "'e'"}
    values = {**usual, **ODD[request.param]}
    with ledger.writing() as tx:
        tx.execute(
            text(
                f"INSERT INTO requests ({', '.join(values)}) VALUES ({', '.join(values.values())})"
            )
        )
    return "x"


def test_status_and_dead_show_any_row(castad, odd):
    for command in (("status", odd), ("dead",)):
        done = castad(*command)
        assert (done.returncode, done.stderr) == (0, "")
        assert odd in done.stdout


def test_status_and_dead_tell_programs_of_any_row(castad, odd):
    told, letters = castad("status", odd, "--json"), castad("dead", "--json")
    assert (told.returncode, letters.returncode) == (0, 0)
    assert json.loads(told.stdout)["status"] == "dead"
    assert [letter["task_id"] for letter in json.loads(letters.stdout)["dead"]] == [odd]


def test_stats_count_any_row(castad, odd):
    shown, told = castad("stats"), castad("stats", "--json")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert sum(json.loads(told.stdout)["dead_letters"].values()) == 1


def test_watch_and_history_of_any_row_do_not_break(castad, odd):
    watched = castad("watch", odd)
    assert watched.returncode == 1
    assert watched.stderr.startswith("castad: x is dead: ")
    told = json.loads(castad("history", odd, "--json").stdout)
    shown = [entry["what"] for entry in told["history"]]
    assert shown[0] == "created: nothing → dead"
    assert set(shown[1:]) <= {"edited (by an operator's SQL)"}
