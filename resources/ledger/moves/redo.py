"""The move of a redo: a stage and those after it are made again."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, func, insert, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.errors import IllegalMoveError
from resources.ledger.moves.core import lock_task, move
from resources.ledger.moves.orders import RESET
from resources.ledger.request import Request, payload_text
from resources.ledger.schema.tables import StageStatus, Status, stages

Change = Callable[[Mapping[str, Any]], Mapping[str, Any]]
KeyOf = Callable[[Mapping[str, Any]], str | None]


@retry_transient
def redo(
    db: Database,
    task_id: str,
    from_stage: str,
    pipeline_stages: Sequence[str],
    change: Change | None = None,
    key_of: KeyOf = lambda order: None,
) -> Request:
    """`from_stage` and the stages after it are pending again, as a new generation that is bought again.

    `change` makes the new order from the old one, and `key_of` its unique key; stages before `from_stage` are
    kept. Artifacts of the former order are kept beside the new ones.

    Raises IllegalMoveError for a stage that the pipeline does not have or that was never begun, and for a request
    that is pending, dispatched or processing; DuplicateOrderError where another request holds the unique key.
    """
    if from_stage not in pipeline_stages:
        raise IllegalMoveError(
            f"from: {from_stage!r} is not a stage; expected one of {', '.join(pipeline_stages)}"
        )
    follows = pipeline_stages[pipeline_stages.index(from_stage) :]
    with db.writing() as tx:
        request, _ = lock_task(tx, task_id)
        if not request.is_terminal and request.status is not Status.FAILED:
            raise IllegalMoveError(
                f"task_id: {task_id!r} is {request.status}; cancel it before redoing a stage"
            )
        generations = {stage: _generation(tx, request, stage) for stage in follows}
        if generations[from_stage] == 0:
            raise IllegalMoveError(
                f"from: {from_stage!r} of {task_id!r} was never begun; retry it instead"
            )
        order, detail = _changed_order(request, change, key_of)
        for stage, generation in generations.items():
            if generation:
                _open_generation(tx, request, stage, generation + 1)
        changes = {**RESET, **order, "stage": from_stage, "completed_at": None}
        return move(tx, request, "redone", changes, stage=from_stage, changed=detail)


def _changed_order(
    request: Request, change: Change | None, key_of: KeyOf
) -> tuple[Mapping[str, Any], Mapping[str, Any] | None]:
    """The columns to write, and the changed fields with their new values."""
    if change is None:
        return {}, None
    before = request.order() or {}
    after = change(before)
    different = {name: value for name, value in after.items() if before.get(name) != value}
    return {"payload": payload_text(after), "unique_key": key_of(after)}, different or None


def _generation(tx: Connection, request: Request, stage: str) -> int:
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
