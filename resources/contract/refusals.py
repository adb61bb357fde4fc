"""Pydantic's errors in castad's words: one sentence about what was expected, for orders and settings alike."""

from collections.abc import Mapping
from typing import Any

_SENTENCES: Mapping[str, str] = {
    "missing": "expected a value, got none",
    "string_type": "expected text",
    "string_unicode": "expected plain text, got half a character",
    "string_too_short": "expected at least {min_length} character",
    "string_too_long": "expected at most {max_length} characters",
    "int_type": "expected a whole number",
    "int_parsing": "expected a whole number",
    "int_from_float": "expected a whole number",
    "finite_number": "expected a finite number",
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


def expected_of(error: Mapping[str, Any]) -> str:
    """What the value was expected to be; it does not repeat the value."""
    template = _SENTENCES.get(error["type"], "expected a value of another type")
    context: Mapping[str, Any] = error.get("ctx", {})
    return template.format(**{name: _plain(value) for name, value in context.items()})


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value
