"""Live streams of one order's events, or of all orders', as Server-Sent Events.

https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import re
from collections.abc import AsyncIterator
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, Header
from fastapi.concurrency import run_in_threadpool
from sse_starlette import EventSourceResponse
from starlette.responses import Response

from castad.api.auth import AdminScopedKey, ReadScopedKey, readable_order
from castad.api.many_orders_stream import many_frames
from castad.api.order_stream import end_id, order_frames
from castad.api.problems import problem_responses
from castad.api.state import Api, ApiDep
from castad.api.stream_session import StreamSession
from resources.contract.errors import InvalidInputError
from resources.ledger.queries.access import ApiKey
from resources.ledger.queries.feed import LONGEST_CURSOR, Cursor, find_newest_event_id
from resources.ledger.request import Request as Order

_SEND_SECONDS = 20.0
"""A client that accepts no data for so long is disconnected."""
_STOP_SECONDS = 3.0
_EVENT_ID = re.compile(r"[0-9]{1,9}(\.end)?")
STREAM: dict[int | str, dict[str, Any]] = {
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


def respond_with(
    frames: AsyncIterator[bytes], stopping: anyio.Event, stop_seconds: float = _STOP_SECONDS
) -> Response:
    """Return the response that streams these frames; `stopping` is set when the process ends.

    The frames have `stop_seconds` to end then.
    """
    return EventSourceResponse(
        frames,
        ping=0,
        send_timeout=_SEND_SECONDS,
        shutdown_event=stopping,
        shutdown_grace_period=stop_seconds,
    )


def _respond(frames: AsyncIterator[bytes], session: StreamSession) -> Response:
    return respond_with(frames, session.stopping)


@router.get(
    "/pipeline/events/{task_id}",
    response_class=EventSourceResponse,
    responses={
        **STREAM,
        204: {"description": "The order has ended, and `Last-Event-ID` is that of its `end`"},
        **problem_responses(401, 403, 404, 422, 429, 503),
    },
    summary="Follow an order",
)
async def follow(
    task_id: str, api: ApiDep, key: ReadScopedKey, last_event_id: LastEventId = None
) -> Response:
    """The stream is one `snapshot` (the status), then every event once in the order of seq (its `id`), then `end`.

    Between them, at most twice a second, `progress` has the percent, the provider's note and the seconds that are
    expected of the running stage. `end` has the error of an order that is dead and the result of a completed one.
    With `Last-Event-ID` the stream continues after that event, without a snapshot. After each second without
    events a comment is sent.
    """
    order = await run_in_threadpool(readable_order, api, key, task_id)
    if order.is_terminal and last_event_id == end_id(order.seq):
        return Response(status_code=204)
    after = _seq_of(last_event_id, order)
    session = StreamSession(api, key)
    return _respond(order_frames(session, order, after), session)


def _seq_of(given: str | None, order: Order) -> int:
    if not given:
        return 0
    seq = int(given.split(".")[0]) if _EVENT_ID.fullmatch(given) else None
    if seq is None or seq > order.seq:
        raise InvalidInputError(
            "Last-Event-ID", f"expected the id of an event of this order, up to {order.seq}"
        )
    return seq


@router.get(
    "/pipeline/events",
    response_class=EventSourceResponse,
    responses={**STREAM, **problem_responses(401, 403, 422, 429, 503)},
    summary="Follow one's own orders",
)
async def follow_own(
    api: ApiDep, key: ReadScopedKey, last_event_id: LastEventId = None
) -> Response:
    """As `/admin/events`; with a key that is not an admin's, of the orders of its owner only."""
    return await _follow(api, key, last_event_id, owner=None if key.is_admin else key.owner)


@router.get(
    "/admin/events",
    response_class=EventSourceResponse,
    responses={**STREAM, **problem_responses(401, 403, 422, 429, 503)},
    summary="Follow all orders",
)
async def follow_all(
    api: ApiDep, key: AdminScopedKey, last_event_id: LastEventId = None
) -> Response:
    """The stream is `begun`, then every event of every order once; events of one order come in the order of seq.

    Each `id` encodes which events were sent; with `Last-Event-ID` the stream sends exactly the others. Between
    events, at most twice a second, `progress` comes for each order whose progress has changed.
    """
    return await _follow(api, key, last_event_id)


@router.get(
    "/admin/stream",
    response_class=EventSourceResponse,
    responses={**STREAM, **problem_responses(401, 403, 422, 429, 503)},
    summary="Watch all orders",
)
async def watch_all(
    api: ApiDep, key: AdminScopedKey, last_event_id: LastEventId = None
) -> Response:
    """As `/admin/events`, and after the events, at most five times a second, `orders` with the changed orders.

    Each is as the list has it, with the `seq` of the event after which it is so. Of the events that a reconnect
    makes up for there are none: who reconnects reads again what it shows.
    """
    return await _follow(api, key, last_event_id, with_orders=True)


async def _follow(
    api: Api,
    key: ApiKey,
    last_event_id: str | None,
    *,
    owner: str | None = None,
    with_orders: bool = False,
) -> Response:
    cursor = await run_in_threadpool(_cursor_of, api, last_event_id)
    session = StreamSession(api, key)
    frames = many_frames(session, cursor, owner=owner, with_orders=with_orders)
    return _respond(frames, session)


def _cursor_of(api: Api, given: str | None) -> Cursor | None:
    newest = find_newest_event_id(api.db)
    if not given:
        return None
    cursor = Cursor.read(given) if len(given) <= LONGEST_CURSOR else None
    if cursor is None or cursor.top > newest:
        raise InvalidInputError("Last-Event-ID", "expected the id of an event of this stream")
    return cursor
