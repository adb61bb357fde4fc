"""The record of a request as JSON."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from castad.readmodels.status_body import EXAMPLE_LINKS, Links, list_links_of
from pipeline_defs.capabilities import Projection, settle_key
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database
from resources.ledger.queries.projections import (
    ProjectionFilter,
    ProjectionView,
    find_key_holder_of,
    find_projection,
    list_orders_about,
)
from resources.ledger.queries.status import read_stage_result
from resources.ledger.request import order_in
from resources.ledger.schema.tables import Status
from resources.views.text import EXAMPLE_TIMESTAMP, LedgerText, Timestamp, example, readable

_OF_ALL = ("id", "request_id", "status", "started_at", "finished_at", "summary", "name_key")


class RecordBody(BaseModel):
    """A record. Further members are the pipeline's own columns; they are null before there is a record."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra=example(
            id="shop-1",
            status="completed",
            stage="record",
            error=None,
            started_at=EXAMPLE_TIMESTAMP,
            finished_at=EXAMPLE_TIMESTAMP,
            summary={},
            links=EXAMPLE_LINKS,
        )["json_schema_extra"],
    )

    id: str = Field(description="The `task_id` of the order that made it")
    status: Literal["pending", "processing", "failed", "completed", "dead", "canceled"]
    stage: LedgerText | None
    error: LedgerText | None = Field(description="The code of the order's last error")
    started_at: Timestamp | None
    finished_at: Timestamp | None
    summary: dict[str, Any] | None = Field(description="What was found, in a few figures")
    links: Links


class RecordsPage(BaseModel):
    """A page of records, the newest first."""

    model_config = example(records=[], next=None)

    records: list[RecordBody]
    next: str | None = Field(description="The `cursor` of the next page; null on the last one")


def record_body(found: ProjectionView) -> RecordBody:
    """The body for a record."""
    columns = found.columns
    own = {name: readable(value) for name, value in columns.items() if name not in _OF_ALL}
    return RecordBody(
        id=found.task_id,
        status=found.status.value,
        stage=found.stage,
        error=found.error_code,
        started_at=_moment(columns["started_at"]),
        finished_at=_moment(columns["finished_at"]),
        summary=_summary(columns["summary"]),
        links=list_links_of(found.task_id),
        **own,
    )


def _moment(value: Any) -> datetime | None:
    return value if isinstance(value, datetime) else None


def _summary(stored: Any) -> Mapping[str, Any] | None:
    """What was stored where it is a JSON object; an operator's SQL may have stored anything."""
    try:
        summary = json.loads(stored)
    except (TypeError, ValueError, RecursionError):
        return None
    return summary if isinstance(summary, dict) else None


def projection_of_order(
    db: Database, pipeline: Pipeline, projection: Projection, wanted: ProjectionFilter, task_id: str
) -> ProjectionView | None:
    """Return the projection of this order; None where the key may not read it."""
    found = find_projection(db, wanted, task_id)
    return None if found is None else _completed(db, pipeline, projection, wanted, found)


def projection_by_order(
    db: Database,
    pipeline: Pipeline,
    projection: Projection,
    wanted: ProjectionFilter,
    name_key: str,
    version: tuple[str, str] | None,
) -> ProjectionView | None:
    """Return the projection of the newest order that names this; of `version` (column, value) if given."""
    for order in list_orders_about(db, wanted, name_key):
        asked = _asked(pipeline, projection, order) or {}
        if asked.get("name_key") != name_key:
            continue
        made = _completed(db, pipeline, projection, wanted, order)
        if version is None or made.columns[version[0]] == version[1]:
            return made
    return None


def _completed(
    db: Database,
    pipeline: Pipeline,
    projection: Projection,
    wanted: ProjectionFilter,
    found: ProjectionView,
) -> ProjectionView:
    """The projection with what is known without a row of its own."""
    if found.is_kept:
        return found
    try:
        brief = pipeline.parse(order_in(found.payload) or {})
        stored = {each: read_stage_result(db, found.task_id, each) for each in pipeline.stage_names}
        results = {name: result for name, result in stored.items() if result is not None}
        same = _projection_of_same(db, pipeline, wanted, brief, results)
        if same is not None and found.status is Status.COMPLETED:
            return same
        is_begun = all(each in results for each in _before(pipeline, projection))
        known = (
            projection.values(brief, pipeline.parse_products(results))
            if is_begun
            else projection.asked(brief)
        )
    except (InvalidInputError, ValueError):
        return found
    ended = {"finished_at": found.completed_at} if found.status is Status.COMPLETED else {}
    return replace(found, columns={**found.columns, **ended, **(known or {})})


def _projection_of_same(
    db: Database,
    pipeline: Pipeline,
    wanted: ProjectionFilter,
    brief: Any,
    results: Mapping[str, Mapping[str, Any]],
) -> ProjectionView | None:
    """The projection of the request that holds the order's key, where the reader may read it."""
    keys = (
        settle_key(pipeline, stage, brief, results[stage.name])
        for stage in pipeline.stages
        if stage.name in results
    )
    settled = next((key for key in keys if key is not None), None)
    holder = None if settled is None else find_key_holder_of(db, pipeline.name, settled.key)
    same = None if holder is None else find_projection(db, wanted, holder)
    return same if same is not None and same.is_kept else None


def _before(pipeline: Pipeline, projection: Projection) -> tuple[str, ...]:
    return pipeline.stage_names[: pipeline.stage_names.index(projection.since)]


def _asked(
    pipeline: Pipeline, projection: Projection, order: ProjectionView
) -> Mapping[str, Any] | None:
    try:
        return projection.asked(pipeline.parse(order_in(order.payload) or {}))
    except InvalidInputError:
        return None
