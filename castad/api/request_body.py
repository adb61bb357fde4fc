"""Request bodies, read within limits of size and time."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

from fastapi import Request

from castad.api.problems import ApiError

BODY = "the body"
_BODY_SECONDS = 60.0


async def read_body(request: Request, max_bytes: int) -> bytes:
    """The body; raises ApiError `too_large` as soon as it exceeds `max_bytes`, `too_slow` after a minute."""
    collected = bytearray()
    async with body_deadline():
        await _collect(request, collected, max_bytes)
    return bytes(collected)


@asynccontextmanager
async def body_deadline() -> AsyncIterator[None]:
    """The block reads a body within a minute; raises ApiError `too_slow`."""
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            yield
    except TimeoutError:
        raise ApiError(
            HTTPStatus.REQUEST_TIMEOUT,
            "too_slow",
            f"{BODY}: expected all of it within {_BODY_SECONDS:g} s",
            field=BODY,
            headers={"Connection": "close"},
        ) from None


async def _collect(request: Request, collected: bytearray, max_bytes: int) -> None:
    async for chunk in limited_stream(request, max_bytes):
        collected += chunk


async def limited_stream(request: Request, max_bytes: int) -> AsyncGenerator[bytes, None]:
    """The pieces of the body; raises ApiError `too_large` as soon as it exceeds `max_bytes`."""
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > max_bytes:
            raise ApiError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                "too_large",
                f"{BODY}: expected at most {max_bytes / 1_000_000:g} MB",
                field=BODY,
                headers={"Connection": "close"},
            )
        yield chunk
