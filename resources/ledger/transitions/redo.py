"""Make stages of a request again, and retry dead letters once."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, exists, func, insert, literal_column, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import (
    ChangedMeanwhileError,
    DuplicateOrderError,
    IllegalTransitionError,
    UnknownRequestError,
)
from resources.ledger.queries.retention import HAS_DOUBT
from resources.ledger.queries.status import get_request
from resources.ledger.request import Request, format_payload
from resources.ledger.rules import PASSING_CODES
from resources.ledger.schema.tables import ENDED, StageStatus, Status, events, requests, stages
from resources.ledger.transitions.approval import Act, ensure_no_paid_repeat, is_act_done
from resources.ledger.transitions.core import ensure_unique_key_free, lock_request, transition
from resources.ledger.transitions.orders import RESET, build_reset_columns

Change = Callable[[Mapping[str, Any]], Mapping[str, Any]]
KeyAfter = Callable[[Mapping[str, Any], str | None], str | None]
"""Derives the unique key of a redone order from its payload and its former key; raises InvalidInputError."""
REDRIVEN = "redriven"


def keep_former_key(order: Mapping[str, Any], key: str | None) -> str | None:
    """Return the unique key unchanged; the default of `key_after`."""
    return key


@retry_transient
def redo_stages(
    db: Database,
    task_id: str,
    from_stage: str,
    pipeline_stages: Sequence[str],
    change: Change | None = None,
    key_after: KeyAfter = keep_former_key,
    by: str | None = None,
    *,
    generation: int | None = None,
    asked: Mapping[str, Any] | None = None,
) -> Request:
    """Open a new generation of `from_stage` and of all later stages, which are made and bought again.

    `change` makes the new order from the old one, `key_after` derives its unique key; stages before
    `from_stage` are kept. Artifacts of the former order stay beside the new ones. `generation` is the one of
    `from_stage` that the person has seen, `asked` the fields that the person changes: repeating the same redo
    changes nothing. `by` is the person whom the event names. Returns the request.

    Raises UnknownRequestError. Raises IllegalTransitionError for a stage that the pipeline lacks or that was
    never begun, and for a request that is dispatched, processing, or pending without waiting for an approval.
    Raises ChangedMeanwhileError if the stage has another generation, or if none is named and the same redo
    was paid for before. Raises DuplicateOrderError if another request holds the unique key.
    """
    act = Act("redone", generation, {"stage": from_stage, "asked": dict(asked or {})})
    with db.writing() as tx:
        request, _ = lock_request(tx, task_id)
        newest = _read_generation(tx, request, from_stage)
        if generation not in (None, newest) and is_act_done(tx, request, act):
            return request
        generations = _read_generations(tx, request, from_stage, pipeline_stages)
        _ensure_newest_seen(from_stage, newest, generation)
        ensure_no_paid_repeat(tx, request, act, of=from_stage, newest=newest, number="generation")
        before = request.order() or {}
        after = before if change is None else change(before)
        for stage, generation in generations.items():
            if generation:
                _open_generation(tx, request, stage, generation + 1)
        changes = {**RESET, "stage": from_stage, "completed_at": None}
        changes["unique_key"] = key_after(after, request.unique_key)
        if change is not None:
            changes["payload"] = format_payload(after)
        different = {name: value for name, value in after.items() if before.get(name) != value}
        about = {"stage": from_stage, "changed": different or None, "by": by, "act": act.key}
        return transition(tx, request, "redone", changes, **about)


@retry_transient
def build_order_after_redo(
    db: Database,
    task_id: str,
    from_stage: str,
    pipeline_stages: Sequence[str],
    change: Change | None = None,
    key_after: KeyAfter = keep_former_key,
    *,
    generation: int | None = None,
) -> Mapping[str, Any]:
    """Return the order that a redo would make, without writing; raise what the redo would raise."""
    request = get_request(db, task_id)
    with db.reading() as tx:
        newest = _read_generations(tx, request, from_stage, pipeline_stages)[from_stage]
        _ensure_newest_seen(from_stage, newest, generation)
        before = request.order() or {}
        after = before if change is None else change(before)
        ensure_unique_key_free(
            tx, request, {**RESET, "unique_key": key_after(after, request.unique_key)}
        )
    return after


def _ensure_newest_seen(stage: str, newest: int, seen: int | None) -> None:
    """Raise ChangedMeanwhileError if the person has seen another generation than the newest."""
    if seen not in (None, newest):
        raise ChangedMeanwhileError(stage, newest, seen)


def _read_generations(
    tx: Connection, request: Request, from_stage: str, pipeline_stages: Sequence[str]
) -> dict[str, int]:
    """Return the newest generation of `from_stage` and of each later stage; 0 for a stage that was not begun.

    Raises IllegalTransitionError if the request may not be redone from this stage.
    """
    if from_stage not in pipeline_stages:
        raise IllegalTransitionError(
            f"from: {from_stage!r} is not a stage; expected one of {', '.join(pipeline_stages)}"
        )
    may_be_redone = request.is_terminal or request.held_stage is not None
    if not may_be_redone and request.status is not Status.FAILED:
        raise IllegalTransitionError(
            f"task_id: {request.task_id!r} is {request.status}; cancel it before redoing a stage"
        )
    follows = pipeline_stages[pipeline_stages.index(from_stage) :]
    generations = {stage: _read_generation(tx, request, stage) for stage in follows}
    if generations[from_stage] == 0:
        raise IllegalTransitionError(
            f"from: {from_stage!r} of {request.task_id!r} was never begun; retry it instead"
        )
    return generations


def _read_generation(tx: Connection, request: Request, stage: str) -> int:
    """Return the number of the stage's newest generation; 0 if the stage was not begun."""
    newest = select(func.max(stages.c.generation)).where(
        stages.c.request_id == request.id, stages.c.stage == stage
    )
    return tx.execute(newest).scalar() or 0


