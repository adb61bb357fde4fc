"""The timestamp type of all response bodies."""

from datetime import datetime
from typing import Annotated

from pydantic import PlainSerializer, WithJsonSchema

from resources.process.traceback_log import utc_text

Timestamp = Annotated[
    datetime,
    PlainSerializer(utc_text, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""UTC with milliseconds and `Z`."""
