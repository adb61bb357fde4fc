"""Import orders that were answered without the ledger, by the transitions of any other request.

The transitions happen at the import, by the database's clock. Stages and attempt have their real times.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import ConflictError
from resources.ledger.queries.money import get_day
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import (
    JobStatus,
    StageStatus,
    Status,
    attempts,
    provider_jobs,
    spool_costs,
    stages,
)
from resources.ledger.transitions.core import NO_ERROR, UNLEASED, transition
from resources.ledger.transitions.jobs import save_orphan
from resources.ledger.transitions.orders import NewRequest, find_order_conflict, submit_order

_ALREADY_DONE = "already_done"
_LEASE_SECONDS = 1.0
_SENT_AS = "it was sent as {!r}, which is another order's task_id"


@dataclass(frozen=True)
class Purchase:
    """A submission to a provider, at `cost` micro-dollars.

    `error_code` is set if the submission failed or was lost; the cost then stays.
    """

    provider: str
    token: str
    request_hash: str
    cost: int
    error_code: str | None = None


@dataclass(frozen=True)
class DoneStage:
    """A stage that was completed, or has failed (then `result` is None).

    `began_ago` and `ended_ago` are seconds before now.
    """

    stage: str
    result: Mapping[str, Any] | None
    began_ago: float
    ended_ago: float
    purchases: Sequence[Purchase] = ()


@dataclass(frozen=True)
class AnsweredOrder:
    """An order that the direct service answered without the ledger.

    `worker` is a name that is unique to this answer. `error` is the code and message of an order that failed
    in the last of its stages.
    """

    order: NewRequest
    worker: str
    stages: Sequence[DoneStage]
    error: tuple[str, str] | None = None
    sent_as: str | None = None
    """The task_id it was sent with, if another order has that."""


@retry_transient
def import_completed(db: Database, answered: AnsweredOrder) -> Request:
    """Store an answered order as a completed request, or a dead one if it failed; return the request.

    A second import changes nothing. If the request was completed before or is at work, only the cost of this
    answer is added to it. Raises ConflictError if another order has its task_id.
    """
    with db.writing() as tx:
        submitted = submit_order(tx, answered.order)
        request, created = submitted.request, submitted.created
        if (error := find_order_conflict(request, answered.order)) is not None:
            raise (
                error if isinstance(error, ConflictError) else ConflictError(answered.order.task_id)
            )
        delete_cost_of_waiting_answer(tx, answered.worker)
        of_answer = (attempts.c.request_id == request.id, attempts.c.worker == answered.worker)
        if tx.execute(select(attempts.c.id).where(*of_answer)).first() is not None:
            return request
        if not created and request.status is not Status.DEAD:
            _add_attempt(tx, request, answered, _get_next_attempt_number(tx, request))
            _add_purchases(tx, request, answered, _ALREADY_DONE)
            return request
        return _complete_request(tx, request, answered)


def _complete_request(tx: Connection, request: Request, answered: AnsweredOrder) -> Request:
    """Write all transitions of the answered order, from `claimed` to `completed` or `dead`; return the request."""
    number = _get_next_attempt_number(tx, request)
    claimed = {
        "status": Status.PROCESSING,
        "attempt": number,
        "lease_owner": answered.worker,
        "lease_until": after(_LEASE_SECONDS),
        "fence": request.fence + 1,
        "not_before": None,
        **NO_ERROR,
    }
    other = {} if answered.sent_as is None else {"message": _SENT_AS.format(answered.sent_as)}
    request = transition(tx, request, "claimed", claimed, worker=answered.worker, **other)
    _add_attempt(tx, request, answered, number)
    for stage in answered.stages:
        request = _complete_answered_stage(tx, request, stage, answered.error)
    cost = sum(purchase.cost for stage in answered.stages for purchase in stage.purchases)
    _add_purchases(tx, request, answered, None)
    if answered.error is not None:
        code, message = answered.error
        died = {"status": Status.DEAD, "error_code": code, "error_message": message, **UNLEASED}
        died["last_failed_at"] = now()
        return transition(tx, request, "dead", died, stage=request.stage, message=message)
    ended = {"status": Status.COMPLETED, "completed_at": now(), **UNLEASED}
    return transition(tx, request, "completed", ended, cost=cost)


def _complete_answered_stage(
    tx: Connection, request: Request, stage: DoneStage, error: tuple[str, str] | None
) -> Request:
    """Write the transitions of one answered stage; return the request."""
    detail = {"stage": stage.stage, "generation": 1}
    request = transition(tx, request, "stage_started", {"stage": stage.stage}, **detail)
    cost = sum(purchase.cost for purchase in stage.purchases)
    _add_stage(tx, request, stage, cost, error)
    if stage.result is None:
        return request
    seconds = round(stage.began_ago - stage.ended_ago, 3)
    return transition(tx, request, "stage_completed", {}, **detail, cost=cost, seconds=seconds)


def _add_stage(
    tx: Connection, request: Request, stage: DoneStage, cost: int, error: tuple[str, str] | None
) -> None:
    """Insert the stage; replace one that failed in an earlier answer."""
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


def _add_attempt(tx: Connection, request: Request, answered: AnsweredOrder, number: int) -> None:
    first, last = answered.stages[0], answered.stages[-1]
    code, message = answered.error or (None, None)
    tx.execute(
        insert(attempts).values(
            request_id=request.id,
            number=number,
            worker=answered.worker,
            started_at=after(-first.began_ago),
            ended_at=after(-last.ended_ago),
            error_code=code,
            error_message=message,
        )
    )


def _get_next_attempt_number(tx: Connection, request: Request) -> int:
    """Return the number of the request's next attempt."""
    query = select(attempts.c.number).where(attempts.c.request_id == request.id)
    numbers: list[int] = [request.attempt, *tx.execute(query).scalars()]
    return max(numbers) + 1


def _add_purchases(
    tx: Connection, request: Request, answered: AnsweredOrder, wasted: str | None
) -> None:
    """Insert the submissions of the answer; `wasted` is the error code if none of them is used, else None."""
    for stage in answered.stages:
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


@retry_transient
def save_unwanted_purchases(
    db: Database, task_id: str, worker: str, stages: Sequence[DoneStage], why: str
) -> None:
    """Save the submissions of an answer that cannot be imported as orphans, with the reason `why`."""
    with db.writing() as tx:
        delete_cost_of_waiting_answer(tx, worker)
        for stage in stages:
            for purchase in stage.purchases:
                save_orphan(
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
def publish_spool_costs(db: Database, spool: str, costs: Mapping[str, int]) -> None:
    """Replace the published costs of a spool by today's, in micro-dollars by answer.

    They are the costs of answers that are not imported yet. Rows of other days are deleted.
    """
    with db.writing() as tx:
        day = get_day(tx.execute(select(now())).scalar_one())
        is_old = (spool_costs.c.spool == spool) | (spool_costs.c.day != day)
        tx.execute(delete(spool_costs).where(is_old))
        rows = [
            {"spool": spool, "answer": answer, "day": day, "cost": cost}
            for answer, cost in costs.items()
        ]
        if rows:
            tx.execute(insert(spool_costs), rows)


def delete_cost_of_waiting_answer(tx: Connection, answer: str) -> None:
    """Delete the published cost of this answer, because it is imported now."""
    tx.execute(delete(spool_costs).where(spool_costs.c.answer == answer))
