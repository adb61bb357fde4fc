"""Indexes for due requests in the order of dispatch, and notifications for dispatchers."""

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.tables import WAKE_CHANNEL

revision = "ledger_0004"
down_revision = "ledger_0003"

_DUE = "status IN ('pending', 'failed')"
_BUSY = "status IN ('dispatched', 'processing')"


def upgrade() -> None:
    """Add the indexes on requests that may be due and, on Postgres, the triggers that NOTIFY."""
    _create_index("requests_due", [sa.text("priority DESC"), "id"], _DUE)
    _create_index("requests_later", ["not_before"], f"{_DUE} AND not_before IS NOT NULL")
    if op.get_bind().dialect.name == "postgresql":
        for statement in _wake_triggers():
            op.get_bind().exec_driver_sql(statement)


def _create_index(name: str, columns: list[str | sa.TextClause], condition: str) -> None:
    where = sa.text(condition)
    op.create_index(name, "requests", columns, postgresql_where=where, sqlite_where=where)


def _wake_triggers() -> tuple[str, ...]:
    """The DDL, one statement each.

    A commit with a NOTIFY waits for every other such commit, so only changes that may make a request due or a
    place free send one. UPDATE OF matches the columns that a statement sets, so heartbeats and moves within an
    attempt never reach the condition.
    """
    new_place = f"OLD.{_BUSY} AND NOT NEW.{_BUSY}"
    newly_due = (
        f"NEW.{_DUE} AND ROW(NEW.status, NEW.not_before, NEW.waits_for, NEW.retry_count, NEW.max_retries) "
        "IS DISTINCT FROM ROW(OLD.status, OLD.not_before, OLD.waits_for, OLD.retry_count, OLD.max_retries)"
    )
    sooner = "NEW.parked_until IS NULL OR NEW.parked_until < OLD.parked_until"
    return (
        f"""CREATE FUNCTION castad_wake() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            PERFORM pg_notify('{WAKE_CHANNEL}', '');
            RETURN NULL;
        END $$""",
        _trigger("requests_wake_new", "INSERT ON requests", "STATEMENT"),
        _trigger(
            "requests_wake_due",
            "UPDATE OF status, not_before, waits_for, retry_count, max_retries ON requests",
            f"ROW WHEN (({newly_due}) OR ({new_place}))",
        ),
        _trigger("requests_wake_gone", "DELETE ON requests", f"ROW WHEN (OLD.{_BUSY})"),
        _trigger("workers_wake", "INSERT OR DELETE ON workers", "STATEMENT"),
        _trigger(
            "workers_wake_places",
            "UPDATE OF places ON workers",
            "ROW WHEN (NEW.places IS DISTINCT FROM OLD.places)",
        ),
        _trigger("providers_wake", "UPDATE OF parked_until ON providers", f"ROW WHEN ({sooner})"),
        _trigger("providers_wake_gone", "DELETE ON providers", "STATEMENT"),
    )


def _trigger(name: str, after: str, each: str) -> str:
    return f"CREATE TRIGGER {name} AFTER {after} FOR EACH {each} EXECUTE FUNCTION castad_wake()"
