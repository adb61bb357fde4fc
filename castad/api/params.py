"""Parameters of queries that several routes take."""

from datetime import datetime
from typing import Any

from fastapi import Query

from castad.orders.order_fields import parse_timestamp_field
from resources.contract.errors import InvalidInputError

_EXAMPLE = "2030-01-31T09:00:00+09:00"


def timestamp_query(description: str) -> Any:
    """A moment by ISO 8601 with its time zone; `moment` reads it."""
    return Query(
        description=f"{description} (ISO 8601 with its time zone)",
        json_schema_extra={"format": "date-time"},
        examples=[_EXAMPLE],
    )


def parse_timestamp(field: str, given: str | None) -> datetime | None:
    """The moment that was given, if any; raises InvalidInputError."""
    return None if given is None else parse_timestamp_field(field, given)


def require_plain_text(field: str, given: str | None) -> str | None:
    """Text that a database can be asked for; raises InvalidInputError."""
    if given is not None and not given.isprintable():
        raise InvalidInputError(field, "expected plain text")
    return given
