"""The wait for a place of a stage or a turn at a vendor is a state of the request, in the order of asking."""

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.migrations.row_rules import Rule, moment_rule, name_rule

revision = "ledger_0012"
down_revision = "ledger_0011"

_DUE = (
    "status IN ('pending', 'failed') "
    "AND (asked_at IS NULL OR waits_for IS NULL OR status = 'failed')"
)
_IN_LINE = "status = 'pending' AND asked_at IS NOT NULL AND waits_for IS NOT NULL"
_DESCENDING = sa.text("priority DESC")


def upgrade() -> None:
    """Add `asked_at`, `place` and `turn` to `requests`, with their indexes; drop the index on stages."""
    connection = op.get_bind()
    is_sqlite = connection.dialect.name == "sqlite"
    kind = "TEXT" if is_sqlite else "TIMESTAMPTZ"
    _add_column("asked_at", kind, moment_rule(is_sqlite, "asked_at", is_needed=False))
    for name in ("place", "turn"):
        _add_column(name, "VARCHAR(64)", name_rule(name) if is_sqlite else None)
        _create_index(f"requests_{name}", [name], f"{name} IS NOT NULL")
    op.drop_index("requests_due", "requests")
    _create_index("requests_due", [_DESCENDING, "id"], _DUE)
    _create_index("requests_in_line", ["waits_for", _DESCENDING, "asked_at", "id"], _IN_LINE)
    op.drop_index("stages_at_work", "stages")
    if not is_sqlite:
        connection.exec_driver_sql(
            """CREATE TRIGGER requests_wake_place AFTER UPDATE OF place ON requests FOR EACH ROW
            WHEN (OLD.place IS NOT NULL AND NEW.place IS DISTINCT FROM OLD.place)
            EXECUTE FUNCTION castad_wake()"""
        )


def _add_column(name: str, kind: str, rule: Rule | None) -> None:
    """On SQLite a CHECK can only be added together with its column."""
    check = "" if rule is None else f" CONSTRAINT {rule.name} CHECK ({rule.condition})"
    op.get_bind().exec_driver_sql(f"ALTER TABLE requests ADD COLUMN {name} {kind}{check}")


def _create_index(name: str, columns: list[str | sa.TextClause], condition: str) -> None:
    where = sa.text(condition)
    op.create_index(name, "requests", columns, postgresql_where=where, sqlite_where=where)
