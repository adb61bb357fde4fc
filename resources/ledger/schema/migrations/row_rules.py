"""CHECKs on the values of the ledger's tables, and the repair of a row that breaks one.

The tables of requests had some of them from the start; these rules cover every table.
"""

from dataclasses import dataclass

from resources.ledger.schema.sqltime import POSTGRES_NOW, SQLITE_NOW

MOST = 2**31 - 1
MOST_MONEY = 10**12
_MOST_SECONDS = 10**12
_MOST_BYTES = 2**53
_MOST_PLACES = 100_000
_MOST_TEXT = 2**20

# SQLite stores any text as a moment, and Postgres allows years that Python does not.
_SQLITE_MOMENT = (
    "{0} IS NULL OR ({0} >= '0001' AND datetime({0}, '+0 seconds') IS substr({0}, 1, 19) "
    "AND substr({0}, 20) NOT GLOB '*[^0-9.:+]*' AND {0} NOT GLOB '*.')"
)
_POSTGRES_MOMENT = "{0} IS NULL OR {0} BETWEEN '0001-01-02 00:00Z' AND '9999-12-30 00:00Z'"


@dataclass(frozen=True)
class Rule:
    """A CHECK of one column, and the SQL expression that repairs a value."""

    column: str
    name: str
    condition: str
    mended: str


def rules_of(table: str, dialect: str) -> list[Rule]:
    """The rules of a table."""
    sqlite = dialect == "sqlite"
    rules = [number_rule(sqlite, column, *limits) for column, limits in _NUMBERS[table].items()]
    rules += [
        moment_rule(sqlite, column, is_needed) for column, is_needed in _MOMENTS[table].items()
    ]
    rules += [text_rule(sqlite, column) for column in _TEXTS[table]]
    if sqlite:
        rules += [_flag(column) for column in _FLAGS.get(table, ())]
        rules += [name_rule(column) for column in _NAMES[table]]
    if table == "provider_jobs":
        rules.append(share_rule(sqlite, "progress"))
    return rules


def number_rule(sqlite: bool, column: str, least: int, most: int) -> Rule:
    """A whole number within these limits, or NULL."""
    condition = f"{column} BETWEEN {least} AND {most}"
    if not sqlite:
        mended = f"greatest({least}, least({most}, {column}))"
        return Rule(column, f"{column}_in_range", condition, mended)
    mended = (
        f"CASE WHEN typeof({column}) = 'integer' "
        f"THEN max({least}, min({most}, {column})) ELSE {least} END"
    )
    condition = f"{column} IS NULL OR (typeof({column}) = 'integer' AND {condition})"
    return Rule(column, f"{column}_in_range", condition, mended)


def seconds_rule(sqlite: bool, column: str) -> Rule:
    """A finite number of seconds, not below 0, or NULL."""
    kind = f"typeof({column}) IN ('integer', 'real') AND " if sqlite else ""
    condition = f"{column} IS NULL OR ({kind}{column} BETWEEN 0 AND {_MOST_SECONDS})"
    return Rule(column, f"{column}_are_seconds", condition, "NULL")


def share_rule(sqlite: bool, column: str) -> Rule:
    """A number from 0 to 1, or NULL."""
    kind = f"typeof({column}) IN ('integer', 'real') AND " if sqlite else ""
    condition = f"{column} IS NULL OR ({kind}{column} BETWEEN 0 AND 1)"
    return Rule(column, f"{column}_is_a_share", condition, "NULL")


def moment_rule(sqlite: bool, column: str, is_needed: bool) -> Rule:
    """A moment that Python can read, or NULL."""
    rule, clock = (_SQLITE_MOMENT, SQLITE_NOW) if sqlite else (_POSTGRES_MOMENT, POSTGRES_NOW)
    mended = clock if is_needed else "NULL"
    return Rule(column, f"{column}_is_a_moment", rule.format(column), mended)


