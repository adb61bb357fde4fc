"""Rows that cannot be changed because of their values: each becomes a dead letter and blocks no other."""

import logging
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from sqlalchemy import Connection, select, update
from sqlalchemy.exc import DataError, IntegrityError

from resources.ledger.db.commits import Transition
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import OPEN_STATUSES, Status, events, requests
from resources.ledger.transitions.core import NOT_WAITING, UNLEASED, end_attempts, insert_event

ROW_UNUSABLE = "row_unusable"
ROW_ERRORS = (IntegrityError, DataError, ValueError, TypeError, OverflowError)
"""Raised where a row's own values cannot be read or written; any other error concerns the whole database."""
_LONGEST_REASON = 300

_log = logging.getLogger("castad.ledger")
T = TypeVar("T")


def transition_each(tx: Connection, keys: Sequence[int], work: Callable[[Request], T]) -> list[T]:
    """The results of `work` for the requests with these ids, in that order. The caller has locked the rows.

    A request whose values cannot be used becomes a dead letter, and the others are changed all the same.
    """
    try:
        with tx.begin_nested():
            return _transition_all(tx, keys, work)
    except ROW_ERRORS:
        return [made for key in keys for made in _transition_alone(tx, key, work)]


def _transition_all(tx: Connection, keys: Sequence[int], work: Callable[[Request], T]) -> list[T]:
    rows = tx.execute(select(requests).where(requests.c.id.in_(keys))).all()
    found = {row.id: Request.of(row) for row in rows}
    return [work(found[key]) for key in keys if key in found]


def _transition_alone(tx: Connection, key: int, work: Callable[[Request], T]) -> list[T]:
    try:
        with tx.begin_nested():
            return _transition_all(tx, [key], work)
    except ROW_ERRORS as error:
        dead_letter_row(tx, key, error)
        return []


def dead_letter_row(tx: Connection, key: int, error: Exception) -> bool:
    """Whether the request is dead now, with the code `row_unusable` and the reason.

    Writes single columns without reading the whole row. A row that cannot even be written so is only logged.
    """
    reason = describe_row_error(error)
    try:
        with tx.begin_nested():
            is_dead = _write_dead_letter(tx, key, f"its row cannot be used: {reason}")
    except ROW_ERRORS as refusal:
        _log_once(key, describe_row_error(refusal), reason)
        return False
    if is_dead:
        _log.warning("row dead-lettered: request_id=%d reason=%s", key, reason)
    return is_dead


@lru_cache(maxsize=256)
def _log_once(key: int, error: str, reason: str) -> None:
    """Logged once: every dispatch meets the row again, several times a second."""
    _log.error("row not dead-lettered: request_id=%d error=%s reason=%s", key, error, reason)


def describe_row_error(error: Exception) -> str:
    """The database's or the row's error in one line, without the statement and its values."""
    text = str(getattr(error, "orig", None) or error).strip() or type(error).__name__
    return text.splitlines()[0].encode(errors="replace").decode()[:_LONGEST_REASON]


def _write_dead_letter(tx: Connection, key: int, message: str) -> bool:
    query = select(requests.c.status, requests.c.seq).where(
        requests.c.id == key, requests.c.status.in_(OPEN_STATUSES)
    )
    row = tx.execute(query.with_for_update()).one_or_none()
    if row is None:
        return False
    changes: dict[str, Any] = {
        "status": Status.DEAD,
        "not_before": None,
        **NOT_WAITING,
        "cancel_requested": False,
        "error_code": ROW_UNUSABLE,
        "error_message": message,
        **UNLEASED,
    }
    seq = _free_seq(tx, key, row.seq)
    end_attempts(tx, key, ROW_UNUSABLE, message)
    dead = update(requests).where(requests.c.id == key).values(seq=seq, updated_at=now(), **changes)
    at = tx.execute(dead.returning(requests.c.updated_at)).scalar_one()
    folded = ("status", "cancel_requested", "error_code", "lease_owner")
    data = {"message": message, "set": {name: changes[name] for name in folded}}
    insert_event(tx, Transition(key, seq, at), "dead", row.status, Status.DEAD, data)
    return True


def _free_seq(tx: Connection, key: int, seq: int) -> int:
    """The first seq after the row's own that no event has; an operator may have inserted events."""
    taken = select(events.c.seq).where(events.c.request_id == key, events.c.seq > seq)
    numbers = set(tx.execute(taken).scalars())
    free = seq + 1
    while free in numbers:
        free += 1
    return free
