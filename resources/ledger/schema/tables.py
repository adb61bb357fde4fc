"""The ledger's tables. Only `transitions/` and the triggers write to them; `baseline.py` makes them."""

from enum import StrEnum
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Float,
    ForeignKey,
    Identity,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    literal_column,
    text,
)

from resources.ledger.schema.check_constraints import (
    MOST,
    MOST_SUM,
    NAME,
    TASK_ID_FORM,
    UNCHECKED,
    make_count_column,
    make_money_column,
    make_number_column,
    make_ordinal_column,
    make_seconds_column,
    one_of,
)
from resources.ledger.schema.sqltime import Moment, now

metadata = MetaData()
# Dagster may share the database, and uses `alembic_version` itself.
VERSION_TABLE = "castad_version"
SCRATCH_TABLE = "castad_replacing"
"""SQLite only: the triggers' notes from before a statement to after it."""
WAKE_CHANNEL = "castad_requests"
"""The Postgres channel that is notified when a request may be due or a slot may be free."""
_LARGEST = 2**63 - 1
Key = BigInteger().with_variant(Integer, "sqlite")


class Status(StrEnum):
    """The status of a request."""

    PENDING = "pending"
    """Waits for its dispatch, from `not_before` on, or for what `waits_for` names."""
    DISPATCHED = "dispatched"
    """The sensor has requested a run. Pending again if no run claims the request in time."""
    PROCESSING = "processing"
    """One attempt holds the lease. Pending again when the lease expires."""
    COMPLETED = "completed"
    """Every stage is completed. Left only by a redo or by an operator."""
    FAILED = "failed"
    """An attempt failed, and the next one is due at `not_before`."""
    DEAD = "dead"
    """The dead letter: it needs a person. Also left when a late callback or answer settles a doubt."""
    CANCELED = "canceled"
    """Canceled on request. Left by a retry, a redo, or an operator's decision."""


BY_SQL = "edited"
"""The error code of a request that an operator's SQL has ended without giving a reason."""
WITHOUT_KEY = (Status.DEAD, Status.CANCELED)
"""A request that is alive or completed holds its unique key; one of these statuses does not."""
_ENDED = (Status.COMPLETED, Status.DEAD, Status.CANCELED)
TERMINAL = frozenset(_ENDED)
AT_WORK = (Status.DISPATCHED, Status.PROCESSING)
OPEN_STATUSES = (Status.PENDING, Status.DISPATCHED, Status.PROCESSING, Status.FAILED)


class StageStatus(StrEnum):
    """The status of one generation of a stage."""

    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"


class JobStatus(StrEnum):
    """The status of one submission to a provider."""

    INTENT = "intent"
    """Saved before anything is sent: from here on the provider may have accepted it."""
    SUBMITTED = "submitted"
    """The provider's id is saved."""
    UNKNOWN = "unknown"
    """Sent without an answer; not sent again by guess."""
    SUCCEEDED = "succeeded"
    """The provider's final status is success."""
    FAILED = "failed"
    """Refused, or the provider's final status is failure: a new submission is allowed."""


class DeliveryStatus(StrEnum):
    """The status of a delivery: of a webhook, or of a message in the spool."""

    PENDING = "pending"
    """The next try is at `due_at`."""
    DELIVERED = "delivered"
    """The receiver has it; a webhook's has answered 2xx."""
    DEAD = "dead"
    """Every try failed, or no try can succeed."""
    DISABLED = "disabled"
    """The receiver has answered 410."""


UNDELIVERED = (DeliveryStatus.DEAD, DeliveryStatus.DISABLED)
"""Tried no more, unless it is replayed."""
WITHOUT_ID = (JobStatus.INTENT, JobStatus.UNKNOWN)
"""A submission that may have been accepted, but whose id is not stored."""
IN_DOUBT = (JobStatus.INTENT, JobStatus.SUBMITTED, JobStatus.UNKNOWN)
"""Possibly sent, without a final status."""
LIVE_JOBS = (JobStatus.INTENT, JobStatus.SUBMITTED, JobStatus.UNKNOWN, JobStatus.SUCCEEDED)


def _where(condition: str) -> dict[str, Any]:
    """Build the options of an index that has only the rows which fulfill this SQL condition."""
    return {"postgresql_where": text(condition), "sqlite_where": text(condition)}


