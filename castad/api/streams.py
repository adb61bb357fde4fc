"""Live streams of one order's events, or of many orders', as Server-Sent Events.

https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Annotated, Any

import anyio
from anyio import to_thread
from fastapi import APIRouter, Header
from fastapi.concurrency import run_in_threadpool
from sqlalchemy.exc import SQLAlchemyError
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from castad.api.auth import AdminScopedKey, ReadScopedKey, build_visible_status, find_readable_order
from castad.api.broadcaster import Subscription
from castad.api.problems import describe_problems
from castad.api.state import Api, ApiDep
from castad.views.events import (
    EVENT,
    EventLine,
    LiveProgress,
    build_frame_at,
    build_sse_frame,
    build_sse_json_frame,
    render_event,
)
from castad.views.order_list import Page
from castad.views.snapshot import read_snapshot
from castad.views.status_body import StatusBody
from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.access import ApiKey
from resources.ledger.queries.feed import (
    LONGEST_CURSOR,
    Cursor,
    PastEvents,
    find_cursor_from_now,
    find_newest_event_id,
)
from resources.ledger.queries.status import EventView, list_events_after
from resources.ledger.request import Request
from resources.ledger.request import Request as Order
from resources.ledger.schema.tables import Status
from resources.views.order_body import build_error_body
from resources.views.text import EXAMPLE_TIMESTAMP, get_example

KEEP_ALIVE_SECONDS = 1.0
KEEP_ALIVE = ServerSentEvent(comment="", sep="\n").encode()


class StreamSession:
    """A stream's reasons to end: a slow client, a revoked key, the process' shutdown."""

    def __init__(self, api: Api, key: ApiKey) -> None:
        self.api = api
        self.key = key
        self.stopping = anyio.Event()

    async def should_continue(self, subscription: Subscription) -> bool:
        """Return whether the stream may continue; called before every wait."""
        return not subscription.is_dropped and await self.may_read()

    async def may_read(self) -> bool:
        """Return whether neither the key nor the process has ended."""
        return not self.stopping.is_set() and await self.api.key_cache.is_valid(self.key)


def format_end_id(seq: int) -> str:
    """Format the id of the `end` of a stream whose last event has this seq."""
    return f"{seq}.end"


async def stream_order(session: StreamSession, order: Request, after: int) -> AsyncIterator[bytes]:
    """Stream this order after the event `after`; begin with a snapshot if that is 0."""
    api = session.api
    async with api.broadcaster.subscribe(order.id) as subscription:
        if not after:
            snapshot = await run_in_threadpool(read_snapshot, api.db, order.task_id, api.store.root)
            body = build_visible_status(
                session.key, snapshot, api.settings.ui_url
            ).model_dump_json()
            yield build_sse_frame(body, event="snapshot")
        stream = _OrderStream(session, order, after, subscription)
        async for chunk in stream.render_chunks():
            yield chunk


class _OrderStream:
    """One stream of one order, and the seq of the last event that it sent."""

    def __init__(
        self, session: StreamSession, order: Request, after: int, subscription: Subscription
    ) -> None:
        self._session = session
        self._order = order
        self._seq = after
        self._subscription = subscription
        self._idle_seconds = 0
        self._is_final = order.is_terminal
        self._has_ended = False

    async def render_chunks(self) -> AsyncIterator[bytes]:
        yield self._render(await self._read_ledger())
        while not self._has_ended and await self._session.should_continue(self._subscription):
            frames = await (
                self._read_last_frames() if self._is_final else self._read_next_frames()
            )
            yield frames or KEEP_ALIVE

    async def _read_next_frames(self) -> bytes:
        """Render the next events and the progress after them; nothing after a second without any."""
        batch = await self._subscription.wait_for_batch(KEEP_ALIVE_SECONDS)
        is_idle = not batch.lines and not batch.progress
        self._idle_seconds = self._idle_seconds + 1 if is_idle else 0
        new = [line for line in batch.lines if line.seq > self._seq]
        is_recheck = self._idle_seconds == self._session.api.idle_seconds_before_recheck
        if is_recheck or (new and new[0].seq != self._seq + 1):
            new, self._idle_seconds = [], 0
            with suppress(SQLAlchemyError):
                new = await self._read_ledger()
        frames = self._render(new)
        if not self._is_final:
            frames += b"".join(progress.frame for progress in batch.progress)
        return frames

    async def _read_last_frames(self) -> bytes:
        """Render `end`, or later events if the order continued; nothing while the ledger is away."""
        try:
            end = await run_in_threadpool(self._read_end)
            new = await self._read_ledger()
        except SQLAlchemyError:
            await anyio.sleep(KEEP_ALIVE_SECONDS)
            return b""
        if new or end is None:
            self._is_final = False
            return self._render(new)
        self._has_ended = True
        return build_sse_json_frame(end, event="end", event_id=format_end_id(self._seq))

    def _read_end(self) -> Mapping[str, Any] | None:
        """Read what `end` says of the order as it is; None if it has not ended."""
        api, task_id = self._session.api, self._order.task_id
        end: dict[str, Any] = {
            "task_id": task_id,
            "status": "deleted",
            "error": None,
            "result": None,
        }
        try:
            snapshot = read_snapshot(api.db, task_id, api.store.root)
        except UnknownRequestError:
            return end
        order = snapshot.request
        if order.id != self._order.id:  # deleted, and another has its name
            return end
        if not order.is_terminal:
            return None
        end["status"] = order.status
        error = build_error_body(order.error_code, order.error_message)
        if order.status in (Status.DEAD, Status.CANCELED) and error is not None:
            end["error"] = error.model_dump()
        if order.status == Status.COMPLETED:
            end["result"] = snapshot.result
        return end

    def _render(self, lines: list[EventLine]) -> bytes:
        """Render these events; after a final one the stream may end."""
        if lines:
            self._seq, self._is_final = lines[-1].seq, lines[-1].is_final
        return b"".join(line.order_frame for line in lines)

    async def _read_ledger(self) -> list[EventLine]:
        """Read the order's events that were not sent yet; a deleted order ends the stream."""
        api = self._session.api
        events, is_there = await run_in_threadpool(
            list_events_after, api.db, self._order.id, self._seq
        )
        self._is_final = self._is_final or not is_there
        return [render_event(event, Cursor(event.id)) for event in events]


