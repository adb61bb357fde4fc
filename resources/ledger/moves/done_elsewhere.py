"""A request that was answered without the ledger is on record afterwards, by the moves of any other.

The moves happen when they are recorded, by the database's clock; stages and attempt began and ended as long ago as
they did.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.errors import ConflictError
from resources.ledger.moves.core import NO_ERROR, UNLEASED, move
from resources.ledger.moves.orders import NewRequest, conflict_with, submit_in
from resources.ledger.moves.orphans import record_orphan
from resources.ledger.moves.spool_costs import forget_spool_cost
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import (
    JobStatus,
    StageStatus,
    Status,
    attempts,
    provider_jobs,
    stages,
)

_ALREADY_DONE = "already_done"
_LEASE_SECONDS = 1.0
_SENT_AS = "it was sent as {!r}, which is another order's task_id"


@dataclass(frozen=True)
class Purchase:
    """A submission to a provider. `error_code` is set where it failed or was lost; the cost stays."""

    provider: str
    token: str
    request_hash: str
    cost: int
    error_code: str | None = None


@dataclass(frozen=True)
class DoneStage:
    """A stage that was made, or has failed (then `result` is None). Times are seconds before now."""

    stage: str
    result: Mapping[str, Any] | None
    began_ago: float
    ended_ago: float
    purchases: Sequence[Purchase] = ()


@dataclass(frozen=True)
class DoneElsewhere:
    """An order that was answered elsewhere, by `worker`, whose name belongs to this answer alone.

    `error` is its code and message where it has failed, in the last of the stages.
    """

    order: NewRequest
    worker: str
    stages: Sequence[DoneStage]
    error: tuple[str, str] | None = None
    sent_as: str | None = None
    """The task_id that it was sent under, where another order has that."""


@retry_transient
def record_unwanted(
    db: Database, task_id: str, worker: str, stages: Sequence[DoneStage], why: str
) -> None:
    """Record what was bought for an answer that cannot be stored: among the orphans, once."""
    with db.writing() as tx:
        forget_spool_cost(tx, worker)
        for stage in stages:
            for purchase in stage.purchases:
                record_orphan(
                    tx,
                    token=purchase.token,
                    provider=purchase.provider,
                    external_id=None,
                    task_id=task_id,
                    stage=stage.stage,
                    cost=purchase.cost,
                    why=why,
                )


@retry_transient
def record_done(db: Database, done: DoneElsewhere) -> Request:
    """The request is on record as completed, or dead where it failed; recording it again changes nothing.

    Where it was completed before, or is at work, what this answer has cost is added to it. Raises ConflictError
    where another order has its task_id.
    """
    with db.writing() as tx:
        submitted = submit_in(tx, done.order)
        request, created = submitted.request, submitted.created
        if (error := conflict_with(request, done.order)) is not None:
            raise error if isinstance(error, ConflictError) else ConflictError(done.order.task_id)
        forget_spool_cost(tx, done.worker)
        if _is_recorded(tx, request, done):
            return request
        if not created and request.status is not Status.DEAD:
            _add_attempt(tx, request, done, _next_number(tx, request))
            _add_purchases(tx, request, done, _ALREADY_DONE)
            return request
        return _record(tx, request, done)


def _is_recorded(tx: Connection, request: Request, done: DoneElsewhere) -> bool:
    query = select(attempts.c.id).where(
        attempts.c.request_id == request.id, attempts.c.worker == done.worker
    )
    return tx.execute(query).first() is not None


def _next_number(tx: Connection, request: Request) -> int:
    query = select(attempts.c.number).where(attempts.c.request_id == request.id)
    numbers: list[int] = [request.attempt, *tx.execute(query).scalars()]
    return max(numbers) + 1


def _record(tx: Connection, request: Request, done: DoneElsewhere) -> Request:
    number = _next_number(tx, request)
    claimed = {
        "status": Status.PROCESSING,
        "attempt": number,
        "lease_owner": done.worker,
        "lease_until": after(_LEASE_SECONDS),
        "fence": request.fence + 1,
        "not_before": None,
        **NO_ERROR,
    }
    other = {} if done.sent_as is None else {"message": _SENT_AS.format(done.sent_as)}
    request = move(tx, request, "claimed", claimed, worker=done.worker, **other)
    _add_attempt(tx, request, done, number)
    for stage in done.stages:
        request = _record_stage(tx, request, stage, done.error)
    cost = sum(purchase.cost for stage in done.stages for purchase in stage.purchases)
    _add_purchases(tx, request, done, None)
    if done.error is not None:
        code, message = done.error
        died = {"status": Status.DEAD, "error_code": code, "error_message": message, **UNLEASED}
        died["last_failed_at"] = now()
        return move(tx, request, "dead", died, stage=request.stage, message=message)
    ended = {"status": Status.COMPLETED, "completed_at": now(), **UNLEASED}
    return move(tx, request, "completed", ended, cost=cost)


def _record_stage(
    tx: Connection, request: Request, stage: DoneStage, error: tuple[str, str] | None
) -> Request:
    detail = {"stage": stage.stage, "generation": 1}
    request = move(tx, request, "stage_started", {"stage": stage.stage}, **detail)
    cost = sum(purchase.cost for purchase in stage.purchases)
    _add_stage(tx, request, stage, cost, error)
    if stage.result is None:
        return request
    seconds = round(stage.began_ago - stage.ended_ago, 3)
    return move(tx, request, "stage_completed", {}, **detail, cost=cost, seconds=seconds)


def _add_stage(
    tx: Connection, request: Request, stage: DoneStage, cost: int, error: tuple[str, str] | None
) -> None:
    """One that failed before, in the answer that died, is made anew."""
    is_done = stage.result is not None
    code, message = (None, None) if is_done else error or (None, None)
    of = (stages.c.request_id == request.id, stages.c.stage == stage.stage)
    tx.execute(stages.delete().where(*of))
    tx.execute(
        insert(stages).values(
            request_id=request.id,
            stage=stage.stage,
            generation=1,
            status=StageStatus.COMPLETED if is_done else StageStatus.FAILED,
            attempts=1,
            retry_count=0,
            result=json.dumps(stage.result, ensure_ascii=False) if is_done else None,
            cost=cost,
            error_code=code,
            error_message=message,
            started_at=after(-stage.began_ago),
            completed_at=after(-stage.ended_ago) if is_done else None,
        )
    )


def _add_attempt(tx: Connection, request: Request, done: DoneElsewhere, number: int) -> None:
    first, last = done.stages[0], done.stages[-1]
    code, message = done.error or (None, None)
    tx.execute(
        insert(attempts).values(
            request_id=request.id,
            number=number,
            worker=done.worker,
            started_at=after(-first.began_ago),
            ended_at=after(-last.ended_ago),
            error_code=code,
            error_message=message,
        )
    )


def _add_purchases(
    tx: Connection, request: Request, done: DoneElsewhere, wasted: str | None
) -> None:
    """What was bought; `wasted` is why none of it is of use any more, None where it is."""
    for stage in done.stages:
        for purchase in stage.purchases:
            code = purchase.error_code or wasted
            tx.execute(
                insert(provider_jobs).values(
                    request_id=request.id,
                    stage=stage.stage,
                    generation=1,
                    attempt=request.attempt,
                    provider=purchase.provider,
                    token=purchase.token,
                    request_hash=purchase.request_hash,
                    status=JobStatus.SUCCEEDED if code is None else JobStatus.FAILED,
                    cost=purchase.cost,
                    error_code=code,
                    created_at=after(-stage.began_ago),
                    submitted_at=after(-stage.began_ago),
                    settled_at=after(-stage.ended_ago),
                )
            )
