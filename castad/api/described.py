"""The API's description without a server."""

from castad.api.app import described_app
from castad.api.openapi_text import openapi_text
from pipeline_defs.catalog import get_catalog


def described_openapi() -> str:
    """The OpenAPI description as JSON text; nothing is opened."""
    return openapi_text(described_app(get_catalog()))
