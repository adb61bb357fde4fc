"""The live stream of one order: a snapshot, its events, the progress between them, and the end."""

from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any

import anyio
from fastapi.concurrency import run_in_threadpool
from sqlalchemy.exc import SQLAlchemyError

from castad.api.auth import status_for
from castad.api.stream_session import KEEP_ALIVE, KEEP_ALIVE_SECONDS, StreamSession
from castad.api.subscription import Subscription
from castad.readmodels.events import EventLine, render_event, sse_frame, sse_json_frame
from castad.readmodels.snapshot import read_snapshot
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.feed import Cursor
from resources.ledger.queries.status import list_events_after
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.views.order_body import build_error_body


def end_id(seq: int) -> str:
    """The id of the `end` of a stream whose last event has this seq."""
    return f"{seq}.end"


async def order_frames(session: StreamSession, order: Request, after: int) -> AsyncIterator[bytes]:
    """The stream of this order after the event `after`; it begins with a snapshot where that is 0."""
    api = session.api
    async with api.broadcaster.subscribe(order.id) as subscription:
        if not after:
            snapshot = await run_in_threadpool(read_snapshot, api.db, order.task_id, api.store.root)
            body = status_for(session.key, snapshot, api.settings.ui_url).model_dump_json()
            yield sse_frame(body, event="snapshot")
        stream = _OrderStream(session, order, after, subscription)
        async for chunk in stream.chunks():
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

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self._render(await self._read_ledger())
        while not self._has_ended and await self._session.should_continue(self._subscription):
            frames = await (self._last_frames() if self._is_final else self._next_frames())
            yield frames or KEEP_ALIVE

    async def _next_frames(self) -> bytes:
        """The next events and the progress after them; nothing after a second without any."""
        batch = await self._subscription.next_batch(KEEP_ALIVE_SECONDS)
        is_idle = not batch.lines and not batch.progress
        self._idle_seconds = self._idle_seconds + 1 if is_idle else 0
        new = [line for line in batch.lines if line.seq > self._seq]
        is_recheck = self._idle_seconds == self._session.api.idle_seconds_before_recheck
        if is_recheck or self._has_gap(new):
            new, self._idle_seconds = await self._read_ledger_if_up(), 0
        frames = self._render(new)
        if not self._is_final:
            frames += b"".join(progress.frame for progress in batch.progress)
        return frames

    async def _last_frames(self) -> bytes:
        """`end`, or the events since the one that ended the order; nothing while the ledger does not answer."""
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
        return sse_json_frame(end, event="end", event_id=end_id(self._seq))

    def _read_end(self) -> Mapping[str, Any] | None:
        """What `end` says of the order as it is; None where it has not ended."""
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

    def _has_gap(self, new: list[EventLine]) -> bool:
        return bool(new) and new[0].seq != self._seq + 1

    def _render(self, lines: list[EventLine]) -> bytes:
        """The frames of these events; after a final one the stream may end."""
        if lines:
            self._seq, self._is_final = lines[-1].seq, lines[-1].is_final
        return b"".join(line.order_frame for line in lines)

    async def _read_ledger_if_up(self) -> list[EventLine]:
        """As `_read_ledger`; no events while the ledger does not answer."""
        with suppress(SQLAlchemyError):
            return await self._read_ledger()
        return []

    async def _read_ledger(self) -> list[EventLine]:
        """The order's events in the ledger that were not sent yet; a deleted order ends the stream."""
        api = self._session.api
        events, is_there = await run_in_threadpool(
            list_events_after, api.db, self._order.id, self._seq
        )
        self._is_final = self._is_final or not is_there
        return [render_event(event, Cursor(event.id)) for event in events]
