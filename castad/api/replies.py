"""Answers that are rendered once, by the models that OpenAPI describes them by."""

from collections.abc import Mapping

from pydantic import BaseModel
from starlette.responses import Response


def json_reply(
    body: BaseModel, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """The answer; FastAPI would check and render the same body twice more."""
    return Response(
        body.model_dump_json(), status, headers=dict(headers or {}), media_type="application/json"
    )
