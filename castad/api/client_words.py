"""What a client reads of an error of an order that is answered directly."""

from collections.abc import Mapping
from typing import Any

from pipeline_defs.capabilities import Stateless
from pipeline_defs.pipeline import Pipeline


def in_client_words(
    pipeline: Pipeline, payload: Mapping[str, Any], said: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return an event or a result with its error as the pipeline says it to clients; others as they are."""
    error = said.get("error")
    stateless = pipeline.find_extra(Stateless)
    if stateless is None or not error:
        return said
    message = stateless.failure(payload, error["code"], error["message"])
    return {**said, "error": {**error, "message": message}}
