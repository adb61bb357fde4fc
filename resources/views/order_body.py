"""The part of an order's status that its owner's webhooks have too, as JSON."""

from datetime import datetime
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, Field

from resources.ledger.queries.overview import ArtifactView, Overview
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.views.text import LedgerText, Timestamp


class ErrorBody(BaseModel):
    """An error as JSON: a stable code and a sentence."""

    code: LedgerText
    message: LedgerText | None


class ArtifactBody(BaseModel):
    """A finished file of an order as JSON."""

    name: LedgerText
    stage: LedgerText
    generation: int
    media_type: LedgerText
    bytes: int
    sha256: LedgerText
    url: str


class OwnerStatusBody(BaseModel):
    """The status of an order as its owner may see it, without runs, workers and internal addresses."""

    task_id: LedgerText
    pipeline: LedgerText
    status: Status
    overall_status: Status = Field(description="`status` under the name of the source's API")
    seq: int = Field(description="The number of its last event")
    stage: LedgerText | None = Field(description="The current stage")
    attempt: int = Field(
        description="How many times the order was launched, which is the number of its last attempt; it never "
        "goes back, and counts launches that only waited too"
    )
    retry_count: int = Field(description="Retries of the current stage")
    max_retries: int = Field(description="Retries that each stage may have")
    error: ErrorBody | None
    artifacts: list[ArtifactBody]
    result: Any = Field(description="The pipeline's result once the order is completed, else null")
    seconds: float = Field(description="Time from its creation until its end, or until now")
    cost_usd: float
    owner: LedgerText | None
    scheduled_at: Timestamp | None = Field(
        description="When it was to begin at the earliest, also once it has; null where it was not scheduled"
    )
    created_at: Timestamp
    updated_at: Timestamp
    completed_at: Timestamp | None


def build_status_fields(overview: Overview, result: Any) -> dict[str, Any]:
    """Collect the field values of `OwnerStatusBody` and the request's columns.

    `result` is the pipeline's result.
    """
    order = overview.request
    return {
        **build_order_fields(order, overview.at, overview.cost),
        "overall_status": order.status,
        "artifacts": [_build_artifact_body(order.task_id, view) for view in overview.artifacts],
        "result": result,
    }


def build_order_fields(order: Request, at: datetime, cost: int) -> dict[str, Any]:
    """Collect the request's columns and the fields that every view computes from them.

    `at` is now; `cost` is in micro-dollars.
    """
    return {
        **vars(order),
        "error": build_error_body(order.error_code, order.error_message),
        "seconds": round(measure_seconds(order, at), 3),
        "cost_usd": to_dollars(cost),
        "scheduled_at": order.scheduled_for,
    }


def build_error_body(code: str | None, message: str | None) -> ErrorBody | None:
    """Build the error's body; return None if there is no error code."""
    return None if code is None else ErrorBody(code=code, message=message)


def _build_artifact_body(task_id: str, view: ArtifactView) -> ArtifactBody:
    return ArtifactBody(**vars(view), url=build_artifact_url(task_id, view.name))


def build_status_url(task_id: str) -> str:
    """Build the URL path at which the API serves the order's status."""
    return f"/v1/pipeline/status/{quote(task_id, safe='')}"


def build_artifact_url(task_id: str, name: str) -> str:
    """Build the URL path at which the API serves the order's file of this name."""
    return f"/artifacts/{quote(task_id, safe='')}/{quote(name, safe='')}"


def measure_seconds(request: Request, at: datetime) -> float:
    """Compute the seconds from the request's creation until its end, or until `at` if it has not ended."""
    ended = request.updated_at if request.is_terminal else at
    return max(0.0, ((request.completed_at or ended) - request.created_at).total_seconds())


def to_dollars(micro_dollars: float) -> float:
    """Convert micro-dollars to US dollars, rounded to six decimals, for JSON."""
    return round(micro_dollars / 1_000_000, 6)