def _open_generation(tx: Connection, request: Request, stage: str, generation: int) -> None:
    tx.execute(
        insert(stages).values(
            request_id=request.id,
            stage=stage,
            generation=generation,
            status=StageStatus.PENDING,
            attempts=0,
            retry_count=0,
            cost=0,
        )
    )


@retry_transient
def list_redrivable_requests(db: Database, limit: int) -> list[str]:
    """Return the task_ids of the oldest dead requests that may be retried automatically, at most `limit`.

    Their failure may be over, no submission is in doubt, and they were never redriven.
    """
    before = exists().where(events.c.request_id == requests.c.id, events.c.type == REDRIVEN)
    query = (
        select(requests.c.task_id)
        .where(
            literal_column(ENDED),
            requests.c.status == Status.DEAD,
            requests.c.error_code.in_(PASSING_CODES),
            ~before,
            ~HAS_DOUBT,
        )
        .order_by(requests.c.id)
        .limit(limit)
    )
    with db.reading() as tx:
        return list(tx.execute(query).scalars())


@retry_transient
def redrive_request(db: Database, task_id: str, taking_over: Collection[str] = ()) -> bool:
    """Retry a dead request automatically, once in its life; return whether it was retried.

    Returns False if it was redriven or has changed, or if another request holds its unique key. A pipeline in
    `taking_over` is retried without the key instead (see `Claimant`).
    """
    try:
        with db.writing() as tx:
            request, _ = lock_request(tx, task_id)
            before = (events.c.request_id == request.id, events.c.type == REDRIVEN)
            if tx.execute(select(exists().where(*before))).scalar():
                return False
            reset = build_reset_columns(tx, request, takes_over=request.pipeline in taking_over)
            transition(tx, request, REDRIVEN, reset)
    except (UnknownRequestError, DuplicateOrderError, IllegalTransitionError):
        return False
    return True
