"""How far running stages are, for those who follow their orders live. Read-only."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import and_, bindparam, func, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.due import IS_OPEN
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import (
    JobStatus,
    StageStatus,
    Status,
    provider_jobs,
    requests,
    stages,
)


@dataclass(frozen=True)
class RunningStage:
    """The running stage of a request.

    `progress` in [0, 1] and `note` are the last report, None and "" without one. `provider` has the submission
    that is waited for, "" where there is none; `seconds` have passed since then, or since the stage began.
    """

    request_id: int
    task_id: str
    pipeline: str
    owner: str | None
    stage: str
    progress: float | None
    note: str
    provider: str
    seconds: float


_JOB = and_(
    provider_jobs.c.request_id == stages.c.request_id,
    provider_jobs.c.stage == stages.c.stage,
    provider_jobs.c.generation == stages.c.generation,
    provider_jobs.c.status == JobStatus.SUBMITTED.value,
)
_RUNNING = (
    select(
        *(requests.c.id, requests.c.task_id, requests.c.pipeline, requests.c.owner),
        stages.c.stage,
        *(stages.c.progress, stages.c.progress_note, provider_jobs.c.provider),
        func.coalesce(provider_jobs.c.submitted_at, stages.c.started_at).label("since"),
        now().label("at"),
    )
    .join(stages, and_(stages.c.request_id == requests.c.id, stages.c.stage == requests.c.stage))
    .outerjoin(provider_jobs, _JOB)
    .where(stages.c.status == StageStatus.PROCESSING.value)
)
_RUNNING_OF = _RUNNING.where(requests.c.id.in_(bindparam("ids", expanding=True)))
_AT_WORK = requests.alias("at_work")
_ALL_RUNNING = _RUNNING.where(
    requests.c.id.in_(
        select(_AT_WORK.c.id).where(IS_OPEN, _AT_WORK.c.status == Status.PROCESSING.value)
    )
)


@retry_transient
def progress_of(db: Database, request_ids: Collection[int] | None) -> list[RunningStage]:
    """The running stage of each of these requests that has one; None: of all requests at work."""
    with db.reading() as tx:
        if request_ids is None:
            rows = tx.execute(_ALL_RUNNING).all()
        else:
            rows = tx.execute(_RUNNING_OF, {"ids": sorted(request_ids)}).all()
    return [
        RunningStage(
            request_id=row.id,
            task_id=row.task_id,
            pipeline=row.pipeline,
            owner=row.owner,
            stage=row.stage,
            progress=row.progress,
            note=row.progress_note or "",
            provider=row.provider or "",
            seconds=max(0.0, (row.at - row.since).total_seconds()),
        )
        for row in rows
    ]