async def stream_many_orders(
    session: StreamSession, given: Cursor | None, *, owner: str | None, with_orders: bool
) -> AsyncIterator[bytes]:
    """Stream the events after the cursor, or from now on; with `owner` only of that owner's orders."""
    api = session.api
    async with api.broadcaster.subscribe(owner=owner, wants_orders=with_orders) as subscription:
        cursor = given
        if cursor is None:
            known = subscription.start_cursor
            cursor = await to_thread.run_sync(find_cursor_from_now, api.db, known)
        yield build_sse_frame(
            "{}", event="begun", event_id=str(cursor) if cursor.fits_header else None
        )
        past = PastEvents(api.db, cursor, subscription.start_cursor, owner)
        while not past.is_over:
            if not await session.may_read():
                return
            yield await to_thread.run_sync(_render_past_frames, past, limiter=api.catch_up_threads)
        stream = _ManyOrdersStream(cursor, subscription.start_cursor)
        while await session.should_continue(subscription):
            batch = await subscription.wait_for_batch(KEEP_ALIVE_SECONDS)
            if subscription.is_dropped:  # its cursor is after events that are not among its lines
                return
            frames = [*stream.render_frames(batch.lines), *(each.frame for each in batch.progress)]
            yield b"".join((*frames, *batch.orders)) or stream.render_keep_alive(batch.cursor)


def _render_past_frames(past: PastEvents) -> bytes:
    lines = (
        render_event(event, past.find_cursor_at(event.id)) for event in past.list_next_events()
    )
    return b"".join(line.all_frame for line in lines) or KEEP_ALIVE


