"""Workers keep a record of each analysis; it is closed with its request."""

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.migrations.row_rules import moment_rule, name_rule, text_rule
from resources.ledger.schema.sqltime import POSTGRES_NOW, SQLITE_NOW, Moment

revision = "ledger_0023"
down_revision = "ledger_0022"

_TABLE = "analyses"
_NAMES = ("id", "name_key", "owner", "repo", "sha")
_CLOSED = "('completed', 'dead', 'canceled')"


def upgrade() -> None:
    """Create `analyses` with the trigger that closes its rows."""
    connection = op.get_bind()
    is_sqlite = connection.dialect.name == "sqlite"
    request = sa.ForeignKey("requests.id", ondelete="CASCADE")
    rules = [
        moment_rule(is_sqlite, "started_at", is_needed=True),
        moment_rule(is_sqlite, "finished_at", is_needed=False),
        text_rule(is_sqlite, "summary"),
        *(name_rule(name) for name in _NAMES if is_sqlite),
    ]
    op.create_table(
        _TABLE,
        sa.Column("id", sa.String(128), primary_key=True),
        sa.Column(
            "request_id",
            sa.BigInteger().with_variant(sa.Integer, "sqlite"),
            request,
            nullable=False,
        ),
        sa.Column("name_key", sa.String(400), nullable=False),
        sa.Column("owner", sa.String(100), nullable=False),
        sa.Column("repo", sa.String(255), nullable=False),
        sa.Column("sha", sa.String(64), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("started_at", Moment, nullable=False),
        sa.Column("finished_at", Moment),
        sa.Column("summary", sa.Text),
        sa.UniqueConstraint("request_id", name="analyses_one_per_request"),
        sa.CheckConstraint(f"status IN {_CLOSED} OR status = 'running'", name="status_exists"),
        *(sa.CheckConstraint(rule.condition, name=rule.name) for rule in rules),
    )
    op.create_index("analyses_name_key", _TABLE, ["name_key", "request_id"])
    for statement in _sqlite() if is_sqlite else _postgres():
        connection.exec_driver_sql(statement)


def _close(now: str) -> str:
    return (
        f"UPDATE {_TABLE} SET status = NEW.status, finished_at = {now} "
        "WHERE request_id = NEW.id AND status = 'running';"
    )


def _sqlite() -> tuple[str, ...]:
    return (
        f"""CREATE TRIGGER requests_close_analysis AFTER UPDATE OF status ON requests
        WHEN NEW.status IN {_CLOSED} AND NEW.status IS NOT OLD.status BEGIN
            {_close(SQLITE_NOW)}
        END""",
    )


def _postgres() -> tuple[str, ...]:
    # Whoever ends the request, such as the API that cancels it, needs no right to write records.
    return (
        f"""CREATE FUNCTION castad_close_analysis() RETURNS trigger LANGUAGE plpgsql
        SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
            {_close(POSTGRES_NOW)}
            RETURN NULL;
        END $$""",
        f"""CREATE TRIGGER requests_close_analysis AFTER UPDATE ON requests FOR EACH ROW
        WHEN (NEW.status IN {_CLOSED} AND NEW.status <> OLD.status)
        EXECUTE FUNCTION castad_close_analysis()""",
    )
