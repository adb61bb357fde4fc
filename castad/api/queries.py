"""Routes that read orders: the status of one, the list, the history of one."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from castad.api.auth import (
    ReadScopedKey,
    authorize_reading,
    readable_order,
    status_for,
    validated_task_id,
)
from castad.api.params import parse_timestamp, require_plain_text, timestamp_query
from castad.api.problems import problem_responses
from castad.api.replies import json_reply
from castad.api.state import Api, ApiDep
from castad.readmodels.history import read_history
from castad.readmodels.history_body import History, history_body
from castad.readmodels.order_list import LONGEST_PAGE, LONGEST_RAW, Page, read_page, search_words
from castad.readmodels.snapshot import read_snapshot
from castad.readmodels.status_body import StatusBody
from resources.ledger.queries.access import ApiKey
from resources.ledger.queries.listing import RequestFilter
from resources.ledger.schema.tables import Status

router = APIRouter(prefix="/pipeline", tags=["look"])


@router.get(
    "/status/{task_id}",
    response_model=StatusBody,
    responses=problem_responses(401, 403, 404, 422, 429, 503),
    summary="Read an order's status",
)
def status(task_id: str, api: ApiDep, key: ReadScopedKey) -> Response:
    """The order's stages, attempts, cost and files, all as of one moment."""
    return json_reply(read_status(api, key, validated_task_id(task_id)))


def read_status(api: Api, key: ApiKey, task_id: str) -> StatusBody:
    """The order's status; raises UnknownRequestError where the key may not read it."""
    snapshot = read_snapshot(api.db, task_id, api.store.root)
    authorize_reading(api, key, snapshot.request)
    return status_for(key, snapshot, api.settings.ui_url)


@router.get(
    "",
    response_model=Page,
    responses=problem_responses(401, 403, 422, 429, 503),
    summary="List orders",
)
def orders(
    api: ApiDep,
    key: ReadScopedKey,
    q: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=LONGEST_RAW,
            description="Only orders with all these words in their fields, the words of their products or the "
            "task_id, whatever the case",
        ),
    ] = None,
    pipeline: Annotated[
        str | None, Query(max_length=64, description="Only orders of this pipeline")
    ] = None,
    status: Annotated[Status | None, Query(description="Only orders of this status")] = None,
    stage: Annotated[
        str | None, Query(max_length=64, description="Only orders at this stage")
    ] = None,
    code: Annotated[
        str | None, Query(max_length=64, description="Only orders with this error code")
    ] = None,
    source: Annotated[
        str | None,
        Query(max_length=32, description="Only orders that came this way: api, cli, sql …"),
    ] = None,
    owner: Annotated[
        str | None,
        Query(max_length=128, description="Only orders of this owner; ignored unless admin"),
    ] = None,
    created_from: Annotated[
        str | None, timestamp_query("Only orders created at this timestamp or later")
    ] = None,
    created_until: Annotated[
        str | None, timestamp_query("Only orders created before this timestamp")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=LONGEST_PAGE, description="Orders per page")] = 50,
    cursor: Annotated[
        str | None, Query(pattern="^[0-9]{1,18}$", description="`next` of the previous page")
    ] = None,
) -> Response:
    """A page of orders, the newest first. Every page costs the same, however far back it is.

    A call with `q` searches a limited number of orders: its page may be short or empty and still have a `next`.
    """
    wanted = RequestFilter(
        owner=require_plain_text("owner", owner) if key.is_admin else key.owner,
        pipeline=require_plain_text("pipeline", pipeline),
        status=status,
        stage=require_plain_text("stage", stage),
        code=require_plain_text("code", code),
        source=require_plain_text("source", source),
        created_from=parse_timestamp("created_from", created_from),
        created_until=parse_timestamp("created_until", created_until),
    )
    words = () if q is None else search_words(q)
    after = None if cursor is None else int(cursor)
    return json_reply(read_page(api.db, wanted, words=words, after=after, limit=limit))


@router.get(
    "/history/{task_id}",
    response_model=History,
    responses=problem_responses(401, 403, 404, 422, 429, 503),
    summary="Read an order's history",
)
def history(task_id: str, api: ApiDep, key: ReadScopedKey) -> Response:
    """Everything that happened to the order, from the Dagster event log: events, runs, steps, retries, assets."""
    readable_order(api, key, task_id)
    request_history = read_history(api.dagster(), api.db, task_id)
    return json_reply(history_body(task_id, request_history, api.settings.ui_url))
