"""The result of an order that was answered directly and is no longer in memory: in the spool or the ledger."""

from collections.abc import Mapping
from typing import Any

from castad.direct.record import TARGET
from castad.direct.steps import completed_body, failed_body
from pipeline_defs.pipeline import Pipeline
from resources.ledger.db.database import Database
from resources.ledger.queries.reads import stage_result
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.spool.spool import Spool


def spooled_result(
    spool: Spool, pipeline: Pipeline, task_id: str
) -> tuple[str | None, Mapping[str, Any]] | None:
    """The owner and the body of an answer whose record is not delivered yet; None where there is none."""
    for entry in spool.find(TARGET, f"{task_id}:"):
        body = entry.body
        if body["task_id"] == task_id and body["pipeline"] == pipeline.name:
            return body["owner"], _of_record(pipeline, body)
    return None


def _of_record(pipeline: Pipeline, body: Mapping[str, Any]) -> Mapping[str, Any]:
    if body["error"] is not None:
        return failed_body(body["task_id"], *body["error"])
    results = {stage["stage"]: stage["result"] for stage in body["stages"]}
    return _completed(pipeline, body["task_id"], body["payload"], results)


def recorded_result(db: Database, pipeline: Pipeline, request: Request) -> Mapping[str, Any] | None:
    """The body of a request of the ledger; None while it is at work."""
    if request.status is Status.COMPLETED:
        results = {}
        for name in pipeline.stage_names:
            result = stage_result(db, request.task_id, name)
            if result is not None:
                results[name] = result
        return _completed(pipeline, request.task_id, request.order() or {}, results)
    if request.is_terminal:
        code = request.error_code or str(request.status)
        return failed_body(
            request.task_id, code, request.error_message or f"it is {request.status}"
        )
    return None


def _completed(
    pipeline: Pipeline,
    task_id: str,
    payload: Mapping[str, Any],
    results: Mapping[str, Mapping[str, Any]],
) -> Mapping[str, Any]:
    assert pipeline.stateless is not None  # noqa: S101 - only such pipelines come here
    result = pipeline.stateless.result(pipeline.parse(payload), pipeline.products(results))
    return completed_body(task_id, result, is_kept=True)