class _ManyOrdersStream:
    """How far one stream has come, after it has sent all that was before its subscription."""

    def __init__(self, given: Cursor, subscribed_at: Cursor) -> None:
        self._cursor = given
        # Another process may have been ahead of this one's reader, and have sent what will be pushed here.
        self._had: Cursor | None = given.joined(subscribed_at)

    def render_frames(self, lines: Sequence[EventLine]) -> list[bytes]:
        """Render the events that were pushed and not yet sent."""
        return [self._render_frame(line) for line in lines if line.id not in (self._had or ())]

    def _render_frame(self, line: EventLine) -> bytes:
        self._move_to(line.cursor)
        # Once nothing is ahead, all streams share the same rendered bytes.
        is_shared = self._cursor == line.cursor
        return line.all_frame if is_shared else build_frame_at(line, self._cursor)

    def render_keep_alive(self, cursor: Cursor) -> bytes:
        """Render a comment, or the stream's new cursor, so that a reconnect skips other owners' events."""
        before = self._cursor
        self._move_to(cursor)
        if self._cursor == before or not self._cursor.fits_header:
            return KEEP_ALIVE
        return f"id: {self._cursor}\n\n".encode()

    def _move_to(self, pushed: Cursor) -> None:
        self._cursor = pushed if self._had is None else pushed.joined(self._had)
        if self._cursor == pushed:
            self._had = None


_SEND_SECONDS = 20.0
"""A client that accepts no data for so long is disconnected."""
_STOP_SECONDS = 3.0
_EVENT_ID = re.compile(r"[0-9]{1,9}(\.end)?")
_EXAMPLE_ID = "shop-1"


def _build_example_event(seq: int, kind: str, **data: Any) -> EventLine:
    """Build the line of one event of the example order."""
    before, after = (None, "pending") if kind == "created" else ("processing", "processing")
    view = EventView(
        id=100 + seq,
        request_id=1,
        task_id=_EXAMPLE_ID,
        pipeline="song_video",
        seq=seq,
        type=kind,
        before=before,
        after="completed" if kind == "completed" else after,
        data=data,
        at=datetime.fromisoformat(EXAMPLE_TIMESTAMP),
        run_id=None,
    )
    return render_event(view, Cursor(view.id))


_EXAMPLE_EVENTS = (
    _build_example_event(1, "created"),
    _build_example_event(7, "stage_completed", stage="lyric", cost=400),
)
_EXAMPLE_PROGRESS = LiveProgress(_EXAMPLE_ID, "song", 50, "half of it", 75).frame
_EXAMPLE_ORDER = (
    build_sse_json_frame(get_example(StatusBody), event="snapshot"),
    *(each.order_frame for each in _EXAMPLE_EVENTS),
    _EXAMPLE_PROGRESS,
    _build_example_event(17, "completed").order_frame,
    build_sse_json_frame(
        {
            "task_id": _EXAMPLE_ID,
            "status": "completed",
            "error": None,
            "result": {"title": "…", "video": "video.mp4"},
        },
        event="end",
        event_id=format_end_id(17),
    ),
)
_EXAMPLE_MANY = (
    build_sse_frame("{}", event="begun", event_id="100"),
    *(each.all_frame for each in _EXAMPLE_EVENTS),
    _EXAMPLE_PROGRESS,
)
_EXAMPLE_CHANGED = build_sse_json_frame({"orders": get_example(Page)["orders"]}, event=EVENT)


def _describe_stream(*frames: bytes) -> dict[int | str, dict[str, Any]]:
    """Describe a stream by its frames as an example."""
    content = {"schema": {"type": "string"}, "example": b"".join(frames).decode()}
    return {200: {"description": "A stream of events", "content": {"text/event-stream": content}}}


LastEventId = Annotated[
    str | None,
    Header(description="The id of the last event received; the stream continues after it"),
]

router = APIRouter(tags=["live"])


