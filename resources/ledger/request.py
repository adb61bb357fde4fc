"""A row of `requests`, its identifiers and tokens, and the intervals of its source checks."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row

from resources.contract.errors import InvalidInputError
from resources.ledger.limits import APPROVAL_PREFIX, parse_wait
from resources.ledger.schema.tables import TERMINAL, Status

LONGEST_TASK_ID = 128
_TASK_ID = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_.:-]{{0,{LONGEST_TASK_ID - 1}}}")


def format_payload(order: Mapping[str, Any]) -> str:
    """Format an order as JSON text with sorted keys, so that equal orders give equal text."""
    return json.dumps(order, ensure_ascii=False, sort_keys=True)


def parse_json_object(text: str | bytes) -> Mapping[str, Any] | None:
    """Parse stored JSON text, such as an order's payload; return None if it is no JSON object."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def is_task_id(text: object) -> bool:
    """Return whether the text is a valid task_id."""
    return isinstance(text, str) and _TASK_ID.fullmatch(text) is not None


def check_task_id(task_id: str) -> str:
    """Return the task_id unchanged; raise InvalidInputError if it is not valid."""
    if not is_task_id(task_id):
        raise InvalidInputError(
            "task_id",
            "expected 1 to 128 letters, digits, '_', '.', ':' or '-', beginning with a letter or digit",
        )
    return task_id


CHECKED_SOURCES = frozenset(("api", "cli", "redis"))
"""The sources whose orders castad has checked; SQL and Dagster's Launchpad check nothing."""


def list_stages_to_approve(hold: str | None) -> tuple[str, ...]:
    """Split the column `hold` into the names of the stages to approve; empty for None."""
    return tuple(name.strip() for name in (hold or "").split(",") if name.strip())


def make_task_id() -> str:
    """Make a random task_id."""
    return f"order-{secrets.token_hex(6)}"


@dataclass(frozen=True)
class Request:
    """A row of `requests`; the fields are in the order of the columns."""

    id: int
    task_id: str
    pipeline: str
    payload: str
    status: Status
    stage: str | None
    seq: int
    attempt: int
    retry_count: int
    max_retries: int
    deaths: int
    priority: int
    not_before: datetime | None
    owner: str | None
    source: str
    callback_url: str | None
    run_id: str | None
    lease_owner: str | None
    lease_until: datetime | None
    fence: int
    cancel_requested: bool
    error_code: str | None
    error_message: str | None
    created_at: datetime
    updated_at: datetime
    dispatched_at: datetime | None
    completed_at: datetime | None
    last_failed_at: datetime | None
    waits_for: str | None
    callbacks: int
    asked_at: datetime | None
    slot: str | None
    permit: str | None
    unique_key: str | None
    hold: str | None
    hold_seconds: int | None
    hold_then: str | None
    scheduled_at: datetime | None

    @classmethod
    def of(cls, row: Row[Any]) -> Request:
        """Build a request from a row that begins with the columns of `requests`; later columns are ignored."""
        values = list(row[:_WIDTH])
        values[_STATUS] = Status(values[_STATUS])
        return cls(*values)

    @property
    def held_stage(self) -> str | None:
        """The stage whose approval the request waits for; None if it waits for none."""
        return (
            parse_wait(APPROVAL_PREFIX, self.waits_for) if self.status is Status.PENDING else None
        )

    @property
    def scheduled_for(self) -> datetime | None:
        """The time before which the order was not to begin; None if it was never scheduled."""
        planned = self.not_before if self.attempt == 0 else None
        return planned or self.scheduled_at

    @property
    def has_begun(self) -> bool:
        """Whether the request has had an attempt, dispatched by the sensor or started by hand."""
        return self.attempt > 0

    @property
    def is_terminal(self) -> bool:
        """Whether the request is completed, dead or canceled, so that only a person changes it."""
        return self.status in TERMINAL

    def lease_holds(self, now: datetime) -> bool:
        """Return whether an attempt is processing the request under a lease that has not expired at `now`.

        `now` is the database's current time.
        """
        return (
            self.status is Status.PROCESSING
            and self.lease_until is not None
            and now < self.lease_until
        )

    def order(self) -> Mapping[str, Any] | None:
        """Parse the payload to the order; return None if the payload is no JSON object."""
        return parse_json_object(self.payload)


_NAMES = [field.name for field in fields(Request)]
_WIDTH = len(_NAMES)
_STATUS = _NAMES.index("status")


@dataclass(frozen=True)
class ProjectionChange:
    """The column values to write to the request's row in a projection; `table` is the name of that table."""

    table: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class SettledKey:
    """The unique key that follows from a stage's result.

    If it `is_shared`, an order of another owner with this key reuses the result of the request that holds it.
    """

    key: str
    is_shared: bool


_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True)
class Token:
    """A secret of 256 random bits, as text; only its hash is stored."""

    text: str = field(repr=False)

    @classmethod
    def new(cls) -> Token:
        """Make a new random token."""
        return cls(secrets.token_urlsafe(32))

    @classmethod
    def read(cls, text: str) -> Token | None:
        """Parse a token from a client's text; return None if it is malformed."""
        return cls(text) if _TOKEN.fullmatch(text) else None

    @property
    def hash(self) -> str:
        """The SHA-256 hash that is stored. For a long random text it is as safe as a slow hash."""
        return hashlib.sha256(self.text.encode()).hexdigest()


SHORTEST = timedelta(hours=6)
LONGEST = timedelta(days=7)
IDLE_END = timedelta(days=30)
"""A source without use for this long is not checked any more."""
MOST_FAILURES = 3
"""After this many failures in a row, checks stop until a person orders the source again."""
SPREAD = 0.1
_SHARE = 4


def is_unused_too_long(idle: timedelta) -> bool:
    """Return whether the source's last use was so long ago that it is not checked any more."""
    return idle >= IDLE_END


def has_stopped(failures: int) -> bool:
    """Return whether the checks of a source have failed so often in a row that no further check is made."""
    return failures >= MOST_FAILURES


def compute_interval_after(idle: timedelta, failures: int, chance: float) -> timedelta:
    """Compute the time until the next check of a source that was last used `idle` ago.

    A quarter of the time since the last use, from 6 hours to 7 days. `chance`, from 0 to 1, adds up to a
    tenth, so that checks that began together drift apart. After too many `failures` in a row it is the time
    until the source is not checked any more.
    """
    if has_stopped(failures):
        return max(IDLE_END - idle, timedelta())
    return min(max(idle / _SHARE, SHORTEST), LONGEST) * (1 + SPREAD * chance)


def count_failures_after(failures: int, is_failed: bool) -> int:
    """Return the number of failures in a row after a further check: 0 if it has succeeded."""
    return failures + 1 if is_failed else 0
