"""Moments as every answer tells them."""

from datetime import datetime
from typing import Annotated

from pydantic import PlainSerializer, WithJsonSchema

from resources.process.traces import utc_text

Moment = Annotated[
    datetime,
    PlainSerializer(utc_text, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""UTC with milliseconds and `Z`."""
