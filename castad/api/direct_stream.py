"""The stream of an order that the API answers itself."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import anyio
from starlette.responses import Response

from castad.api.client_words import in_client_words
from castad.api.state import Api
from castad.api.stream_session import KEEP_ALIVE_SECONDS
from castad.api.streams import respond_with
from castad.direct.ledger_import import KEEP_ALIVE, DirectJob, format_frame
from pipeline_defs.pipeline import Pipeline
from resources.ledger.queries.access import ApiKey, SessionKey

_LAST_EVENT_SECONDS = 5.0


def stream_of(
    api: Api, pipeline: Pipeline, key: ApiKey, job: DirectJob, after: int, *, with_ids: bool
) -> Response:
    """The job's events after the first so many; with ids a client may go on after the last one that it got."""
    # Its job ends before the process does, and with it the stream.
    seconds = api.settings.stop_grace + _LAST_EVENT_SECONDS
    return respond_with(_frames(api, pipeline, key, job, after, with_ids), anyio.Event(), seconds)


async def _frames(
    api: Api, pipeline: Pipeline, key: ApiKey, job: DirectJob, sent: int, with_ids: bool
) -> AsyncIterator[bytes]:
    """The events after the first so many, as they happen. A listener costs no thread and asks no database."""
    changed, loop = asyncio.Event(), asyncio.get_running_loop()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop is closed: the process is ending
            loop.call_soon_threadsafe(changed.set)

    stop_listening = job.listen(wake)
    try:
        while await _is_valid(api, key):
            changed.clear()
            new = job.events[sent:]
            if new:
                worded = (in_client_words(pipeline, job.payload, each) for each in new)
                numbered = enumerate(worded, sent + 1)
                yield b"".join(
                    format_frame(each, number if with_ids else None) for number, each in numbered
                )
                sent += len(new)
            if job.has_ended and sent >= len(job.events):
                return
            try:
                async with asyncio.timeout(KEEP_ALIVE_SECONDS):
                    await changed.wait()
            except TimeoutError:
                yield KEEP_ALIVE
    finally:
        stop_listening()


async def _is_valid(api: Api, key: ApiKey) -> bool:
    """From memory for a key; of a session the ledger is asked now and then."""
    if isinstance(key, SessionKey):
        return await api.key_cache.is_valid(key)
    return api.known_keys.is_valid(key)
