"""The route by which a frame of an order's video becomes its cover."""

from functools import partial

from anyio import to_thread
from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, Field
from starlette.responses import Response

from castad.api.auth import OrderScopedKey, authorize, validated_task_id
from castad.api.problems import problem_responses
from castad.api.replies import json_reply
from castad.api.request_body import BODY, read_body
from castad.api.state import Api, ApiDep
from castad.orders.acts import choose_frame, moment
from castad.orders.order_fields import parse_json, require_object
from resources.contract.errors import InvalidInputError
from resources.ledger.queries.access import ApiKey
from resources.ledger.queries.status import get_request
from resources.views.order_body import build_artifact_url
from resources.views.text import example

_LARGEST_BODY = 10_000
_CONTENT = {
    "schema": {
        "type": "object",
        "properties": {
            "seconds": {
                "type": "number",
                "minimum": 0,
                "description": "The moment of the video, from its beginning",
            }
        },
        "required": ["seconds"],
        "additionalProperties": False,
    },
    "example": {"seconds": 3.2},
}

router = APIRouter(prefix="/pipeline", tags=["repair"])


class ChosenCover(BaseModel):
    """The cover that was chosen."""

    model_config = example(
        task_id="shop-1",
        seconds=3.2,
        cover="/artifacts/shop-1/cover-17.jpg",
        thumbnail="/artifacts/shop-1/thumbnail-17.jpg",
    )

    task_id: str
    seconds: float
    cover: str = Field(description="The path of the cover, in the size of the video")
    thumbnail: str = Field(description="The path of the same picture for lists")


@router.post(
    "/cover/{task_id}",
    response_model=ChosenCover,
    responses=problem_responses(401, 403, 404, 408, 409, 410, 413, 422, 429, 502, 503),
    openapi_extra={"requestBody": {"required": True, "content": {"application/json": _CONTENT}}},
    summary="Choose the cover of a video",
)
async def choose(task_id: str, request: Request, api: ApiDep, key: OrderScopedKey) -> Response:
    """The frame at this moment is the cover from now on; the former ones are kept. Nothing is bought again.

    An order that is not completed (409, `not_completed`) or has no video (409, `no_video`) is refused, and the
    101st choice of one order (409, `many_covers`).
    """
    await run_in_threadpool(_authorize, api, key, task_id)
    seconds = _seconds(await read_body(request, _LARGEST_BODY))
    choice = partial(choose_frame, api.db, api.store, task_id, seconds, key.name)
    thumbnail, cover = await to_thread.run_sync(choice, limiter=api.frame_threads)
    body = ChosenCover(
        task_id=task_id,
        seconds=seconds,
        cover=build_artifact_url(task_id, cover.name),
        thumbnail=build_artifact_url(task_id, thumbnail.name),
    )
    return json_reply(body)


def _authorize(api: Api, key: ApiKey, task_id: str) -> None:
    authorize(key, get_request(api.db, validated_task_id(task_id)))


def _seconds(text: bytes) -> float:
    fields = require_object(parse_json(text, BODY), BODY)
    for name in fields:
        if name != "seconds":
            raise InvalidInputError(name[:64], "is not known here; expected `seconds` alone")
    return moment(fields.get("seconds"))
