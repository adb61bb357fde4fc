"""The record of an answer: a message in the spool, and what it becomes in the ledger."""

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from castad.direct.job import DirectJob
from pipeline_defs.catalog import catalog
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import CastadError, InvalidInputError, PermanentError
from resources.ledger.db.connections import with_short_timeouts
from resources.ledger.db.database import open_database
from resources.ledger.errors import ConflictError
from resources.ledger.moves.done_elsewhere import (
    DoneElsewhere,
    DoneStage,
    Purchase,
    record_done,
)
from resources.ledger.moves.orders import NewRequest
from resources.process.settings import settings
from resources.spool.entry import Entry
from resources.spool.spool import Spool

TARGET = "record"
SOURCE = "direct"
_MOST_RECORDS = 100_000


@dataclass(frozen=True)
class KeptStage:
    """A stage of an answer; `result` is None where it failed. Times are seconds since the epoch."""

    stage: str
    result: Mapping[str, Any] | None
    began_at: float
    ended_at: float
    purchases: Sequence[Purchase]


def record_entry(
    pipeline: Pipeline, job: DirectJob, stages: Sequence[KeptStage], error: CastadError | None
) -> Entry:
    """The message that records the answer; each answer has one of its own."""
    answer = secrets.token_hex(6)
    began = stages or [KeptStage(pipeline.stage_names[0], None, job.created_at, time.time(), [])]
    body = {
        "task_id": job.task_id,
        "pipeline": pipeline.name,
        "owner": job.owner,
        "payload": dict(job.payload),
        "worker": f"{SOURCE}:{answer}",
        "stages": [_as_json(stage) for stage in began],
        "error": None if error is None else [error.code, error.message],
    }
    return Entry(TARGET, f"{job.task_id}:{answer}", body)


def _as_json(stage: KeptStage) -> Mapping[str, Any]:
    return {**vars(stage), "purchases": [asdict(each) for each in stage.purchases]}


def cost_on_its_way(spool: Spool) -> int:
    """What the answers have cost whose records wait in the spool, in micro-dollars.

    Raises StateUnavailableError where it cannot be read.
    """
    waiting = (each.body for each in spool.waiting(_MOST_RECORDS) if each.target == TARGET)
    return sum(
        purchase["cost"]
        for body in waiting
        for stage in body.get("stages", ())
        for purchase in stage["purchases"]
    )


def deliver_record(body: Mapping[str, Any]) -> None:
    """The answer is on record in the ledger, once. Raises PermanentError where another order has its task_id."""
    try:
        pipeline = catalog().pipeline(str(body["pipeline"]))
        order = _order(pipeline, body)
    except InvalidInputError as error:
        raise PermanentError(error.message, code=error.code) from None
    done = DoneElsewhere(
        order,
        str(body["worker"]),
        [_done_stage(stage, time.time()) for stage in body["stages"]],
        None if body["error"] is None else tuple(body["error"]),
    )
    try:
        record_done(open_database(with_short_timeouts(settings().ledger_url)), done)
    except ConflictError as error:
        raise PermanentError(error.message, code=error.code) from None


def _order(pipeline: Pipeline, body: Mapping[str, Any]) -> NewRequest:
    return NewRequest(
        body["task_id"],
        body["payload"],
        pipeline=pipeline.name,
        source=SOURCE,
        same_order=pipeline.same_order,
        owner=body["owner"],
        unique_key=pipeline.key_of(body["payload"]),
        shared=pipeline.shared,
    )


def _done_stage(stage: Mapping[str, Any], now: float) -> DoneStage:
    return DoneStage(
        stage["stage"],
        stage["result"],
        max(now - stage["began_at"], 0.0),
        max(now - stage["ended_at"], 0.0),
        [Purchase(**each) for each in stage["purchases"]],
    )