def _given_id() -> Column[int]:
    """Make the key column of a table whose ids the database assigns (`guards.py`)."""
    return Column("id", Key, Identity(always=True), primary_key=True)


def _request_id(**options: Any) -> Column[int]:
    """Make a foreign key column to `requests`; rows are deleted with their request."""
    request = ForeignKey("requests.id", ondelete="CASCADE")
    return Column("request_id", Key, request, **{"nullable": False, **options})


def _key_id() -> Column[str]:
    """Make a foreign key column to `api_keys`; rows are deleted with their key."""
    key = ForeignKey("api_keys.id", ondelete="CASCADE")
    return Column("key_id", String(16), key, nullable=False)


# Queries for open requests must not slow down as finished requests accumulate.
OPEN = "status IN ('pending', 'dispatched', 'processing', 'failed')"
# A request that waits for a slot or a permit is found through that limit.
DUE = (
    "status IN ('pending', 'failed') "
    "AND (asked_at IS NULL OR waits_for IS NULL OR status = 'failed')"
)
# A hold is no limit: nothing admits it, and nothing of the dispatch reads it.
_WAITS_FOR_APPROVAL = "substr(waits_for, 1, 9) = 'approval:'"
WAITING_FOR_LIMIT = (
    "status = 'pending' AND asked_at IS NOT NULL AND waits_for IS NOT NULL "
    f"AND NOT {_WAITS_FOR_APPROVAL}"
)
HELD = f"status = 'pending' AND {_WAITS_FOR_APPROVAL}"
HOLDS_KEY = "unique_key IS NOT NULL AND status NOT IN ('dead', 'canceled')"
ENDED = "status IN ('completed', 'dead', 'canceled')"
LIVE = "status IN ('intent', 'submitted', 'unknown', 'succeeded')"
# SQLite uses a partial index only where the query repeats the index's condition verbatim.
IS_OPEN: ColumnElement[bool] = literal_column(OPEN)
IS_WAITING_FOR_LIMIT: ColumnElement[bool] = literal_column(WAITING_FOR_LIMIT)
IS_ENDED: ColumnElement[bool] = literal_column(ENDED)
MAY_BE_DUE: ColumnElement[bool] = literal_column(DUE)

requests = Table(
    "requests",
    metadata,
    _given_id(),
    Column("task_id", String(128), nullable=False, unique=True, info={"form": TASK_ID_FORM}),
    Column("pipeline", String(64), nullable=False, server_default="song_video"),
    Column("payload", Text, nullable=False),
    one_of("status", [*Status], server_default=Status.PENDING),
    Column("stage", String(64)),
    make_count_column("seq", server_default="1"),
    make_count_column("attempt", server_default="0"),
    make_count_column("retry_count", server_default="0"),
    make_count_column("max_retries", server_default="3"),
    make_count_column("deaths", server_default="0"),
    make_number_column("priority", -MOST - 1, MOST, server_default="0"),
    Column("not_before", Moment),
    Column("owner", String(128)),
    Column("source", String(32), nullable=False, server_default="sql"),
    Column("callback_url", Text),
    Column("run_id", String(64)),
    Column("lease_owner", String(200)),
    Column("lease_until", Moment),
    make_count_column("fence", server_default="0"),
    Column("cancel_requested", Boolean, nullable=False, server_default=false()),
    Column("error_code", String(64)),
    Column("error_message", Text),
    Column("created_at", Moment, nullable=False, server_default=now()),
    Column("updated_at", Moment, nullable=False, server_default=now()),
    Column("dispatched_at", Moment),
    Column("completed_at", Moment),
    Column("last_failed_at", Moment),
    Column("waits_for", String(64)),
    make_count_column("callbacks", server_default="0"),
    Column("asked_at", Moment),
    Column("slot", String(64)),
    Column("permit", String(64)),
    Column("unique_key", String(200)),
    # Names of stages with commas between them; NULL in `hold_seconds` waits without end.
    Column("hold", String(500)),
    make_number_column("hold_seconds", 1, 2_592_000, nullable=True),
    one_of("hold_then", ["continue", "cancel"], nullable=True),
    # When the order was to begin; `not_before` is cleared as soon as it does.
    Column("scheduled_at", Moment),
    Index("requests_unique_key", "pipeline", "unique_key", unique=True, **_where(HOLDS_KEY)),
    Index("requests_open", "status", "priority", "id", **_where(OPEN)),
    Index("requests_due", text("priority DESC"), "id", **_where(DUE)),
    Index(
        "requests_in_line",
        "waits_for",
        text("priority DESC"),
        "asked_at",
        "id",
        **_where(WAITING_FOR_LIMIT),
    ),
    Index("requests_held", "not_before", **_where(HELD)),
    Index("requests_slot", "slot", **_where("slot IS NOT NULL")),
    Index("requests_permit", "permit", **_where("permit IS NOT NULL")),
    Index(
        "requests_later",
        "not_before",
        **_where("status IN ('pending', 'failed') AND not_before IS NOT NULL"),
    ),
    Index("requests_lease_owner", "lease_owner", **_where("lease_owner IS NOT NULL")),
    Index("requests_of_owner", "owner", "id"),
    Index("requests_ended", "status", "id", **_where(ENDED)),
    sqlite_autoincrement=True,
)

