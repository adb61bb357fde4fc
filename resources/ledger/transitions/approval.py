"""Transitions by a person for whom a request waits: approve, reject, revise; and the end of the wait by time."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, insert, literal_column, select, update

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import ChangedMeanwhileError, NotHeldError
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import HELD, StageStatus, Status, requests, stages
from resources.ledger.transitions.acts import Act, ensure_first
from resources.ledger.transitions.core import DUE_NOW, NOT_WAITING, UNLEASED, lock_task, transition
from resources.ledger.transitions.unusable_rows import transition_each

ChangeResult = Callable[[Request, Mapping[str, Any]], Mapping[str, Any]]
"""The result of a stage as a person wants it, by the request and the result as it is; raises InvalidInputError."""

BY_TIME = "time"
"""Who acts where nobody did in time."""
CONTINUE, CANCEL = "continue", "cancel"
"""What follows then, as the column `hold_then` has it."""
REJECTED = "rejected"
_MOST_ENDED = 200


@dataclass(frozen=True)
class Revised:
    """A request whose stage has this newest generation now."""

    request: Request
    generation: int


@retry_transient
def approve(
    db: Database, task_id: str, stage: str | None, by: str, generation: int | None = None
) -> Request:
    """The stage whose approval the request waits for is approved by this person, and the request is due.

    Where the named stage is approved already, nothing changes, so that who lost the answer may ask again. Raises
    UnknownRequestError, NotHeldError, and ChangedMeanwhileError where not the newest `generation` is meant, or
    none is named and the same approval was paid for before.
    """
    with db.writing() as tx:
        request, _ = lock_task(tx, task_id)
        name = stage or request.held_stage or ""
        newest = _newest(tx, request, name)
        is_done = newest is not None and newest.approved_at is not None
        is_repeated = name != request.held_stage and is_done
        if not is_repeated:
            _ensure_held(request, stage)
        _ensure_meant(newest, generation)
        if is_repeated:
            return request
        act = Act("approved", generation, {"stage": stage})
        number = 1 if newest is None else newest.generation
        ensure_first(tx, request, act, of=name, newest=number, number="generation")
        return _approve(tx, request, newest, name, by, act.key)


@retry_transient
def reject(db: Database, task_id: str, by: str, reason: str | None = None) -> Request:
    """A request that waits for an approval is canceled by this person. Raises UnknownRequestError, NotHeldError.

    What has been made stays: a retry waits for the approval again. Where it is rejected already, nothing changes.
    """
    with db.writing() as tx:
        request, _ = lock_task(tx, task_id)
        if request.status is Status.CANCELED and request.error_code == REJECTED:
            return request
        return _reject(tx, request, _ensure_held(request, None), by, reason)


@retry_transient
def revise(
    db: Database,
    task_id: str,
    stage: str,
    change: ChangeResult,
    by: str,
    *,
    choice: str | None = None,
    generation: int | None = None,
) -> Revised:
    """The stage has a new generation with the changed result; the request waits for its approval as before.

    The former generation is kept, and its files are those of the new one. With `choice` the event says
    which one was chosen. A result that does not change is no transition. Raises UnknownRequestError, NotHeldError,
    ChangedMeanwhileError where another `generation` than the newest is meant, and what `change` raises.
    """
    with db.writing() as tx:
        request, _ = lock_task(tx, task_id)
        newest = _done(tx, request, _ensure_held(request, stage))
        _ensure_meant(newest, generation)
        result = change(request, json.loads(newest.result))
        text = json.dumps(result, ensure_ascii=False)
        if json.loads(text) == json.loads(newest.result):
            return Revised(request, newest.generation)
        made = newest.generation + 1
        row = {"request_id": request.id, "stage": stage, "generation": made, "result": text}
        tx.execute(_INSERT_REVISED, row)
        event_type = "revised" if choice is None else "chosen"
        detail = {"stage": stage, "generation": made, "choice": choice, "by": by}
        return Revised(transition(tx, request, event_type, **detail), made)


@retry_transient
def end_expired_holds(db: Database) -> list[Request]:
    """Requests that have waited for a person for as long as they should go on or are canceled, as ordered."""
    with db.writing() as tx:
        keys = tx.execute(_EXPIRED).scalars().all()
        return transition_each(tx, keys, lambda request: _end_by_time(tx, request)) if keys else []


def _end_by_time(tx: Connection, request: Request) -> Request:
    stage = _ensure_held(request, None)
    if request.hold_then == CONTINUE:
        return _approve(tx, request, _newest(tx, request, stage), stage, BY_TIME)
    return _reject(tx, request, stage, BY_TIME, "nobody approved it in time")


def _ensure_held(request: Request, stage: str | None) -> str:
    """The stage whose approval the request waits for: this one, if one is named. Raises NotHeldError."""
    held = request.held_stage
    if held is None or stage not in (None, held):
        raise NotHeldError(request.task_id, request.status, held, stage)
    return held


def _ensure_meant(newest: Row[Any] | None, generation: int | None) -> None:
    """Return if a person means this row, or says nothing of it; raises ChangedMeanwhileError."""
    if newest is not None and generation not in (None, newest.generation):
        raise ChangedMeanwhileError(newest.stage, newest.generation, int(generation or 0))


def _approve(
    tx: Connection,
    request: Request,
    newest: Row[Any] | None,
    stage: str,
    by: str,
    act: str | None = None,
) -> Request:
    # An operator may have deleted the stage: the next attempt makes it again, and meets the hold again.
    if newest is not None:
        tx.execute(_APPROVED, {"of_stage_id": newest.id, "approved_by": by})
    return transition(tx, request, "approved", DUE_NOW, stage=stage, by=by, act=act)


def _reject(tx: Connection, request: Request, stage: str, by: str, reason: str | None) -> Request:
    message = f"{stage}: rejected by {by}" + (f": {reason}" if reason else "")
    changes = {
        "status": Status.CANCELED,
        "not_before": None,
        "cancel_requested": False,
        "error_code": REJECTED,
        "error_message": message,
        **NOT_WAITING,
        **UNLEASED,
    }
    return transition(tx, request, "rejected", changes, stage=stage, by=by, message=message)


def _newest(tx: Connection, request: Request, stage: str) -> Row[Any] | None:
    """The stage's newest generation."""
    return tx.execute(_NEWEST, {"of_id": request.id, "of_stage": stage}).one_or_none()


def _done(tx: Connection, request: Request, stage: str) -> Row[Any]:
    """The newest generation of a stage that is done; raises NotHeldError where an operator has removed it."""
    row = _newest(tx, request, stage)
    if row is None or row.status != StageStatus.COMPLETED:
        raise NotHeldError(request.task_id, request.status, None, stage)
    return row


_NEWEST = (
    select(stages)
    .where(stages.c.request_id == bindparam("of_id"), stages.c.stage == bindparam("of_stage"))
    .order_by(stages.c.generation.desc())
    .limit(1)
)
_APPROVED = update(stages).where(stages.c.id == bindparam("of_stage_id")).values(approved_at=now())
# Without a beginning: nothing was made that would have a duration.
_INSERT_REVISED = (
    insert(stages)
    .values(
        status=StageStatus.COMPLETED,
        attempts=0,
        retry_count=0,
        cost=0,
        completed_at=now(),
    )
    .inline()
)
# SQLite uses the partial index only where its condition is repeated verbatim.
_EXPIRED = (
    select(requests.c.id)
    .where(literal_column(HELD), requests.c.not_before <= now())
    .order_by(requests.c.not_before)
    .limit(_MOST_ENDED)
    .with_for_update(skip_locked=True)
)