def respond_with(
    frames: AsyncIterator[bytes], stopping: anyio.Event, stop_seconds: float = _STOP_SECONDS
) -> Response:
    """Build the response that streams these frames; `stopping` is set when the process ends.

    The frames have `stop_seconds` to end then.
    """
    return EventSourceResponse(
        frames,
        ping=0,
        send_timeout=_SEND_SECONDS,
        shutdown_event=stopping,
        shutdown_grace_period=stop_seconds,
    )


@router.get(
    "/pipeline/events/{task_id}",
    response_class=EventSourceResponse,
    responses={
        **_describe_stream(*_EXAMPLE_ORDER),
        204: {"description": "The order has ended, and `Last-Event-ID` is that of its `end`"},
        **describe_problems(401, 403, 404, 422, 429, 503),
    },
    summary="Follow an order",
)
async def follow(
    task_id: str, api: ApiDep, key: ReadScopedKey, last_event_id: LastEventId = None
) -> Response:
    """Stream one `snapshot` (the status), every event once in the order of seq (its `id`), then `end`.

    Between them, at most twice a second, `progress` has the percent, the provider's note and the seconds that are
    expected of the running stage. `end` has the error of an order that is dead and the result of a completed one.
    With `Last-Event-ID` the stream continues after that event, without a snapshot. After each second without
    events a comment is sent.
    """
    order = await run_in_threadpool(find_readable_order, api, key, task_id)
    if order.is_terminal and last_event_id == format_end_id(order.seq):
        return Response(status_code=204)
    after = _parse_seq(last_event_id, order)
    session = StreamSession(api, key)
    return respond_with(stream_order(session, order, after), session.stopping)


def _parse_seq(given: str | None, order: Order) -> int:
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
    responses={**_describe_stream(*_EXAMPLE_MANY), **describe_problems(401, 403, 422, 429, 503)},
    summary="Follow one's own orders",
)
async def follow_own(
    api: ApiDep, key: ReadScopedKey, last_event_id: LastEventId = None
) -> Response:
    """Follow orders as `/admin/events` does; a key that is not an admin's sees those of its owner only."""
    return await _follow(api, key, last_event_id, owner=None if key.is_admin else key.owner)


@router.get(
    "/admin/events",
    response_class=EventSourceResponse,
    responses={**_describe_stream(*_EXAMPLE_MANY), **describe_problems(401, 403, 422, 429, 503)},
    summary="Follow all orders",
)
async def follow_all(
    api: ApiDep, key: AdminScopedKey, last_event_id: LastEventId = None
) -> Response:
    """Stream `begun`, then every event of every order once; events of one order come in the order of seq.

    Each `id` encodes which events were sent; with `Last-Event-ID` the stream sends exactly the others. Between
    events, at most twice a second, `progress` comes for each order whose progress has changed.
    """
    return await _follow(api, key, last_event_id)


@router.get(
    "/admin/stream",
    response_class=EventSourceResponse,
    responses={
        **_describe_stream(*_EXAMPLE_MANY, _EXAMPLE_CHANGED),
        **describe_problems(401, 403, 422, 429, 503),
    },
    summary="Watch all orders",
)
async def watch_all(
    api: ApiDep, key: AdminScopedKey, last_event_id: LastEventId = None
) -> Response:
    """Follow orders as `/admin/events` does, with changed orders as `orders` at most five times a second.

    Each is as the list has it, with the `seq` of the event after which it is so. Of the events that a reconnect
    makes up for there are none: after a reconnect, a client reads again what it shows.
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
    cursor = await run_in_threadpool(_parse_cursor, api, last_event_id)
    session = StreamSession(api, key)
    frames = stream_many_orders(session, cursor, owner=owner, with_orders=with_orders)
    return respond_with(frames, session.stopping)


def _parse_cursor(api: Api, given: str | None) -> Cursor | None:
    newest = find_newest_event_id(api.db)
    if not given:
        return None
    cursor = Cursor.read(given) if len(given) <= LONGEST_CURSOR else None
    if cursor is None or cursor.top > newest:
        raise InvalidInputError("Last-Event-ID", "expected the id of an event of this stream")
    return cursor
