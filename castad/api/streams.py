"""Live streams of one order's events, or of all orders', as Server-Sent Events.

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

from castad.api.auth import AdminScopedKey, ReadScopedKey, authorize, validated_task_id
from castad.api.broadcaster import Subscription
from castad.api.problems import problem_responses
from castad.api.state import Api, ApiDep
from castad.readmodels.event_line import (
    EventLine,
    render_event,
    render_events,
    sse_frame,
    sse_frame_at,
)
from castad.readmodels.snapshot import read_snapshot
from castad.readmodels.status_body import status_body
from resources.contract.errors import InvalidInputError
from resources.ledger.queries.api_keys import ApiKey
from resources.ledger.queries.feed import Cursor, Feed, feed_from_now
from resources.ledger.queries.reads import events_after, get_request
from resources.ledger.request import Request as Order

_KEEP_ALIVE_SECONDS = 1.0
_SEND_SECONDS = 20.0
"""A client that accepts no data for so long is disconnected."""
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
    Header(description="The id of the last event received; the stream continues after it"),
]

router = APIRouter(tags=["live"])


class StreamSession:
    """A stream's reasons to end: a slow client, a revoked key, the process' shutdown."""

    def __init__(self, api: Api, key: ApiKey) -> None:
        self.api = api
        self._key = key
        self.stopping = anyio.Event()

    async def should_continue(self, subscription: Subscription) -> bool:
        """Whether none of them has come true; called before every wait."""
        if subscription.is_dropped or self.stopping.is_set():
            return False
        return await self.api.key_cache.is_valid(self._key)


def _respond(frames: AsyncIterator[bytes], session: StreamSession) -> Response:
    return EventSourceResponse(
        frames,
        ping=0,
        send_timeout=_SEND_SECONDS,
        shutdown_event=session.stopping,
        shutdown_grace_period=_STOP_SECONDS,
    )


@router.get(
    "/pipeline/events/{task_id}",
    response_class=EventSourceResponse,
    responses={
        **_STREAM,
        204: {"description": "The order has ended, and `Last-Event-ID` is its last event"},
        **problem_responses(401, 403, 404, 422, 429, 503),
    },
    summary="Follow an order",
)
async def follow(
    task_id: str, api: ApiDep, key: ReadScopedKey, last_event_id: LastEventId = None
) -> Response:
    """The stream is one `snapshot` (the status), then every event once in the order of seq (its `id`), then `end`.

    With `Last-Event-ID` it continues after that event, without a snapshot. After each second without events a
    comment is sent.
    """
    order = authorize(key, await run_in_threadpool(get_request, api.db, validated_task_id(task_id)))
    after = _seq_of(last_event_id, order)
    if order.is_terminal and after == order.seq:
        return Response(status_code=204)
    session = StreamSession(api, key)
    return _respond(_order_frames(session, order, after), session)


def _seq_of(given: str | None, order: Order) -> int:
    if not given:
        return 0
    is_number = given.isascii() and given.isdecimal() and len(given) < 10
    if not is_number or int(given) > order.seq:
        raise InvalidInputError(
            "Last-Event-ID", f"expected the id of an event of this order, up to {order.seq}"
        )
    return int(given)


async def _order_frames(session: StreamSession, order: Order, after: int) -> AsyncIterator[bytes]:
    api = session.api
    async with api.broadcaster.subscribe(lambda line: line.request_id == order.id) as subscription:
        if not after:
            snapshot = await run_in_threadpool(read_snapshot, api.db, order.task_id, api.store.root)
            body = status_body(snapshot, api.settings.ui_url).model_dump_json()
            yield sse_frame(body, event="snapshot")
        stream = _OrderStream(session, order, after, subscription)
        async for chunk in stream.chunks():
            yield chunk


class _OrderStream:
    """One stream of one order, and the seq of the last event that it sent."""

    def __init__(
        self, session: StreamSession, order: Order, after: int, subscription: Subscription
    ) -> None:
        self._session = session
        self._order = order
        self._seq = after
        self._subscription = subscription
        self._end: str | None = None

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self._render(await self._read_ledger())
        idle_seconds = 0
        while self._end is None and await self._session.should_continue(self._subscription):
            batch = await self._subscription.next_batch(_KEEP_ALIVE_SECONDS)
            idle_seconds = 0 if batch.lines else idle_seconds + 1
            new = [line for line in batch.lines if line.seq > self._seq]
            if idle_seconds == self._session.api.idle_seconds_before_recheck or self._has_gap(new):
                new, idle_seconds = await self._read_ledger_if_up(), 0
            yield self._render(new) or _KEEP_ALIVE
        if self._end is not None:
            yield sse_frame(self._end, event="end")

    def _has_gap(self, new: list[EventLine]) -> bool:
        return bool(new) and new[0].seq != self._seq + 1

    def _render(self, lines: list[EventLine]) -> bytes:
        """The frames of these events; a final one ends the stream."""
        if lines:
            self._seq, self._end = lines[-1].seq, lines[-1].end
        return b"".join(line.order_frame for line in lines)

    async def _read_ledger_if_up(self) -> list[EventLine]:
        """As `_read_ledger`; no events while the ledger does not answer."""
        with suppress(SQLAlchemyError):
            return await self._read_ledger()
        return []

    async def _read_ledger(self) -> list[EventLine]:
        """The order's events in the ledger that were not sent yet; a deleted order ends the stream."""
        api = self._session.api
        events, is_there = await run_in_threadpool(events_after, api.db, self._order.id, self._seq)
        if not is_there:
            body = {"task_id": self._order.task_id, "status": "deleted", "error": None}
            self._end = json.dumps(body)
        return [render_event(event, Cursor(event.id)) for event in events]


