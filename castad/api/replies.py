"""JSON responses, each rendered once by its Pydantic model."""

from collections.abc import Mapping

from pydantic import BaseModel
from starlette.responses import Response


def json_reply(
    body: BaseModel, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """The response of a body; FastAPI would validate and render a returned model twice more."""
    return Response(
        body.model_dump_json(), status, headers=dict(headers or {}), media_type="application/json"
    )