# Each event of a request holds those of these columns that its transition has set; together they give the row.
FOLDED = (
    "pipeline",
    "status",
    "stage",
    "attempt",
    "retry_count",
    "max_retries",
    "deaths",
    "priority",
    "run_id",
    "lease_owner",
    "fence",
    "cancel_requested",
    "error_code",
)

stages = Table(
    "stages",
    metadata,
    _given_id(),
    _request_id(),
    Column("stage", String(64), nullable=False),
    make_ordinal_column("generation", server_default="1"),
    one_of("status", [*StageStatus], server_default=StageStatus.PENDING),
    make_count_column("attempts", server_default="0"),
    make_count_column("retry_count", server_default="0"),
    Column("result", Text, info=UNCHECKED),
    make_money_column("cost", server_default="0"),
    Column("error_code", String(64)),
    Column("error_message", Text),
    make_number_column("progress", 0, 1, Float, nullable=True),
    Column("progress_note", Text),
    Column("started_at", Moment),
    Column("completed_at", Moment),
    Column("approved_at", Moment),
    Column("approved_by", String(200)),
    UniqueConstraint("request_id", "stage", "generation", name="stages_one_per_generation"),
    sqlite_autoincrement=True,
)

provider_jobs = Table(
    "provider_jobs",
    metadata,
    _given_id(),
    _request_id(),
    Column("stage", String(64), nullable=False),
    make_ordinal_column("generation"),
    make_count_column("attempt"),
    Column("provider", String(64), nullable=False),
    one_of("status", [*JobStatus], server_default=JobStatus.INTENT),
    Column("token", String(64), nullable=False, unique=True),
    Column("external_id", String(200)),
    Column("request_hash", String(64), nullable=False),
    Column("answer", Text, info=UNCHECKED),
    make_money_column("cost", server_default="0"),
    Column("error_code", String(64)),
    Column("error_message", Text),
    Column("created_at", Moment, nullable=False, server_default=now()),
    Column("submitted_at", Moment),
    Column("settled_at", Moment),
    Column("heard_id", String(200)),
    Index(
        "provider_jobs_one_live", "request_id", "stage", "generation", unique=True, **_where(LIVE)
    ),
    *(
        Index(
            f"provider_jobs_one_per_{name}",
            "provider",
            name,
            unique=True,
            **_where(f"{name} IS NOT NULL"),
        )
        for name in ("external_id", "heard_id")
    ),
    Index("provider_jobs_of_request", "request_id"),
    Index("provider_jobs_running", "provider", **_where("status = 'submitted'")),
    Index("provider_jobs_spending", "created_at", "cost", **_where("cost > 0")),
    sqlite_autoincrement=True,
)

