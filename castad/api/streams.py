"""Live: an order's events, or everybody's, as Server-Sent Events.

https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header
from fastapi.concurrency import run_in_threadpool
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from castad.api.access import Admin, Reader, named, owned
from castad.api.hub import Subscription
from castad.api.problems import problem_responses
from castad.api.standing import fault_of, status_body
from castad.api.state import Api, ApiOf
from castad.event_line import EventLine, line_of
from castad.snapshot import look
from resources.errors import InvalidInputError
from resources.ledger.feed import Cursor, Feed, feed_from_now
from resources.ledger.reads import events_after, get_request, get_request_by_id
from resources.ledger.request import Request as Order

_SILENCE_SECONDS = 1.0
_SEND_SECONDS = 20.0
"""Who takes nothing for so long is cut off."""
_LONGEST_ID = 20_000
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


class _Frame(ServerSentEvent):
    """With lines as shells read them."""

    DEFAULT_SEPARATOR = "\n"


_KEEP_ALIVE = _Frame(comment="")


def _respond(frames: AsyncIterator[_Frame]) -> Response:
    return EventSourceResponse(frames, ping=0, send_timeout=_SEND_SECONDS)


def _frame(line: EventLine, event_id: str) -> _Frame:
    return _Frame(line.text, id=event_id)


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
    return _respond(_order_frames(api, order, after))


def _seq_of(given: str | None, order: Order) -> int:
    if not given:
        return 0
    is_number = given.isascii() and given.isdecimal() and len(given) < 10
    if not is_number or int(given) > order.seq:
        raise InvalidInputError(
            "Last-Event-ID", f"expected the id of an event of this order, up to {order.seq}"
        )
    return int(given)


async def _order_frames(api: Api, order: Order, after: int) -> AsyncIterator[_Frame]:
    def is_of_order(line: EventLine) -> bool:
        return line.request_id == order.id

    async with api.hub.subscribed(is_of_order) as subscription:
        if not after:
            snapshot = await run_in_threadpool(look, api.db, order.task_id, api.store.root)
            told = status_body(snapshot, api.settings.ui_url).model_dump_json()
            yield _Frame(told, event="snapshot")
        stream = _OrderStream(api, order, after, subscription)
        async for frame in stream.frames():
            yield frame


class _OrderStream:
    """Where one stream of one order has come to."""

    def __init__(self, api: Api, order: Order, after: int, subscription: Subscription) -> None:
        self._api = api
        self._order = order
        self._seq = after
        self._subscription = subscription
        self._has_ended = False

    async def frames(self) -> AsyncIterator[_Frame]:
        async for frame in self._from_ledger():
            yield frame
        silences = 0
        while not self._has_ended and not self._subscription.is_cut:
            heard = await self._subscription.next_heard(_SILENCE_SECONDS)
            silences = 0 if heard.lines else silences + 1
            new = [line for line in heard.lines if line.seq > self._seq]
            if silences == self._api.silences_until_look or (new and new[0].seq != self._seq + 1):
                silences = 0
                async for frame in self._from_ledger():
                    yield frame
            for line in new:
                if line.seq > self._seq:
                    yield self._next(line)
            if silences:
                yield _KEEP_ALIVE
        if self._has_ended:
            yield await run_in_threadpool(self._end)

    def _next(self, line: EventLine) -> _Frame:
        self._seq, self._has_ended = line.seq, line.ends
        return _frame(line, str(line.seq))

    async def _from_ledger(self) -> AsyncIterator[_Frame]:
        """What is on record beyond what was told."""
        events, is_there = await run_in_threadpool(
            events_after, self._api.db, self._order.id, self._seq
        )
        for event in events:
            yield self._next(line_of(event))
        self._has_ended = self._has_ended or not is_there

    def _end(self) -> _Frame:
        now = get_request_by_id(self._api.db, self._order.id)
        status = "deleted" if now is None else str(now.status)
        fault = None if now is None else fault_of(now.error_code, now.error_message)
        told = {
            "task_id": self._order.task_id,
            "status": status,
            "error": fault and fault.model_dump(),
        }
        return _Frame(json.dumps(told, ensure_ascii=False), event="end")


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
    return _respond(_all_frames(api, cursor))


def _cursor_of(api: Api, given: str | None) -> Cursor:
    now = feed_from_now(api.db).cursor
    if not given:
        return now
    cursor = Cursor.read(given) if len(given) <= _LONGEST_ID else None
    if cursor is None or cursor.top > now.top:
        raise InvalidInputError("Last-Event-ID", "expected the id of an event of this stream")
    return cursor


async def _all_frames(api: Api, cursor: Cursor) -> AsyncIterator[_Frame]:
    async with api.hub.subscribed(lambda line: True) as subscription:
        yield _Frame("{}", event="begun", id=str(cursor))
        past = Feed(api.db, cursor)
        while events := await run_in_threadpool(past.news):
            for event in events:
                cursor = cursor.past([event.id])
                yield _frame(line_of(event), str(cursor))
        while not subscription.is_cut:
            heard = await subscription.next_heard(_SILENCE_SECONDS)
            for line in heard.lines:
                if line.id not in cursor:
                    cursor = cursor.past([line.id])
                    yield _frame(line, str(cursor))
            cursor = cursor.from_low(heard.settled)
            if not heard.lines:
                yield _KEEP_ALIVE
