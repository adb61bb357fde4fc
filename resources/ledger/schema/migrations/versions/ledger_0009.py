"""Retries are counted per stage, in `stages.retry_count`."""

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "ledger_0009"
down_revision = "ledger_0008"

_CURRENT_RETRIES = """
    UPDATE stages SET retry_count =
        (SELECT requests.retry_count FROM requests WHERE requests.id = stages.request_id)
    WHERE status <> 'completed' AND EXISTS (
        SELECT 1 FROM requests WHERE requests.id = stages.request_id
        AND requests.stage = stages.stage AND requests.retry_count > 0)
    AND generation = (
        SELECT max(newest.generation) FROM stages newest
        WHERE newest.request_id = stages.request_id AND newest.stage = stages.stage)
"""
_DONE = sa.text(
    "UPDATE stages SET retry_count = :retries"
    " WHERE request_id = :request AND stage = :stage AND generation = :generation"
)
_EVENTS_OF_FAILED = sa.text(
    "SELECT request_id, type, data FROM events WHERE request_id IN"
    " (SELECT request_id FROM events WHERE type = 'failed') ORDER BY request_id, seq"
)


def upgrade() -> None:
    """Add `stages.retry_count`: of the current stage from its request, of completed ones from the events."""
    count = sa.Column("retry_count", sa.Integer, nullable=False, server_default="0")
    op.add_column("stages", count)
    connection = op.get_bind()
    done = list(_done(connection))
    if done:
        connection.execute(_DONE, done)
    connection.exec_driver_sql(_CURRENT_RETRIES)


def _done(connection: sa.Connection) -> Iterator[dict[str, object]]:
    """The failures of stages that were completed later; one that raised the request's retry_count is a retry."""
    of, counted, retries = None, 0, 0
    for request, kind, data in connection.execute(_EVENTS_OF_FAILED):
        if request != of:
            of, counted, retries = request, 0, 0
        fields = _event_data(data)
        now = _count(fields["set"].get("retry_count"), counted)
        if kind == "failed" and now > counted:
            retries += 1
        elif kind in ("retried", "redone", "edited"):
            retries = min(retries, now)
        counted = now
        if kind == "stage_completed":
            stage, generation = fields.get("stage"), _count(fields.get("generation"), 0)
            if retries and isinstance(stage, str):
                of_stage = {"stage": stage, "generation": generation}
                yield {"request": request, **of_stage, "retries": retries}
            retries = 0


def _count(value: object, otherwise: int) -> int:
    return value if isinstance(value, int) and 0 <= value < 2**31 else otherwise


def _event_data(data: str) -> dict[str, Any]:
    """The event's data; empty where an operator has made it invalid."""
    try:
        fields = json.loads(data)
    except (ValueError, TypeError, RecursionError):
        fields = None
    known = fields if isinstance(fields, dict) else {}
    now = known.get("set")
    return {**known, "set": now if isinstance(now, dict) else {}}
