"""What an operator does to the ledger by raw SQL: spoils a row, deletes an order."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select, text
from sqlalchemy.exc import DataError, IntegrityError

from resources.ledger.db.database import Database
from resources.ledger.request import format_payload
from resources.ledger.schema.tables import events, requests
from tests.chaos.history import Deletion, Row, Spoiling, now
from tests.song_video import NAME

SPOILERS: Mapping[str, str] = {
    "an event of its next number": """INSERT INTO events (request_id, seq, type, "to")
        SELECT id, seq + 1, 'typed', status FROM requests WHERE task_id = :name""",
    "the last attempt there is": "UPDATE requests SET attempt = 2147483647 WHERE task_id = :name",
    "the last fence there is": "UPDATE requests SET fence = 2147483646 WHERE task_id = :name",
    "an attempt beyond all": "UPDATE requests SET attempt = 9223372036854775807 WHERE task_id = :name",
    "its numbers set back": """UPDATE requests SET status = 'pending', attempt = 0, seq = 0
        WHERE task_id = :name""",
    "a moment that is none": "UPDATE requests SET not_before = '20000-01-01' WHERE task_id = :name",
}
"""By what they do; the database takes some and refuses the others."""
WAITING = "by its name"
PAID = "while its money is under way"
CANCEL_FIRST = "while its money is under way, canceled first"
DELETES = (WAITING, PAID, CANCEL_FIRST)
"""Ways to delete: the order that is named, or any that is at that point, where there is one."""

_ORDERED = "INSERT INTO requests (task_id, pipeline, payload) VALUES (:name, :pipeline, :payload)"
_CANCELED = """UPDATE requests SET status = 'canceled'
    WHERE task_id = :name AND status IN ('pending', 'dispatched', 'processing', 'failed')"""
_PAID_FOR = """SELECT task_id FROM requests WHERE id IN
    (SELECT request_id FROM provider_jobs WHERE status IN ('intent', 'submitted', 'unknown'))
    ORDER BY id DESC"""
_JOBS = """SELECT token, status, external_id FROM provider_jobs
    WHERE request_id = (SELECT id FROM requests WHERE task_id = :name)"""


def spoil(db: Database, name: str, payload: Mapping[str, Any], how: str) -> Spoiling:
    """The order of this name, ordered in the same transaction if it is not there yet, has an unusable value.

    Where the database refuses that, nothing has changed.
    """
    try:
        with db.writing() as tx:
            status = _status(tx, name)
            if status is None:
                order = {"name": name, "pipeline": NAME, "payload": format_payload(payload)}
                tx.execute(text(_ORDERED), order)
            tx.execute(text(SPOILERS[how]), {"name": name})
    except (IntegrityError, DataError):
        return Spoiling(now(), name, how, "refused")
    return Spoiling(now(), name, how, status or "pending")


class Eraser:
    """Deletes orders, and knows what each had bought, though the answer to a COMMIT was lost."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._chosen: dict[str, str] = {}
        self._tried: dict[str, tuple[Sequence[Row], Sequence[Row]]] = {}

    def delete(self, name: str, how: str) -> Deletion:
        """The order is gone, or the database has refused that; asked again, it is the same order."""
        if name not in self._chosen:
            self._chosen[name] = (how != WAITING and self._paid_for()) or name
        return self._delete(self._chosen[name], how)

    def _paid_for(self) -> str | None:
        with self._db.reading() as tx:
            found: str | None = tx.execute(text(_PAID_FOR)).scalar()
        return found

    def _delete(self, name: str, how: str) -> Deletion:
        try:
            with self._db.writing() as tx:
                if _status(tx, name) is None:
                    return self._gone(name)
                if how == CANCEL_FIRST:
                    tx.execute(text(_CANCELED), {"name": name})
                found = tx.execute(text(_JOBS), {"name": name}).mappings()
                self._tried[name] = [dict(row) for row in found], _events(tx, name)
                tx.execute(text("DELETE FROM requests WHERE task_id = :name"), {"name": name})
        except (IntegrityError, DataError):
            return Deletion(now(), name, "refused")
        return self._gone(name)

    def _gone(self, name: str) -> Deletion:
        tried = self._tried.pop(name, None)
        return Deletion(now(), name, *(("nothing",) if tried is None else ("deleted", *tried)))


def _events(tx: Connection, name: str) -> Sequence[Row]:
    of_order = select(requests.c.id).where(requests.c.task_id == name).scalar_subquery()
    query = select(events).where(events.c.request_id == of_order).order_by(events.c.seq)
    return [{**row, "data": json.loads(row["data"])} for row in tx.execute(query).mappings()]


def _status(tx: Connection, name: str) -> str | None:
    """Where the order stands, locked as every transition locks it first."""
    lock = "" if tx.dialect.name == "sqlite" else " FOR UPDATE"
    query = f"SELECT status FROM requests WHERE task_id = :name{lock}"
    status: str | None = tx.execute(text(query), {"name": name}).scalar()
    return status
