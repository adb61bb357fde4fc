"""The route that deletes an order."""

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.responses import Response

from castad.api.auth import OrderScopedKey, authorize, validated_task_id
from castad.api.problems import problem_responses
from castad.api.replies import json_reply
from castad.api.state import Api, ApiDep
from castad.orders.delete import delete_order
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.access import ApiKey
from resources.ledger.queries.retention import find_owner_of_deleted
from resources.ledger.queries.status import get_request
from resources.views.text import example

router = APIRouter(prefix="/pipeline", tags=["repair"])


class DeletedOrder(BaseModel):
    """The order is gone."""

    model_config = example(task_id="shop-1", deleted=True)

    task_id: str
    deleted: Literal[True] = True


@router.delete(
    "/{task_id}",
    response_model=DeletedOrder,
    responses=problem_responses(401, 403, 404, 409, 422, 429, 503),
    summary="Delete an ended order",
)
def delete_one(task_id: str, api: ApiDep, key: OrderScopedKey) -> Response:
    """The order, its files, pictures and history are gone for ever; only its owner or an admin may delete it.

    What it cost stays in the sums, and that it was deleted in the ledger. An order that has not ended is refused
    (409, `not_ended`), and so is one whose submission may still be charged (409, `in_doubt`).
    """
    _authorize(api, key, validated_task_id(task_id))
    delete_order(api.db, api.store, api.dagster(), task_id, key.name)
    api.direct.forget(task_id)
    return json_reply(DeletedOrder(task_id=task_id))


def _authorize(api: Api, key: ApiKey, task_id: str) -> None:
    """Raises UnknownRequestError for another owner's order, also where its deletion was cut off."""
    try:
        authorize(key, get_request(api.db, task_id))
    except UnknownRequestError:
        if not key.is_admin and find_owner_of_deleted(api.db, task_id) != key.owner:
            raise
