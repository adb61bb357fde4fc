"""Query parameters that several routes share."""

from datetime import datetime
from typing import Any

from fastapi import Query
from starlette.datastructures import QueryParams

from castad.orders.order_fields import parse_timestamp_field
from pipeline_defs.capabilities import list_changeable_fields
from pipeline_defs.catalog import Catalog
from pipeline_defs.fields import BriefField
from resources.contract.errors import InvalidInputError
from resources.contract.written_text import normalize_to_nfc

_REDO_PARAMETERS = ("from", "dry_run", "generation")
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
    return None if given is None else normalize_to_nfc(given)


def redo_changes(pipelines: Catalog, pipeline: str, given: QueryParams) -> dict[str, Any]:
    """The fields among the parameters, as a redo of an order of this pipeline takes them.

    A field that only other pipelines may change is among them: the redo refuses it. Raises InvalidInputError, also
    for a parameter that would have no effect.
    """
    known = {
        field.name
        for each in pipelines
        for field in list_changeable_fields(each)
        if field.name in given
    }
    for name in given:
        if name not in known and name not in _REDO_PARAMETERS:
            raise InvalidInputError(ascii(name)[1:-1][:80], "is no parameter of a redo")
    found = pipelines.find_pipeline(pipeline)
    own = {field.name: field for field in (list_changeable_fields(found) if found else ())}
    return {
        name: _parsed(own[name], given) if name in own else given[name] for name in sorted(known)
    }


def _parsed(field: BriefField, given: QueryParams) -> Any:
    is_list = field.type.kind == "list"
    return field.parse(given.getlist(field.name) if is_list else given[field.name])