def text_rule(sqlite: bool, column: str) -> Rule:
    """No text that would slow down every query of the table."""
    # SQLite's length() of a text ends at the first NUL.
    octets = f"length(CAST({column} AS BLOB))" if sqlite else f"octet_length({column})"
    kept = f"substr({column}, 1, {_MOST_TEXT // 4})"
    return Rule(column, f"{column}_is_short", f"{octets} <= {_MOST_TEXT}", kept)


def _flag(column: str) -> Rule:
    return Rule(column, f"{column}_is_a_flag", f"{column} IN (0, 1)", "0")


def name_rule(column: str) -> Rule:
    """On SQLite: text of limited length, and no blob."""
    quoted = f'"{column}"'
    return Rule(
        column,
        f"{column}_is_text",
        f"typeof({quoted}) <> 'blob' AND coalesce(length(CAST({quoted} AS BLOB)), 0) <= 8192",
        f"substr(CAST({quoted} AS TEXT), 1, 2000)",
    )


_COUNT = (0, MOST)
_ORDINAL = (1, MOST)
_MONEY = (0, MOST_MONEY)
_NUMBERS: dict[str, dict[str, tuple[int, int]]] = {
    "requests": {
        **dict.fromkeys(("seq", "attempt", "retry_count", "max_retries", "deaths"), _COUNT),
        **dict.fromkeys(("fence", "callbacks"), _COUNT),
        "priority": (-MOST - 1, MOST),
    },
    "stages": {
        "generation": _ORDINAL,
        **dict.fromkeys(("attempts", "retry_count"), _COUNT),
        "cost": _MONEY,
    },
    "provider_jobs": {"generation": _ORDINAL, "attempt": _COUNT, "cost": _MONEY},
    "events": {"seq": _ORDINAL},
    "attempts": {"number": _ORDINAL},
    "artifacts": {"generation": _ORDINAL, "bytes": (0, _MOST_BYTES)},
    "workers": {"places": (0, _MOST_PLACES)},
    "providers": {},
    "api_keys": {"rate_per_minute": _ORDINAL},
    "orphans": {"cost": _MONEY},
}
# For each, whether it is NOT NULL; the moments of `requests` have had their CHECKs from the start.
_MOMENTS: dict[str, dict[str, bool]] = {
    "requests": {},
    "stages": dict.fromkeys(("started_at", "completed_at", "asked_at", "placed_at"), False),
    "provider_jobs": {"created_at": True, "submitted_at": False, "settled_at": False},
    "events": {"at": True},
    "attempts": {"started_at": True, "ended_at": False},
    "artifacts": {"created_at": True},
    "workers": {"beat_at": True},
    "providers": {"parked_until": False},
    "api_keys": {"created_at": True, "revoked_at": False},
    "orphans": {"at": True},
}
_TEXTS: dict[str, tuple[str, ...]] = {
    "requests": ("payload", "error_message", "callback_url"),
    "stages": ("error_message",),
    "provider_jobs": ("error_message", "progress_note"),
    "events": ("data",),
    "attempts": ("error_message",),
    "artifacts": (),
    "workers": (),
    "providers": ("parked_why", "bucket"),
    "api_keys": (),
    "orphans": ("why",),
}
_FLAGS = {"requests": ("cancel_requested",), "events": ("mirrored",)}
_NAMES: dict[str, tuple[str, ...]] = {
    "requests": (
        *("task_id", "pipeline", "stage", "owner", "source", "run_id", "lease_owner"),
        *("error_code", "waits_for"),
    ),
    "stages": ("stage", "error_code"),
    "provider_jobs": (
        *("stage", "provider", "token", "external_id", "request_hash", "error_code", "heard_id"),
    ),
    "events": ("type", "from", "to"),
    "attempts": ("run_id", "worker", "error_code"),
    "artifacts": ("stage", "name", "sha256", "media_type", "where"),
    "workers": ("name", "nonce"),
    "providers": ("name",),
    "api_keys": ("id", "name", "owner", "scopes", "secret_hash"),
    "orphans": ("token", "provider", "external_id", "task_id", "stage"),
}
