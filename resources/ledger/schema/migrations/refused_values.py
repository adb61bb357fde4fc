"""Triggers that refuse an operator's impossible values with one sentence, before a CHECK shows the raw row.

A move of castad's, which raises seq, is not looked at: the CHECKs stand behind it.
"""

from collections.abc import Mapping, Sequence

from resources.ledger.schema.migrations.row_rules import MOST
from resources.ledger.schema.tables import JobStatus, StageStatus, Status

_STATUSES: Mapping[str, Sequence[str]] = {
    "requests": [*Status],
    "stages": [*StageStatus],
    "provider_jobs": [*JobStatus],
}
_COUNTS = ("attempt", "retry_count", "max_retries", "deaths")
_TASK_ID = (
    "1 to 128 letters, digits, ''_'', ''.'', '':'' or ''-'', beginning with a letter or digit"
)
_SQLITE_ID = (
    "NEW.task_id NOT GLOB '[A-Za-z0-9]*' OR NEW.task_id GLOB '*[^A-Za-z0-9_.:-]*' "
    "OR length(NEW.task_id) > 128"
)
_POSTGRES_ID = "NEW.task_id !~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$'"


def value_statements(dialect: str) -> list[str]:
    """Return the DDL, one statement each."""
    statements: list[str] = []
    for table, statuses in _STATUSES.items():
        expected = f"{', '.join(statuses[:-1])} or {statuses[-1]}"
        listed = ", ".join(f"'{status}'" for status in statuses)
        statements += _refuse(dialect, table, "status", f"NEW.status NOT IN ({listed})", expected)
    whole = f"a whole number from 0 to {MOST}"
    for column in _COUNTS:
        statements += _refuse(dialect, "requests", column, f"NEW.{column} < 0", whole)
    bad_id = _SQLITE_ID if dialect == "sqlite" else _POSTGRES_ID
    return [*statements, *_refuse(dialect, "requests", "task_id", bad_id, _TASK_ID)]


def _refuse(dialect: str, table: str, column: str, is_bad: str, expected: str) -> list[str]:
    """Return what refuses this column's bad values in a new row and in an operator's edit."""
    sentence = f"'{table}.{column}: expected {expected}'"
    by_hand = f"NEW.seq = OLD.seq AND ({is_bad})" if table == "requests" else is_bad
    # Postgres executes triggers by their names, and `requests_edited` raises seq.
    name = f"{table}_bad_{column}"
    events = (("new", "INSERT", is_bad), ("edit", "UPDATE", by_hand))
    if dialect == "sqlite":
        return [
            f"CREATE TRIGGER {name}_{kind} BEFORE {event} ON {table} WHEN {when} "
            f"BEGIN SELECT RAISE(ABORT, {sentence}); END"
            for kind, event, when in events
        ]
    return [
        f"CREATE FUNCTION castad_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = {sentence}; END $$",
        *(
            f"CREATE TRIGGER {name}_{kind} BEFORE {event} ON {table} FOR EACH ROW WHEN ({when}) "
            f"EXECUTE FUNCTION castad_{name}()"
            for kind, event, when in events
        ),
    ]
