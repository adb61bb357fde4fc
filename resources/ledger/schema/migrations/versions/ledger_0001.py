"""The ledger: requests, stages, provider jobs, events, attempts, artifacts, workers, providers."""

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.migrations.requests_trigger import trigger_statements
from resources.ledger.schema.sqltime import POSTGRES_NOW, SQLITE_NOW, Moment

revision = "ledger_0001"
down_revision = None

KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create every table, index and trigger."""
    dialect = op.get_bind().dialect.name
    now = sa.text(f"({SQLITE_NOW if dialect == 'sqlite' else POSTGRES_NOW})")
    _create_requests(now)
    _create_stages()
    _create_provider_jobs(now)
    _create_events(now)
    _create_attempts_and_artifacts(now)
    _create_workers_and_providers(now)
    for statement in trigger_statements(dialect):
        op.get_bind().exec_driver_sql(statement)


def _one_of(column: str, *values: str) -> sa.CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=f"{column}_exists")


def _create_requests(now: sa.TextClause) -> None:
    op.create_table(
        "requests",
        sa.Column("id", KEY, primary_key=True, autoincrement=True),
        sa.Column("task_id", sa.String(128), nullable=False, unique=True),
        sa.Column("pipeline", sa.String(64), nullable=False, server_default="song_video"),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("status", sa.String(16), nullable=False, server_default="pending"),
        sa.Column("stage", sa.String(64)),
        sa.Column("seq", sa.Integer, nullable=False, server_default="1"),
        sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
        sa.Column("retry_count", sa.Integer, nullable=False, server_default="0"),
        sa.Column("max_retries", sa.Integer, nullable=False, server_default="3"),
        sa.Column("deaths", sa.Integer, nullable=False, server_default="0"),
        sa.Column("priority", sa.Integer, nullable=False, server_default="0"),
        sa.Column("not_before", Moment),
        sa.Column("owner", sa.String(128)),
        sa.Column("source", sa.String(32), nullable=False, server_default="sql"),
        sa.Column("callback_url", sa.Text),
        sa.Column("run_id", sa.String(64)),
        sa.Column("lease_owner", sa.String(200)),
        sa.Column("lease_until", Moment),
        sa.Column("fence", sa.Integer, nullable=False, server_default="0"),
        sa.Column("cancel_requested", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("error_code", sa.String(64)),
        sa.Column("error_message", sa.Text),
        sa.Column("created_at", Moment, nullable=False, server_default=now),
        sa.Column("updated_at", Moment, nullable=False, server_default=now),
        sa.Column("dispatched_at", Moment),
        sa.Column("completed_at", Moment),
        sa.Column("last_failed_at", Moment),
        _one_of(
            "status",
            "pending",
            "dispatched",
            "processing",
            "completed",
            "failed",
            "dead",
            "canceled",
        ),
        sa.CheckConstraint(_task_id_rule(), name="task_id_form"),
        sa.CheckConstraint("max_retries >= 0", name="max_retries_not_negative"),
        sa.CheckConstraint("retry_count >= 0", name="retry_count_not_negative"),
        *_only_moments(),
        *_only_whole_numbers(),
        # An operator's DELETE in sqlite3 leaves the events; a new request must not get their request_id.
        sqlite_autoincrement=True,
    )
    open_ = sa.text("status IN ('pending', 'dispatched', 'processing', 'failed')")
    _partial_index("requests_open", "requests", ["status", "priority", "id"], open_)
    _partial_index(
        "requests_lease_owner", "requests", ["lease_owner"], sa.text("lease_owner IS NOT NULL")
    )


def _task_id_rule() -> str:
    if op.get_bind().dialect.name == "sqlite":
        return (
            "task_id GLOB '[A-Za-z0-9]*' AND task_id NOT GLOB '*[^A-Za-z0-9_.:-]*' "
            "AND length(task_id) <= 128"
        )
    return "task_id ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$'"


_MOMENTS = (
    *("not_before", "lease_until", "created_at", "updated_at"),
    *("dispatched_at", "completed_at", "last_failed_at"),
)
_NUMBERS = (
    *("seq", "attempt", "retry_count", "max_retries", "deaths", "priority", "fence"),
    "cancel_requested",
)


# SQLite stores any text as a moment, and Postgres allows years that Python does not.
_SQLITE_MOMENT = (
    "{0} IS NULL OR ({0} >= '0001' AND datetime({0}, '+0 seconds') IS substr({0}, 1, 19) "
    "AND substr({0}, 20) NOT GLOB '*[^0-9.:+]*' AND {0} NOT GLOB '*.')"
)
_POSTGRES_MOMENT = "{0} IS NULL OR {0} BETWEEN '0001-01-02 00:00Z' AND '9999-12-30 00:00Z'"


def _only_moments() -> list[sa.CheckConstraint]:
    rule = _SQLITE_MOMENT if op.get_bind().dialect.name == "sqlite" else _POSTGRES_MOMENT
    return [sa.CheckConstraint(rule.format(name), name=f"{name}_is_a_moment") for name in _MOMENTS]


def _only_whole_numbers() -> list[sa.CheckConstraint]:
    if op.get_bind().dialect.name != "sqlite":
        return []
    return [
        sa.CheckConstraint(f"typeof({name}) = 'integer'", name=f"{name}_is_a_whole_number")
        for name in _NUMBERS
    ]


def _partial_index(
    name: str, table: str, columns: list[str], where: sa.TextClause, *, unique: bool = False
) -> None:
    op.create_index(name, table, columns, unique=unique, postgresql_where=where, sqlite_where=where)


def _request_id() -> sa.Column[int]:
    return sa.Column(
        "request_id", KEY, sa.ForeignKey("requests.id", ondelete="CASCADE"), nullable=False
    )


def _create_stages() -> None:
    op.create_table(
        "stages",
        sa.Column("id", KEY, primary_key=True, autoincrement=True),
        _request_id(),
        sa.Column("stage", sa.String(64), nullable=False),
        sa.Column("generation", sa.Integer, nullable=False, server_default="1"),
        sa.Column("status", sa.String(16), nullable=False, server_default="pending"),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("result", sa.Text),
        sa.Column("cost", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("error_code", sa.String(64)),
        sa.Column("error_message", sa.Text),
        sa.Column("started_at", Moment),
        sa.Column("completed_at", Moment),
        sa.UniqueConstraint("request_id", "stage", "generation", name="stages_one_per_generation"),
        _one_of("status", "pending", "processing", "completed", "failed"),
    )


def _create_provider_jobs(now: sa.TextClause) -> None:
    op.create_table(
        "provider_jobs",
        sa.Column("id", KEY, primary_key=True, autoincrement=True),
        _request_id(),
        sa.Column("stage", sa.String(64), nullable=False),
        sa.Column("generation", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("provider", sa.String(64), nullable=False),
        sa.Column("status", sa.String(16), nullable=False, server_default="intent"),
        sa.Column("token", sa.String(64), nullable=False, unique=True),
        sa.Column("external_id", sa.String(200)),
        sa.Column("request_hash", sa.String(64), nullable=False),
        sa.Column("answer", sa.Text),
        sa.Column("progress", sa.Float),
        sa.Column("cost", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("error_code", sa.String(64)),
        sa.Column("error_message", sa.Text),
        sa.Column("created_at", Moment, nullable=False, server_default=now),
        sa.Column("submitted_at", Moment),
        sa.Column("settled_at", Moment),
        _one_of("status", "intent", "submitted", "unknown", "succeeded", "failed"),
    )
    live = sa.text("status IN ('intent', 'submitted', 'unknown', 'succeeded')")
    _partial_index(
        "provider_jobs_one_live",
        "provider_jobs",
        ["request_id", "stage", "generation"],
        live,
        unique=True,
    )


def _create_events(now: sa.TextClause) -> None:
    op.create_table(
        "events",
        sa.Column("id", KEY, primary_key=True, autoincrement=True),
        _request_id(),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("type", sa.String(64), nullable=False),
        sa.Column("from", sa.String(16)),
        sa.Column("to", sa.String(16), nullable=False),
        sa.Column("data", sa.Text, nullable=False, server_default="{}"),
        sa.Column("at", Moment, nullable=False, server_default=now),
        sa.Column("mirrored", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.UniqueConstraint("request_id", "seq", name="events_one_per_seq"),
    )
    _partial_index("events_unmirrored", "events", ["id"], sa.text("NOT mirrored"))


def _create_attempts_and_artifacts(now: sa.TextClause) -> None:
    op.create_table(
        "attempts",
        sa.Column("id", KEY, primary_key=True, autoincrement=True),
        _request_id(),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("run_id", sa.String(64)),
        sa.Column("worker", sa.String(200), nullable=False),
        sa.Column("started_at", Moment, nullable=False, server_default=now),
        sa.Column("ended_at", Moment),
        sa.Column("error_code", sa.String(64)),
        sa.Column("error_message", sa.Text),
        sa.UniqueConstraint("request_id", "number", name="attempts_one_per_number"),
    )
    op.create_index("attempts_run_id", "attempts", ["run_id"])
    op.create_table(
        "artifacts",
        sa.Column("id", KEY, primary_key=True, autoincrement=True),
        _request_id(),
        sa.Column("stage", sa.String(64), nullable=False),
        sa.Column("generation", sa.Integer, nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("media_type", sa.String(100), nullable=False),
        sa.Column("where", sa.Text, nullable=False),
        sa.Column("created_at", Moment, nullable=False, server_default=now),
        sa.UniqueConstraint("request_id", "name", name="artifacts_one_per_name"),
    )


def _create_workers_and_providers(now: sa.TextClause) -> None:
    op.create_table(
        "workers",
        sa.Column("name", sa.String(160), primary_key=True),
        sa.Column("nonce", sa.String(32), nullable=False),
        sa.Column("places", sa.Integer, nullable=False),
        sa.Column("beat_at", Moment, nullable=False, server_default=now),
    )
    op.create_table(
        "providers",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("parked_until", Moment),
        sa.Column("parked_why", sa.Text),
        sa.Column("bucket", sa.Text),
    )
