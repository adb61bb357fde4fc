"""Moves of a stage inside an attempt: it begins, it is done, and with the last one the request is."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from resources.artifacts import StoredArtifact
from resources.ledger.database import Database
from resources.ledger.moves.core import NO_ERROR, UNLEASED, Lease, end_attempts, lock_held, move
from resources.ledger.request import Request
from resources.ledger.sqltime import now
from resources.ledger.steady import steady
from resources.ledger.tables import (
    StageStatus,
    Status,
    artifacts,
    provider_jobs,
    stages,
)


@dataclass(frozen=True)
class StageEntry:
    """A stage of a request at its newest generation; `result` is set once it is completed."""

    stage: str
    generation: int
    result: Mapping[str, Any] | None


@steady
def begin_stage(db: Database, lease: Lease, stage: str) -> StageEntry:
    """The stage is processing, or was completed before: then nothing changes and its result is there."""
    with db.writing() as tx:
        request, _ = lock_held(tx, lease)
        newest = (
            select(stages)
            .where(stages.c.request_id == request.id, stages.c.stage == stage)
            .order_by(stages.c.generation.desc())
            .limit(1)
        )
        row = tx.execute(newest).one_or_none()
        if row is not None and row.status == StageStatus.COMPLETED:
            return StageEntry(stage, row.generation, json.loads(row.result))
        generation = 1 if row is None else row.generation
        if row is None:
            _insert_stage(tx, request, stage)
        _update_stage(
            tx,
            request,
            stage,
            generation,
            status=StageStatus.PROCESSING,
            attempts=stages.c.attempts + 1,
            started_at=func.coalesce(stages.c.started_at, now()),
            placed_at=None,
            **NO_ERROR,
        )
        move(tx, request, "stage_started", {"stage": stage}, stage=stage, generation=generation)
        return StageEntry(stage, generation, None)


def _insert_stage(tx: Connection, request: Request, stage: str) -> None:
    values = {"request_id": request.id, "stage": stage, "generation": 1, "cost": 0, "attempts": 0}
    tx.execute(insert(stages).values({**values, "status": StageStatus.PENDING}))


def _update_stage(
    tx: Connection, request: Request, stage: str, generation: int, **values: Any
) -> None:
    tx.execute(
        update(stages)
        .where(
            stages.c.request_id == request.id,
            stages.c.stage == stage,
            stages.c.generation == generation,
        )
        .values(**values)
    )


@steady
def complete_stage(
    db: Database,
    lease: Lease,
    entry: StageEntry,
    *,
    result: Mapping[str, Any],
    cost: int,
    job_id: int | None,
    files: Sequence[StoredArtifact],
    pipeline_stages: Sequence[str],
) -> Request:
    """The stage is done for good; the commit that leaves none undone completes the request.

    `cost` in micro-dollars is what the submission `job_id` turned out to cost.
    """
    with db.writing() as tx:
        request, _ = lock_held(tx, lease)
        _update_stage(
            tx,
            request,
            entry.stage,
            entry.generation,
            status=StageStatus.COMPLETED,
            result=json.dumps(result, ensure_ascii=False),
            cost=cost,
            completed_at=now(),
            **NO_ERROR,
        )
        if job_id is not None:
            tx.execute(update(provider_jobs).where(provider_jobs.c.id == job_id).values(cost=cost))
        for file in files:
            _insert_artifact(tx, request, entry, file)
        detail = {"stage": entry.stage, "generation": entry.generation, "cost": cost}
        request = move(tx, request, "stage_completed", {"deaths": 0}, **detail)
        if _all_completed(tx, request, pipeline_stages):
            request = _complete(tx, request)
        return request


def _all_completed(tx: Connection, request: Request, pipeline_stages: Sequence[str]) -> bool:
    """Whether the newest generation of every stage is done."""
    newest = (
        select(stages.c.stage, stages.c.status)
        .where(stages.c.request_id == request.id)
        .order_by(stages.c.generation)
    )
    statuses = {row.stage: row.status for row in tx.execute(newest)}
    return all(statuses.get(stage) == StageStatus.COMPLETED for stage in pipeline_stages)


def _insert_artifact(
    tx: Connection, request: Request, entry: StageEntry, file: StoredArtifact
) -> None:
    tx.execute(
        insert(artifacts).values(
            request_id=request.id,
            stage=entry.stage,
            generation=entry.generation,
            name=file.name,
            sha256=file.sha256,
            bytes=file.bytes,
            media_type=file.media_type,
            where=file.where,
            created_at=now(),
        )
    )


@steady
def complete_request(db: Database, lease: Lease, pipeline_stages: Sequence[str]) -> Request:
    """The request is completed where every stage was done before. Raises LeaseLostError."""
    with db.writing() as tx:
        request, _ = lock_held(tx, lease)
        return _complete(tx, request) if _all_completed(tx, request, pipeline_stages) else request


def _complete(tx: Connection, request: Request) -> Request:
    """The event tells what the order has cost in all, in micro-dollars."""
    end_attempts(tx, request)
    costs = select(func.sum(provider_jobs.c.cost)).where(provider_jobs.c.request_id == request.id)
    in_all = int(tx.execute(costs).scalar() or 0)
    done = {"status": Status.COMPLETED, "completed_at": now(), "cancel_requested": False}
    return move(tx, request, "completed", {**done, **NO_ERROR, **UNLEASED}, cost=in_all)
