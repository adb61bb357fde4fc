"""The OpenAPI description as text, the same for `GET /openapi.json` and `castad api --openapi`."""

import json

from fastapi import FastAPI


def openapi_text(app: FastAPI) -> str:
    """The application's description as JSON text, made at the first call."""
    if not hasattr(app.state, "openapi_text"):
        app.state.openapi_text = json.dumps(app.openapi(), ensure_ascii=False, indent=2)
    return str(app.state.openapi_text)
