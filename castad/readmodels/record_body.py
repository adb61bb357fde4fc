"""The record of a request as JSON: its pipeline's own columns, and the request's status while it lives."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from castad.readmodels.status_body import EXAMPLE_LINKS, Links, list_links_of
from resources.ledger.queries.projections import ProjectionView
from resources.views.json_types import EXAMPLE_TIMESTAMP, LedgerText, Timestamp, example, readable

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
