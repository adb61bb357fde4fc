"""What is asked about one request reads that request's rows, however many others there are."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event

from resources.ledger.db.database import Database
from resources.ledger.queries.listing import RequestFilter, count_codes
from resources.ledger.queries.money import compute_usual_seconds, find_submission_in_doubt
from resources.ledger.queries.overview import build_overview
from resources.ledger.queries.status import get_request
from resources.ledger.request import Request
from resources.ledger.transitions.approval import end_expired_holds

Question = Callable[[Database, Request], object]
QUESTIONS: dict[str, Question] = {
    "the request": lambda db, request: get_request(db, request.task_id),
    "all about it": lambda db, request: build_overview(db, request.task_id),
    "the error codes of all": lambda db, _: count_codes(db, RequestFilter()),
    "its doubts": find_submission_in_doubt,
    "whose wait for a person is over": lambda db, request: end_expired_holds(db),
    "how long its stage takes": lambda db, request: compute_usual_seconds(
        db, request.pipeline, "lyric", "vendor"
    ),
}


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS.keys())
def test_look_up_reads_no_table_from_end_to_end(steps, question):
    steps.working()
    request = get_request(steps.db, "r")
    lines = plans_of(steps.db, lambda: question(steps.db, request))
    assert lines
    assert [line for line in lines if is_whole_table(line)] == []


def plans_of(db: Database, question: Callable[[], object]) -> list[str]:
    """How SQLite finds what is asked for, a line for each step of each statement."""
    asked: list[tuple[str, Any]] = []

    def note(_c: Connection, _cursor: Any, statement: str, values: Any, *_: Any) -> None:
        if statement.startswith(("SELECT", "WITH")):
            asked.append((statement, values))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        question()
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    return [line for statement in asked for line in plan(db, *statement)]


def is_whole_table(line: str) -> bool:
    """A subquery's own few rows are gone through, and that is meant."""
    return line.startswith("SCAN") and "INDEX" not in line and "anon_" not in line


def plan(db: Database, statement: str, values: Any) -> list[str]:
    with db.reading() as tx:
        rows = tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
        return [str(row.detail) for row in rows]
