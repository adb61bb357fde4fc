"""The JSON object in a model's text, as a strict schema has it and fit to be stored. Pure.

A schema is of objects, arrays, strings, null and enumerations of these.
"""

import json
from collections.abc import Mapping
from typing import Any

from resources.contract.protocol import Json
from resources.http.vendor_client import redact, redact_tokens
from resources.providers.openai.written_lyric import visible_lines

LONGEST_TEXT = 2_000
MOST_ITEMS = 20

Schema = Mapping[str, Any]


class MisfitError(ValueError):
    """The text holds no JSON object, or one that does not fit; the message says where."""


def read_object(text: str, schema: Schema, key: str) -> Mapping[str, Json]:
    """The object in the text, which may stand in code fences or between sentences.

    Its texts are visible, without the key, and cut to LONGEST_TEXT; its lists are cut to MOST_ITEMS; members that
    the schema does not name are left out. Raises MisfitError.
    """
    try:
        found = json.loads(text[max(text.find("{"), 0) : text.rfind("}") + 1])
    except (ValueError, RecursionError):
        raise MisfitError("the answer holds no JSON object") from None
    fitted = _fitted(found, schema, key, "")
    if not isinstance(fitted, dict):
        raise MisfitError("the answer holds no JSON object")
    return fitted


def _fitted(value: Json, schema: Schema, key: str, where: str) -> Json:
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if isinstance(value, dict) and "object" in kinds:
        return _fitted_members(value, schema, key, where)
    if isinstance(value, list) and "array" in kinds:
        return [
            _fitted(item, schema["items"], key, f"{where}[{index}]")
            for index, item in enumerate(value[:MOST_ITEMS])
        ]
    fitted = _storable(value, key) if isinstance(value, str) else value
    is_kind = "string" in kinds if isinstance(fitted, str) else fitted is None and "null" in kinds
    if not is_kind:
        raise MisfitError(f"{where or 'the answer'} is not of type {' or '.join(kinds)}")
    if fitted not in schema.get("enum", [fitted]):
        raise MisfitError(f"{where} is none of the values that it may have")
    return fitted


def _fitted_members(
    value: Mapping[str, Json], schema: Schema, key: str, where: str
) -> Mapping[str, Json]:
    inside = f"{where}." if where else ""
    for name in schema.get("required", ()):
        if name not in value:
            raise MisfitError(f"{inside}{name} is missing")
    return {
        name: _fitted(value[name], member, key, f"{inside}{name}")
        for name, member in schema["properties"].items()
        if name in value
    }


def _storable(text: str, key: str) -> str:
    """The text without what cannot be seen, then without the key: that may have stood between its characters."""
    visible = "\n".join(visible_lines(text)).strip()
    return redact_tokens(redact(visible, key, "…"), "…")[:LONGEST_TEXT].rstrip()
