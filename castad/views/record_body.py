"""The record that a pipeline keeps of an order, as JSON."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from castad.views.order_list import EXAMPLE_LINKS, Links, build_links
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
from resources.ledger.request import parse_json_object
from resources.ledger.schema.tables import Status
from resources.views.text import EXAMPLE_TIMESTAMP, LedgerText, Timestamp, example, readable

_OF_ALL = ("id", "request_id", "status", "started_at", "finished_at", "summary", "name_key")


class RecordBody(BaseModel):
    """A record. Further members are the pipeline's own columns, which are null until the record exists."""

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


def build_record_body(found: ProjectionView) -> RecordBody:
    """Build the body for a record. An operator's SQL may have stored values of any type."""
    columns = found.columns
    moments = {
        name: columns[name] if isinstance(columns[name], datetime) else None
        for name in ("started_at", "finished_at")
    }
    summary = columns["summary"]
    own = {name: readable(value) for name, value in columns.items() if name not in _OF_ALL}
    return RecordBody(
        id=found.task_id,
        status=found.status.value,
        stage=found.stage,
        error=found.error_code,
        summary=parse_json_object(summary) if isinstance(summary, str | bytes) else None,
        links=build_links(found.task_id),
        **moments,
        **own,
    )


def find_order_projection(
    db: Database, pipeline: Pipeline, projection: Projection, wanted: ProjectionFilter, task_id: str
) -> ProjectionView | None:
    """Find the projection of this order; return None if the key may not read it."""
    found = find_projection(db, wanted, task_id)
    return None if found is None else _complete_projection(db, pipeline, projection, wanted, found)


def find_named_projection(
    db: Database,
    pipeline: Pipeline,
    projection: Projection,
    wanted: ProjectionFilter,
    name_key: str,
    version: tuple[str, str] | None,
) -> ProjectionView | None:
    """Find the projection of the newest order that names this; of `version` (column, value) if given."""
    for order in list_orders_about(db, wanted, name_key):
        try:
            brief = pipeline.parse(parse_json_object(order.payload) or {})
            asked = projection.asked(brief) or {}
        except InvalidInputError:
            continue
        if asked.get("name_key") != name_key:
            continue
        made = _complete_projection(db, pipeline, projection, wanted, order)
        if version is None or made.columns[version[0]] == version[1]:
            return made
    return None


def _complete_projection(
    db: Database,
    pipeline: Pipeline,
    projection: Projection,
    wanted: ProjectionFilter,
    found: ProjectionView,
) -> ProjectionView:
    """Fill in what is known of a projection that has no row yet."""
    if found.is_kept:
        return found
    try:
        brief = pipeline.parse(parse_json_object(found.payload) or {})
        stored = {each: read_stage_result(db, found.task_id, each) for each in pipeline.stage_names}
        results = {name: result for name, result in stored.items() if result is not None}
        same = _find_same_projection(db, pipeline, wanted, brief, results)
        if same is not None and found.status is Status.COMPLETED:
            return same
        before = pipeline.stage_names[: pipeline.stage_names.index(projection.since)]
        is_begun = all(each in results for each in before)
        known = (
            projection.values(brief, pipeline.parse_products(results))
            if is_begun
            else projection.asked(brief)
        )
    except (InvalidInputError, ValueError):
        return found
    ended = {"finished_at": found.completed_at} if found.status is Status.COMPLETED else {}
    return replace(found, columns={**found.columns, **ended, **(known or {})})


def _find_same_projection(
    db: Database,
    pipeline: Pipeline,
    wanted: ProjectionFilter,
    brief: Any,
    results: Mapping[str, Mapping[str, Any]],
) -> ProjectionView | None:
    """Find the projection of the request that holds the order's key, if the reader may read it."""
    keys = (
        settle_key(pipeline, stage, brief, results[stage.name])
        for stage in pipeline.stages
        if stage.name in results
    )
    settled = next((key for key in keys if key is not None), None)
    holder = None if settled is None else find_key_holder_of(db, pipeline.name, settled.key)
    same = None if holder is None else find_projection(db, wanted, holder)
    return same if same is not None and same.is_kept else None
