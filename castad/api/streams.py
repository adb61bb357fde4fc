"""Live: an order's events, or everybody's, as Server-Sent Events.

https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, Header
from fastapi.concurrency import run_in_threadpool
from sqlalchemy.exc import SQLAlchemyError
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from castad.api.access import Admin, Reader, named, owned
from castad.api.hub import Subscription
from castad.api.problems import problem_responses
from castad.api.standing import status_body
from castad.api.state import Api, ApiOf
from castad.readmodels.event_line import EventLine, frame, frame_at, line_of, lines_of
from castad.readmodels.snapshot import look
from resources.contract.errors import InvalidInputError
from resources.ledger.queries.api_keys import ApiKey
from resources.ledger.queries.feed import Cursor, Feed, feed_from_now
from resources.ledger.queries.reads import events_after, get_request
from resources.ledger.request import Request as Order

_SILENCE_SECONDS = 1.0
_SEND_SECONDS = 20.0
"""Who takes nothing for so long is cut off."""
_STOP_SECONDS = 3.0
_LONGEST_ID = 4000
_KEEP_ALIVE = ServerSentEvent(comment="", sep="\n").encode()
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A stream of events",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}
LastEventId = Annotated[
    str | None,
    Header(description="The id of the last event that was seen: the stream goes on after it"),
]

router = APIRouter(tags=["live"])


class Following:
    """Whether a stream goes on: its reader keeps up, its key is good, and this process is not told to stop."""

    def __init__(self, api: Api, key: ApiKey) -> None:
        self.api = api
        self._key = key
        self.stopping = anyio.Event()

    async def goes_on(self, subscription: Subscription) -> bool:
        """Ask before every wait."""
        if subscription.is_cut or self.stopping.is_set():
            return False
        return await self.api.keyring.holds(self._key)


def _respond(frames: AsyncIterator[bytes], following: Following) -> Response:
    return EventSourceResponse(
        frames,
        ping=0,
        send_timeout=_SEND_SECONDS,
        shutdown_event=following.stopping,
        shutdown_grace_period=_STOP_SECONDS,
    )


@router.get(
    "/pipeline/events/{task_id}",
    response_class=EventSourceResponse,
    responses={
        **_STREAM,
        204: {"description": "It has ended, and `Last-Event-ID` is its last event"},
        **problem_responses(401, 403, 404, 422, 429, 503),
    },
    summary="Follow an order",
)
async def follow(
    task_id: str, api: ApiOf, key: Reader, last_event_id: LastEventId = None
) -> Response:
    """`snapshot` (how it stands), then every event once in order of seq (its `id`), then `end`.

    With `Last-Event-ID` it goes on after that event, without a snapshot. A comment is sent in every second
    of silence.
    """
    order = owned(key, await run_in_threadpool(get_request, api.db, named(task_id)))
    after = _seq_of(last_event_id, order)
    if order.is_terminal and after == order.seq:
        return Response(status_code=204)
    following = Following(api, key)
    return _respond(_order_frames(following, order, after), following)


def _seq_of(given: str | None, order: Order) -> int:
    if not given:
        return 0
    is_number = given.isascii() and given.isdecimal() and len(given) < 10
    if not is_number or int(given) > order.seq:
        raise InvalidInputError(
            "Last-Event-ID", f"expected the id of an event of this order, up to {order.seq}"
        )
    return int(given)


async def _order_frames(following: Following, order: Order, after: int) -> AsyncIterator[bytes]:
    api = following.api
    async with api.hub.subscribed(lambda line: line.request_id == order.id) as subscription:
        if not after:
            snapshot = await run_in_threadpool(look, api.db, order.task_id, api.store.root)
            told = status_body(snapshot, api.settings.ui_url).model_dump_json()
            yield frame(told, event="snapshot")
        stream = _OrderStream(following, order, after, subscription)
        async for chunk in stream.chunks():
            yield chunk


class _OrderStream:
    """Where one stream of one order has come to."""

    def __init__(
        self, following: Following, order: Order, after: int, subscription: Subscription
    ) -> None:
        self._following = following
        self._order = order
        self._seq = after
        self._subscription = subscription
        self._end: str | None = None

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self._told(await self._on_record())
        silences = 0
        while self._end is None and await self._following.goes_on(self._subscription):
            heard = await self._subscription.next_heard(_SILENCE_SECONDS)
            silences = 0 if heard.lines else silences + 1
            new = [line for line in heard.lines if line.seq > self._seq]
            if silences == self._following.api.silences_until_look or self._misses(new):
                new, silences = await self._looked_up(), 0
            yield self._told(new) or _KEEP_ALIVE
        if self._end is not None:
            yield frame(self._end, event="end")

    def _misses(self, new: list[EventLine]) -> bool:
        return bool(new) and new[0].seq != self._seq + 1

    def _told(self, lines: list[EventLine]) -> bytes:
        """The frames of these events; the last one decides whether more is to come."""
        if lines:
            self._seq, self._end = lines[-1].seq, lines[-1].end
        return b"".join(line.order_frame for line in lines)

    async def _looked_up(self) -> list[EventLine]:
        """As `_on_record`; a ledger that does not answer is asked again later."""
        with suppress(SQLAlchemyError):
            return await self._on_record()
        return []

    async def _on_record(self) -> list[EventLine]:
        """What is on record beyond what was told; an order that is gone has ended."""
        api = self._following.api
        events, is_there = await run_in_threadpool(events_after, api.db, self._order.id, self._seq)
        if not is_there:
            told = {"task_id": self._order.task_id, "status": "deleted", "error": None}
            self._end = json.dumps(told)
        return [line_of(event, Cursor(event.id)) for event in events]


@router.get(
    "/admin/events",
    response_class=EventSourceResponse,
    responses={**_STREAM, **problem_responses(401, 403, 422, 429, 503)},
    summary="Follow all orders",
)
async def follow_all(api: ApiOf, key: Admin, last_event_id: LastEventId = None) -> Response:
    """`begun`, then every event of every order once, those of one order in order of their seq.

    Each `id` says which events have been sent; with `Last-Event-ID` the others follow, and no other.
    """
    cursor = await run_in_threadpool(_cursor_of, api, last_event_id)
    following = Following(api, key)
    return _respond(_all_chunks(following, cursor), following)


def _cursor_of(api: Api, given: str | None) -> Cursor:
    now = feed_from_now(api.db).cursor
    if not given:
        return now
    cursor = Cursor.read(given) if len(given) <= _LONGEST_ID else None
    if cursor is None or cursor.top > now.top:
        raise InvalidInputError("Last-Event-ID", "expected the id of an event of this stream")
    return cursor


async def _all_chunks(following: Following, cursor: Cursor) -> AsyncIterator[bytes]:
    async with following.api.hub.subscribed(lambda line: True) as subscription:
        yield frame("{}", event="begun", event_id=str(cursor) if cursor.is_short else None)
        past, ahead = Feed(following.api.db, cursor), set[int]()
        while found := await run_in_threadpool(past.news):
            lines = lines_of(found, cursor)
            cursor = lines[-1].cursor
            ahead.update(line.id for line in lines if line.id not in subscription.begun)
            yield b"".join(line.all_frame for line in lines)
        while await following.goes_on(subscription):
            heard = await subscription.next_heard(_SILENCE_SECONDS)
            told = []
            for line in heard.lines:
                if line.id in ahead:
                    ahead.discard(line.id)
                    continue
                # Once nothing is ahead of the others, all who follow are sent the very same bytes.
                cursor = cursor.past([line.id]) if ahead else line.cursor
                told.append(frame_at(line, cursor) if ahead else line.all_frame)
            yield b"".join(told) or _KEEP_ALIVE
