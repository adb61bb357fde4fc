"""What clients send, read within limits."""

import asyncio
import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import Request

from castad.api.problems import ApiError
from resources.contract.errors import InvalidInputError

BODY = "the body"
_BODY_SECONDS = 60.0
_JSON_EXPECTED = "expected JSON text in UTF-8"


class TooLargeError(ApiError):
    """More was sent than is read."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "too_large"


class TooSlowError(ApiError):
    """It takes too long to come."""

    status = HTTPStatus.REQUEST_TIMEOUT
    code = "too_slow"


async def read_body(request: Request, max_bytes: int) -> bytes:
    """The body; raises TooLargeError as soon as it is longer than it may be, and TooSlowError."""
    collected = bytearray()
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            await _collect(request, collected, max_bytes)
    except TimeoutError:
        raise TooSlowError(
            f"{BODY}: expected all of it within {_BODY_SECONDS:g} s",
            field=BODY,
            headers={"Connection": "close"},
        ) from None
    return bytes(collected)


async def _collect(request: Request, collected: bytearray, max_bytes: int) -> None:
    async for chunk in request.stream():
        collected += chunk
        if len(collected) > max_bytes:
            raise TooLargeError(
                f"{BODY}: expected at most {max_bytes / 1_000_000:g} MB",
                field=BODY,
                headers={"Connection": "close"},
            )


def parse_json(body: bytes) -> Any:
    """What a JSON text says; raises InvalidInputError for what other readers would read otherwise."""
    try:
        return json.loads(
            body.decode("utf-8-sig"),
            parse_constant=_refuse_constant,
            object_pairs_hook=_refuse_duplicate_members,
        )
    except (ValueError, RecursionError):
        raise InvalidInputError(BODY, _JSON_EXPECTED) from None


def _refuse_constant(name: str) -> Any:
    raise InvalidInputError(BODY, f"expected JSON, which knows no {name}")


def _refuse_duplicate_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise InvalidInputError(BODY, "expected every member of an object once")
    return members


def require_object(content: Any) -> Mapping[str, Any]:
    """The members of a JSON object; raises InvalidInputError where it is something else."""
    if not isinstance(content, dict):
        raise InvalidInputError(BODY, "expected a JSON object")
    return content
