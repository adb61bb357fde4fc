"""The result of an order that was answered directly and is no longer in memory: in the spool or the ledger."""

from collections.abc import Mapping
from typing import Any

from castad.direct.ledger_import import TARGET
from castad.direct.steps import completed_body, failed_body
from pipeline_defs.pipeline import Pipeline
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.reads import stage_result
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.spool.spool import Spool


def spooled_result(
    spool: Spool, pipeline: Pipeline, key: str, *, is_dead: bool = False
) -> Mapping[str, Any] | None:
    """Return the body of the newest answer whose import waits under a key that begins so.

    With `is_dead` it is one that was given up. An answer that is at work in another process is none yet.
    Raises UnknownRequestError where there is no answer.
    """
    for entry in spool.find(TARGET, key, is_dead=is_dead):
        if entry.body.get("pipeline") == pipeline.name:
            return None if entry.is_intent else _of_import(pipeline, entry.body)
    raise UnknownRequestError(key.partition("/")[0])


def _of_import(pipeline: Pipeline, body: Mapping[str, Any]) -> Mapping[str, Any]:
    if body["error"] is not None:
        return _failed(pipeline, body["task_id"], body["payload"], *body["error"])
    results = {stage["stage"]: stage["result"] for stage in body["stages"]}
    return _completed(pipeline, body["task_id"], body["payload"], results)


def stored_result(
    db: Database, pipeline: Pipeline, request: Request, task_id: str
) -> Mapping[str, Any] | None:
    """Return the body of a request that was asked for by this task_id; None while it is at work."""
    if request.status is Status.COMPLETED:
        results = {}
        for name in pipeline.stage_names:
            result = stage_result(db, request.task_id, name)
            if result is not None:
                results[name] = result
        return _completed(pipeline, task_id, request.order() or {}, results)
    if request.is_terminal:
        code = request.error_code or str(request.status)
        message = request.error_message or f"it is {request.status}"
        return _failed(pipeline, task_id, request.order() or {}, code, message)
    return None


def _failed(
    pipeline: Pipeline, task_id: str, payload: Mapping[str, Any], code: str, message: str
) -> Mapping[str, Any]:
    assert pipeline.stateless is not None  # noqa: S101 - only such pipelines come here
    return failed_body(task_id, code, pipeline.stateless.failure(payload, code, message))


def _completed(
    pipeline: Pipeline,
    task_id: str,
    payload: Mapping[str, Any],
    results: Mapping[str, Mapping[str, Any]],
) -> Mapping[str, Any]:
    assert pipeline.stateless is not None  # noqa: S101 - only such pipelines come here
    result = pipeline.stateless.result(pipeline.parse(payload), pipeline.products(results))
    return completed_body(task_id, result, is_kept=True)
