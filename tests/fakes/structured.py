"""Answers by a schema and pictures in a request, checked as OpenAI's API does (docs/vendors/openai.md)."""

import base64
import binascii
import io
import json
import re
from collections.abc import Iterator
from typing import Any

from PIL import Image

Wrong = tuple[str, str | None, str | None]
"""What the API says of a request: its message, the parameter and the code."""

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_DATA = re.compile(r"data:image/(?:jpeg|png|webp|gif);base64,(.*)", re.DOTALL)
_SIZES = {"gpt-4o-mini": (2_833, 5_667)}
_USUAL_SIZE = (85, 170)


def wrong_with_format(body: dict[str, Any]) -> Wrong | None:
    """What is wrong with `response_format`, None where nothing is."""
    asked = body.get("response_format")
    if asked is None or asked == {"type": "text"}:
        return None
    kind = asked.get("type") if isinstance(asked, dict) else None
    if kind == "json_object":
        if "json" in " ".join(text_of(each.get("content")) for each in body["messages"]).lower():
            return None
        return "'messages' must contain the word 'json' in some form.", "messages", None
    if kind != "json_schema":
        return f"Invalid value: {kind!r}.", "response_format.type", "invalid_value"
    strict = asked.get("json_schema")
    if not isinstance(strict, dict) or not _NAME.fullmatch(str(strict.get("name", ""))):
        return "Invalid 'response_format.json_schema.name'.", "response_format", "invalid_value"
    problem = _wrong_with_schema(strict.get("schema"), ()) if strict.get("strict") else None
    if problem is None:
        return None
    return (
        f"Invalid schema for response_format {strict['name']!r}: {problem}",
        "response_format",
        None,
    )


def wrong_with_pictures(body: dict[str, Any]) -> Wrong | None:
    """What is wrong with the first bad picture of the messages, None where nothing is."""
    for picture in _pictures(body):
        if picture.get("detail", "auto") not in ("auto", "low", "high"):
            return f"Invalid value: {picture['detail']!r}.", "messages", "invalid_value"
        match = _DATA.fullmatch(str(picture.get("url")))
        if match is None:
            return "Failed to download image from the URL.", None, "invalid_image_url"
        try:
            Image.open(io.BytesIO(base64.b64decode(match[1], validate=True))).load()
        except binascii.Error:
            return "Invalid base64 image_url.", None, "invalid_base64_image"
        except OSError:
            said = "You uploaded an unsupported image. Please make sure your image is valid."
            return said, None, "invalid_image_format"
    return None


def asked_schema(body: dict[str, Any]) -> Any:
    """The schema that the answer has to fit; None where a text is asked for."""
    asked = body.get("response_format") or {"type": "text"}
    if asked["type"] == "json_schema":
        return asked["json_schema"]["schema"]
    if asked["type"] == "json_object":
        return json.loads(text_of(body["messages"][0]["content"]).splitlines()[-1])
    return None


def fitting(schema: Any, words: str) -> Any:
    """A value that fits: the first of an enumeration, lists of one item, and these words as every text."""
    kind = schema["type"][0] if isinstance(schema["type"], list) else schema["type"]
    if "enum" in schema:
        return schema["enum"][0]
    if kind == "object":
        return {name: fitting(member, words) for name, member in schema["properties"].items()}
    if kind == "array":
        return [fitting(schema["items"], words)]
    return words if kind == "string" else None


def tokens_beside_texts(body: dict[str, Any]) -> int:
    """What the schema and the pictures are counted as."""
    base, tile = _SIZES.get(body["model"], _USUAL_SIZE)
    pictures = [
        base if each.get("detail") == "low" else base + 4 * tile for each in _pictures(body)
    ]
    return sum(pictures) + len(json.dumps(body.get("response_format"))) // 4


def text_of(content: Any) -> str:
    """The text of a message's content, which may have parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")


def _pictures(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for message in body["messages"]:
        for part in message["content"] if isinstance(message.get("content"), list) else ():
            if isinstance(part, dict) and part.get("type") == "image_url":
                yield part["image_url"]


def _wrong_with_schema(schema: Any, context: tuple[str, ...]) -> str | None:
    """What the strict mode refuses in the schema or below."""
    if not isinstance(schema, dict) or "type" not in schema:
        return f"In context={context!r}, schema must have a 'type' key."
    if schema["type"] != "object":
        if not context:
            return "schema must be a JSON Schema of 'type: \"object\"'."
        items = schema.get("items")
        return _wrong_with_schema(items, (*context, "items")) if schema["type"] == "array" else None
    if schema.get("additionalProperties") is not False:
        return f"In context={context!r}, 'additionalProperties' is required to be supplied and to be false."
    members = schema.get("properties", {})
    if sorted(schema.get("required", ())) != sorted(members):
        return f"In context={context!r}, 'required' is required to be an array including every key in properties."
    below = (
        _wrong_with_schema(each, (*context, "properties", name)) for name, each in members.items()
    )
    return next(filter(None, below), None)
