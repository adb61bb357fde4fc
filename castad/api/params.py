"""Query parameters that several routes share."""

from datetime import datetime
from typing import Any

from fastapi import Query

from castad.orders.order_fields import parse_timestamp_field
from resources.contract.errors import InvalidInputError

_EXAMPLE = "2030-01-31T09:00:00+09:00"


def timestamp_query(description: str) -> Any:
    """A query parameter in ISO 8601 with a time zone; `parse_timestamp` parses it."""
    return Query(
        description=f"{description} (ISO 8601 with its time zone)",
        json_schema_extra={"format": "date-time"},
        examples=[_EXAMPLE],
    )


def parse_timestamp(field: str, given: str | None) -> datetime | None:
    """The given timestamp in UTC, or None where none is given; raises InvalidInputError."""
    return None if given is None else parse_timestamp_field(field, given)


def require_plain_text(field: str, given: str | None) -> str | None:
    """The text, which is printable; raises InvalidInputError."""
    if given is not None and not given.isprintable():
        raise InvalidInputError(field, "expected printable text")
    return given