@router.get(
    "/admin/events",
    response_class=EventSourceResponse,
    responses={**_STREAM, **problem_responses(401, 403, 422, 429, 503)},
    summary="Follow all orders",
)
async def follow_all(
    api: ApiDep, key: AdminScopedKey, last_event_id: LastEventId = None
) -> Response:
    """The stream is `begun`, then every event of every order once; events of one order come in the order of seq.

    Each `id` encodes which events were sent; with `Last-Event-ID` the stream sends exactly the others.
    """
    cursor = await run_in_threadpool(_cursor_of, api, last_event_id)
    session = StreamSession(api, key)
    return _respond(_all_chunks(session, cursor), session)


def _cursor_of(api: Api, given: str | None) -> Cursor:
    now = feed_from_now(api.db).cursor
    if not given:
        return now
    cursor = Cursor.read(given) if len(given) <= _LONGEST_ID else None
    if cursor is None or cursor.top > now.top:
        raise InvalidInputError("Last-Event-ID", "expected the id of an event of this stream")
    return cursor


async def _all_chunks(session: StreamSession, cursor: Cursor) -> AsyncIterator[bytes]:
    async with session.api.broadcaster.subscribe(lambda line: True) as subscription:
        yield sse_frame("{}", event="begun", event_id=str(cursor) if cursor.fits_header else None)
        past, ahead = Feed(session.api.db, cursor), set[int]()
        while found := await run_in_threadpool(past.new_events):
            lines = render_events(found, cursor)
            cursor = lines[-1].cursor
            ahead.update(line.id for line in lines if line.id not in subscription.start_cursor)
            yield b"".join(line.all_frame for line in lines)
        while await session.should_continue(subscription):
            batch = await subscription.next_batch(_KEEP_ALIVE_SECONDS)
            body = []
            for line in batch.lines:
                if line.id in ahead:
                    ahead.discard(line.id)
                    continue
                # Once no event was sent ahead of others, all streams share the same rendered bytes.
                cursor = cursor.past([line.id]) if ahead else line.cursor
                body.append(sse_frame_at(line, cursor) if ahead else line.all_frame)
            yield b"".join(body) or _KEEP_ALIVE
