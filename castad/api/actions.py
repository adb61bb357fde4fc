"""Actions on orders: retry, redo, cancel, and the retry of many."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi import Request as HttpRequest
from starlette.responses import Response

from castad.api.auth import OrderScopedKey, authorize, validated_task_id
from castad.api.bodies import OrderPrice, OrderState, RetriedOrders
from castad.api.order_schema import changeable_parameters
from castad.api.orders import DryRun, price_body
from castad.api.params import parse_timestamp, redo_changes, require_plain_text, timestamp_query
from castad.api.problems import problem_responses
from castad.api.replies import json_reply
from castad.api.state import Api, ApiDep
from castad.orders.redo import redo_from, redo_prices
from pipeline_defs.catalog import catalog
from resources.ledger.db.database import Database
from resources.ledger.errors import DuplicateOrderError, IllegalMoveError, UnknownRequestError
from resources.ledger.moves.orders import cancel, retry
from resources.ledger.queries.api_keys import ApiKey
from resources.ledger.queries.listing import RequestFilter, oldest_task_ids
from resources.ledger.queries.reads import clock, get_request
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status

_MAX_PER_CALL = 500
_PROBLEMS = problem_responses(401, 403, 404, 409, 422, 429, 503)

router = APIRouter(prefix="/pipeline", tags=["repair"])


def _apply_action(
    api: Api, key: ApiKey, task_id: str, move: Callable[[Database, str], Request]
) -> Response:
    authorize(key, get_request(api.db, validated_task_id(task_id)))
    return json_reply(OrderState.of(move(api.db, task_id)))


@router.post(
    "/retry/{task_id}", response_model=OrderState, responses=_PROBLEMS, summary="Retry an order"
)
def retry_one(task_id: str, api: ApiDep, key: OrderScopedKey) -> Response:
    """A failed, dead or canceled order is pending again with its retry count at 0; completed stages are kept.

    An order that has not failed cannot be retried (404, `nothing_to_retry`).
    """
    return _apply_action(api, key, task_id, retry)


@router.post(
    "/cancel/{task_id}", response_model=OrderState, responses=_PROBLEMS, summary="Cancel an order"
)
def cancel_one(task_id: str, api: ApiDep, key: OrderScopedKey) -> Response:
    """The order is canceled, or its running attempt is asked to stop. A second call changes nothing."""
    return _apply_action(api, key, task_id, cancel)


@router.post(
    "/redo/{task_id}",
    response_model=OrderState | OrderPrice,
    responses=_PROBLEMS,
    openapi_extra={"parameters": changeable_parameters(catalog())},
    summary="Make a stage and those after it again",
)
def redo_one(
    task_id: str,
    api: ApiDep,
    key: OrderScopedKey,
    call: HttpRequest,
    stage: Annotated[
        str, Query(alias="from", description="The first stage that is made again", max_length=64)
    ],
    dry_run: DryRun = False,
) -> Response:
    """The vendors are paid again; the files made before are kept beside the new ones."""
    request = authorize(key, get_request(api.db, validated_task_id(task_id)))
    changes = redo_changes(catalog(), request.pipeline, call.query_params)
    if dry_run:
        return json_reply(price_body(redo_prices(api.db, task_id, stage, changes, api.settings)))
    return json_reply(OrderState.of(redo_from(api.db, task_id, stage, changes, api.settings)))


@router.post(
    "/retry",
    response_model=RetriedOrders,
    responses=problem_responses(401, 403, 422, 429, 503),
    summary="Retry many orders",
)
def retry_many(
    api: ApiDep,
    key: OrderScopedKey,
    status: Annotated[
        Literal["failed", "dead", "canceled"], Query(description="Only orders of this status")
    ],
    code: Annotated[
        str | None, Query(max_length=64, description="Only orders with this error code")
    ] = None,
    stage: Annotated[
        str | None, Query(max_length=64, description="Only orders at this stage")
    ] = None,
    before: Annotated[
        str | None,
        timestamp_query("Only orders that ended before this timestamp; now where left out"),
    ] = None,
) -> Response:
    """The oldest orders are retried first, up to 500 per call.

    Only orders that ended before `before` are retried. A client that repeats the `before` of the response may
    repeat the call any number of times without retrying an order twice.
    """
    until = parse_timestamp("before", before) or clock(api.db)
    wanted = RequestFilter(
        owner=None if key.is_admin else key.owner,
        status=Status(status),
        stage=require_plain_text("stage", stage),
        code=require_plain_text("code", code),
        before=until,
    )
    names = oldest_task_ids(api.db, wanted, _MAX_PER_CALL + 1)
    retried = [name for name in names[:_MAX_PER_CALL] if _retry_if_unchanged(api.db, name, until)]
    body = RetriedOrders(
        retried=len(retried),
        task_ids=retried,
        skipped=min(len(names), _MAX_PER_CALL) - len(retried),
        before=until,
        more=len(names) > _MAX_PER_CALL,
    )
    return json_reply(body)


def _retry_if_unchanged(db: Database, task_id: str, until: datetime) -> bool:
    """Whether it was retried; False where another caller has moved it or ordered it anew since then."""
    try:
        retry(db, task_id, until)
    except (IllegalMoveError, DuplicateOrderError, UnknownRequestError):
        return False
    return True
