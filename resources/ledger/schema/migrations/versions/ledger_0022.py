"""What retention has removed is on record: parts of requests, and whole requests that a person deleted."""

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.migrations.row_rules import moment_rule, name_rule
from resources.ledger.schema.sqltime import Moment

revision = "ledger_0022"
down_revision = "ledger_0021"

_PRUNED_AT = ("log_at", "files_at")
_NAMES = {"task_id": 128, "pipeline": 64, "owner": 128, "deleted_by": 128}


def upgrade() -> None:
    """Create `pruned` and `deleted_requests`; an index finds who else has a file."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    key = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    moments = [moment_rule(is_sqlite, name, is_needed=False) for name in _PRUNED_AT]
    op.create_table(
        "pruned",
        sa.Column(
            "request_id",
            key,
            sa.ForeignKey("requests.id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        *(sa.Column(name, Moment) for name in _PRUNED_AT),
        *(sa.CheckConstraint(rule.condition, name=rule.name) for rule in moments),
    )
    rules = [moment_rule(is_sqlite, "deleted_at", is_needed=True)]
    rules += [name_rule(name) for name in _NAMES if is_sqlite]
    op.create_table(
        "deleted_requests",
        sa.Column("request_id", key, primary_key=True, autoincrement=False),
        *(
            sa.Column(name, sa.String(length), nullable=name == "owner")
            for name, length in _NAMES.items()
        ),
        sa.Column("deleted_at", Moment, nullable=False),
        *(sa.CheckConstraint(rule.condition, name=rule.name) for rule in rules),
    )
    op.create_index("deleted_requests_task_id", "deleted_requests", ["task_id"])
    op.create_index("artifacts_where", "artifacts", ["where"])
