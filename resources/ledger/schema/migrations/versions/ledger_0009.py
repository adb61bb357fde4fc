"""Retries are counted by stage: `stages` keeps how many each of them took."""

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "ledger_0009"
down_revision = "ledger_0008"

_STANDING = """
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
_TOLD = sa.text(
    "SELECT request_id, type, data FROM events WHERE request_id IN"
    " (SELECT request_id FROM events WHERE type = 'failed') ORDER BY request_id, seq"
)


def upgrade() -> None:
    """Add `stages.retry_count`: of the stage at work from the request, of those done from the events."""
    count = sa.Column("retry_count", sa.Integer, nullable=False, server_default="0")
    op.add_column("stages", count)
    connection = op.get_bind()
    done = list(_done(connection))
    if done:
        connection.execute(_DONE, done)
    connection.exec_driver_sql(_STANDING)


def _done(connection: sa.Connection) -> Iterator[dict[str, object]]:
    """The stages that failed before they were completed: a failure that raised the request's count is a retry."""
    of, counted, retries = None, 0, 0
    for request, kind, data in connection.execute(_TOLD):
        if request != of:
            of, counted, retries = request, 0, 0
        told = _told(data)
        now = _count(told["set"].get("retry_count"), counted)
        if kind == "failed" and now > counted:
            retries += 1
        elif kind in ("retried", "redone", "edited"):
            retries = min(retries, now)
        counted = now
        if kind == "stage_completed":
            stage, generation = told.get("stage"), _count(told.get("generation"), 0)
            if retries and isinstance(stage, str):
                of_stage = {"stage": stage, "generation": generation}
                yield {"request": request, **of_stage, "retries": retries}
            retries = 0


def _count(told: object, otherwise: int) -> int:
    return told if isinstance(told, int) and 0 <= told < 2**31 else otherwise


def _told(data: str) -> dict[str, Any]:
    """What an event tells; nothing where an operator has written something else."""
    try:
        told = json.loads(data)
    except (ValueError, TypeError, RecursionError):
        told = None
    known = told if isinstance(told, dict) else {}
    now = known.get("set")
    return {**known, "set": now if isinstance(now, dict) else {}}
