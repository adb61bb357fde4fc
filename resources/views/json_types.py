"""Types of JSON bodies: text out of the ledger, timestamps, and examples for their descriptions."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, PlainSerializer, WithJsonSchema

from resources.process.configure_logging import format_utc

EXAMPLE_TIMESTAMP = "2026-01-02T03:04:05.678Z"


def readable(value: Any) -> Any:
    """Convert a stored value to text that UTF-8 can encode; None stays None.

    An operator's SQL may have stored a value of any type.
    """
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    return value if value is None else str(value)


LedgerText = Annotated[str, BeforeValidator(readable)]
"""Text of the ledger."""

Timestamp = Annotated[
    datetime,
    PlainSerializer(format_utc, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""UTC with milliseconds and `Z`."""


def example(**members: Any) -> ConfigDict:
    """Make the pydantic config that puts an object with these members into a model's schema as its example."""
    return ConfigDict(json_schema_extra={"examples": [members]})
