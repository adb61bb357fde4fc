"""JSON from outside: no text that parsers disagree about."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from resources.contract.errors import InvalidInputError

_JSON_EXPECTED = "expected JSON text in UTF-8"


def parse_json(text: bytes, field: str) -> Any:
    """The value of a JSON text; raises InvalidInputError, also where parsers disagree about it."""
    try:
        return json.loads(
            text.decode("utf-8-sig"),
            parse_constant=partial(_refuse_constant, field),
            object_pairs_hook=partial(_refuse_duplicate_members, field),
        )
    except (ValueError, RecursionError):
        raise InvalidInputError(field, _JSON_EXPECTED) from None


def _refuse_constant(field: str, name: str) -> Any:
    raise InvalidInputError(field, f"expected JSON, in which {name} is not valid")


def _refuse_duplicate_members(field: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise InvalidInputError(field, "expected each member of an object only once")
    return members


def require_object(content: Any, field: str) -> Mapping[str, Any]:
    """The JSON object; raises InvalidInputError for any other value."""
    if not isinstance(content, dict):
        raise InvalidInputError(field, "expected a JSON object")
    return content