events = Table(
    "events",
    metadata,
    _given_id(),
    _request_id(),
    make_ordinal_column("seq"),
    Column("type", String(64), nullable=False),
    Column("from", String(16)),
    Column("to", String(16), nullable=False),
    Column("data", Text, nullable=False, server_default="{}"),
    Column("at", Moment, nullable=False, server_default=now()),
    Column("mirrored", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("request_id", "seq", name="events_one_per_seq"),
    Index("events_unmirrored", "id", **_where("NOT mirrored")),
    sqlite_autoincrement=True,
)

attempts = Table(
    "attempts",
    metadata,
    _given_id(),
    _request_id(),
    make_ordinal_column("number"),
    Column("run_id", String(64)),
    Column("worker", String(200), nullable=False),
    Column("started_at", Moment, nullable=False, server_default=now()),
    Column("ended_at", Moment),
    Column("error_code", String(64)),
    Column("error_message", Text),
    UniqueConstraint("request_id", "number", name="attempts_one_per_number"),
    Index("attempts_run_id", "run_id"),
    sqlite_autoincrement=True,
)

artifacts = Table(
    "artifacts",
    metadata,
    _given_id(),
    _request_id(),
    Column("stage", String(64), nullable=False),
    make_ordinal_column("generation"),
    Column("name", String(200), nullable=False),
    Column("sha256", String(64), nullable=False),
    make_number_column("bytes", 0, 2**53, BigInteger),
    Column("media_type", String(100), nullable=False),
    Column("where", Text, nullable=False, info=NAME),
    Column("created_at", Moment, nullable=False, server_default=now()),
    UniqueConstraint("request_id", "name", name="artifacts_one_per_name"),
    Index("artifacts_where", "where"),
    sqlite_autoincrement=True,
)

shared_access = Table(
    "shared_access",
    metadata,
    _request_id(primary_key=True),
    Column("owner", String(128), primary_key=True, info=UNCHECKED),
)
"""The owners, other than a request's own, whose orders of a shared pipeline are this request: they may read it."""

webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=True),
    _request_id(),
    make_number_column("seq", 1, _LARGEST),
    Column("type", String(32), nullable=False),
    Column("url", Text, nullable=False, info=UNCHECKED),
    Column("host", Text, nullable=False, info=UNCHECKED),
    one_of("status", [*DeliveryStatus], server_default=DeliveryStatus.PENDING),
    make_number_column("attempt", 0, _LARGEST, server_default="0"),
    Column("due_at", Moment, nullable=False),
    make_number_column("fence", 0, _LARGEST, server_default="0"),
    Column("lease_until", Moment),
    Column("last_code", String(64)),
    Column("last_error", Text),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    UniqueConstraint("request_id", "seq", name="webhook_deliveries_one_per_end"),
    Index("webhook_deliveries_due", "status", "due_at", "id"),
    Index("webhook_deliveries_status", "status", "id"),
    sqlite_autoincrement=True,
)
"""The outbox of webhooks: a row for each end of a request that has a `callback_url`; `seq` is that event's.

A trigger writes the row in the transaction of that transition; in that of an operator's SQL too.
"""

orphans = Table(
    "orphans",
    metadata,
    _given_id(),
    Column("token", String(64), nullable=False, unique=True),
    Column("provider", String(64), nullable=False),
    Column("external_id", String(200)),
    Column("task_id", String(128), nullable=False),
    Column("stage", String(64), nullable=False),
    make_money_column("cost"),
    Column("at", Moment, nullable=False, server_default=now()),
    Column("why", Text, nullable=False),
    sqlite_autoincrement=True,
)
"""Submissions, possibly paid for, whose request or row was deleted; no foreign key leads to a request."""

pruned = Table(
    "pruned",
    metadata,
    _request_id(primary_key=True, autoincrement=False),
    Column("log_at", Moment),
    Column("files_at", Moment),
)
"""When retention removed the Dagster rows and the files of a request that is still here."""

deleted_requests = Table(
    "deleted_requests",
    metadata,
    Column("request_id", Key, primary_key=True, autoincrement=False),
    Column("task_id", String(128), nullable=False),
    Column("pipeline", String(64), nullable=False),
    Column("owner", String(128)),
    Column("deleted_by", String(128), nullable=False),
    Column("deleted_at", Moment, nullable=False),
    Index("deleted_requests_task_id", "task_id"),
)
"""That a request was deleted by a person, when and by whom; no foreign key leads to a request."""

spent_days = Table(
    "spent_days",
    metadata,
    Column("day", String(10), primary_key=True),
    Column("owner", String(128), primary_key=True),
    Column("pipeline", String(64), primary_key=True),
    Column("stage", String(64), primary_key=True),
    Column("provider", String(64), primary_key=True),
    make_money_column("cost", MOST_SUM),
    make_count_column("submissions"),
)
"""The cost of deleted submissions, by the day (UTC) of their intent. Triggers write it; it is kept for ever."""

spool_costs = Table(
    "spool_costs",
    metadata,
    Column("answer", String(64), primary_key=True),
    Column("spool", String(64), primary_key=True),
    Column("day", String(10), nullable=False),
    make_money_column("cost", MOST_SUM),
)
"""The cost of today's answers that wait in a machine's spool. Its processes write it."""

