"""Pydantic's errors as one sentence that names the field and what was expected."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from resources.contract.errors import InvalidInputError

_SENTENCES: Mapping[str, str] = {
    "missing": "expected a value, got none",
    "string_type": "expected text",
    "string_unicode": "expected plain text, got half a character",
    "string_too_short": "expected at least {min_length} character",
    "string_too_long": "expected at most {max_length} characters",
    "int_type": "expected a whole number",
    "int_parsing": "expected a whole number",
    "int_from_float": "expected a whole number",
    "finite_number": "expected a whole number",
    "int_parsing_size": "expected a whole number of ordinary size",
    "float_type": "expected a number",
    "float_parsing": "expected a number",
    "greater_than": "expected more than {gt}",
    "greater_than_equal": "expected at least {ge}",
    "less_than": "expected less than {lt}",
    "less_than_equal": "expected at most {le}",
    "multiple_of": "expected a multiple of {multiple_of}",
    "bool_type": "expected true or false",
    "bool_parsing": "expected true or false",
    "literal_error": "expected {expected}",
    "enum": "expected {expected}",
    "date_type": "expected a date such as 2030-01-31",
    "date_parsing": "expected a date such as 2030-01-31",
    "date_from_datetime_parsing": "expected a date such as 2030-01-31",
    "datetime_type": "expected a timestamp such as 2030-01-31T09:00:00+09:00",
    "datetime_parsing": "expected a timestamp such as 2030-01-31T09:00:00+09:00",
    "datetime_from_date_parsing": "expected a timestamp such as 2030-01-31T09:00:00+09:00",
    "list_type": "expected a list",
    "dict_type": "expected a JSON object",
    "model_type": "expected a JSON object",
    "model_attributes_type": "expected a JSON object",
    "too_short": "expected at least {min_length} entries",
    "too_long": "expected at most {max_length} entries",
    "value_error": "{error}",
}


def first_input_error(error: ValidationError, fields: Sequence[str]) -> InvalidInputError:
    """The first error as a sentence, which does not repeat the customer's values."""
    first = error.errors(include_url=False, include_input=False)[0]
    location = _path(first["loc"]) or "the order"
    if first["type"] == "extra_forbidden":
        return InvalidInputError(
            ascii(_path(first["loc"]))[1:-1][:80] or "(a field without a name)",
            f"is not a field of the order; expected {', '.join(fields)}",
        )
    template = _SENTENCES.get(first["type"], "expected a value of another type")
    context: Mapping[str, Any] = first.get("ctx", {})
    return InvalidInputError(location, template.format(**context))


def _path(location: Sequence[int | str]) -> str:
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path