workers = Table(
    "workers",
    metadata,
    Column("name", String(160), primary_key=True),
    Column("nonce", String(32), nullable=False),
    make_number_column("slots", 0, 100_000),
    Column("beat_at", Moment, nullable=False, server_default=now()),
    Column("queues", Text),
)

providers = Table(
    "providers",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("paused_until", Moment),
    Column("pause_reason", Text),
    Column("bucket", Text),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("name", String(100), nullable=False),
    Column("owner", String(128), nullable=False),
    Column("scopes", String(64), nullable=False),
    Column("secret_hash", String(64), nullable=False),
    make_ordinal_column("rate_per_minute", nullable=True),
    Column("created_at", Moment, nullable=False, server_default=now()),
    Column("revoked_at", Moment),
    # Signing takes the secret itself; a hash would not do.
    Column("webhook_secret", String(128)),
    Column("webhook_secret_before", String(128)),
    Column("webhook_rotated_at", Moment),
)

sessions = Table(
    "sessions",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    _key_id(),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Index("sessions_of_key", "key_id", "created_at"),
    Index("sessions_expiry", "expires_at"),
)
"""Log-ins at the page with an API key; a session is valid only while its key is."""

login_links = Table(
    "login_links",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    _key_id(),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
)
"""Links that begin a session of their key, once: the row goes with its use."""

share_links = Table(
    "share_links",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("token_hash", String(64), nullable=False, unique=True),
    _request_id(),
    Column("created_by", String(128), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("revoked_at", Moment),
    Index("share_links_of_request", "request_id"),
    Index("share_links_expiry", "expires_at"),
)
"""Public links to the result of one request, until they expire or are revoked."""

profiles = Table(
    "profiles",
    metadata,
    Column("owner", String(128), primary_key=True),
    Column("pipeline", String(64), primary_key=True),
    Column("name", String(80), primary_key=True),
    Column("fields", Text, nullable=False),
    Column("updated_at", Moment, nullable=False),
)
"""The fields that an owner's orders of a pipeline have in common, as JSON: a form begins with them."""

reports = Table(
    "reports",
    metadata,
    Column("hour", Moment, primary_key=True),
    Column("pipeline", String(64), primary_key=True),
    Column("stage", String(64), primary_key=True),
    make_count_column("position"),
    make_count_column("completed"),
    make_count_column("failed"),
    make_count_column("retries"),
    make_seconds_column("p50"),
    make_seconds_column("p95"),
    make_seconds_column("longest"),
    make_money_column("cost"),
    Column("codes", Text, nullable=False),
    Column("unusual", Text, nullable=False),
    Column("made_at", Moment, nullable=False),
)
"""The figures of each stage in each closed hour. A reported hour has every stage of the catalog, in its order."""

analyses = Table(
    "analyses",
    metadata,
    Column("id", String(128), primary_key=True),
    _request_id(),
    Column("name_key", String(400), nullable=False),
    Column("owner", String(100), nullable=False),
    Column("repo", String(255), nullable=False),
    Column("sha", String(64), nullable=False),
    one_of("status", ["running", *_ENDED]),
    Column("started_at", Moment, nullable=False),
    Column("finished_at", Moment),
    Column("summary", Text),
    UniqueConstraint("request_id", name="analyses_one_per_request"),
    Index("analyses_name_key", "name_key", "request_id"),
)
"""The projection of a pipeline (`Projection`): written by workers alone, closed with the request by a trigger."""

source_checks = Table(
    "source_checks",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=True),
    Column("pipeline", String(64), nullable=False),
    Column("subject", String(200), nullable=False),
    Column("part", String(300), nullable=False),
    Column("payload", Text, nullable=False),
    Column("found", Text, nullable=False),
    Column("mark", Text, nullable=False),
    Column("used_at", Moment, nullable=False),
    Column("due_at", Moment, nullable=False),
    make_count_column("failures"),
    Column("task_id", String(128)),
    UniqueConstraint("pipeline", "subject", "part", name="source_checks_once"),
    Index("source_checks_due", "due_at"),
    Index("source_checks_task_id", "task_id", **_where("task_id IS NOT NULL")),
    sqlite_autoincrement=True,
)
"""Sources in use, whose order is submitted again if the source has changed.

`subject` and `part` name the source. `payload` is the order as given, `found` its last unique key. An unchanged
`mark` means that the source has not changed. `task_id` is the last request made of it.
"""
