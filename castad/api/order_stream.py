"""The live stream of one order: a snapshot, its events, the progress between them, and the end."""

from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any

import anyio
from fastapi.concurrency import run_in_threadpool
from sqlalchemy.exc import SQLAlchemyError

from castad.api.broadcaster import Subscription
from castad.api.stream_session import KEEP_ALIVE, KEEP_ALIVE_SECONDS, StreamSession
from castad.readmodels.event_line import EventLine, render_event, sse_frame, sse_json_frame
from castad.readmodels.snapshot import read_snapshot
from castad.readmodels.status_body import status_body
from resources.ledger.errors import UnknownRequestError
from resources.ledger.queries.feed import Cursor
from resources.ledger.queries.reads import events_after
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status


async def order_frames(session: StreamSession, order: Request, after: int) -> AsyncIterator[bytes]:
    """The stream of this order after the event `after`; it begins with a snapshot where that is 0."""
    api = session.api
    async with api.broadcaster.subscribe(order.id) as subscription:
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
        self, session: StreamSession, order: Request, after: int, subscription: Subscription
    ) -> None:
        self._session = session
        self._order = order
        self._seq = after
        self._subscription = subscription
        self._end: Mapping[str, Any] | None = None

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self._render(await self._read_ledger())
        idle_seconds = 0
        while self._end is None and await self._session.should_continue(self._subscription):
            batch = await self._subscription.next_batch(KEEP_ALIVE_SECONDS)
            is_idle = not batch.lines and batch.progress is None
            idle_seconds = idle_seconds + 1 if is_idle else 0
            new = [line for line in batch.lines if line.seq > self._seq]
            if idle_seconds == self._session.api.idle_seconds_before_recheck or self._has_gap(new):
                new, idle_seconds = await self._read_ledger_if_up(), 0
            frames = self._render(new)
            if batch.progress is not None and self._end is None:
                frames += batch.progress.frame
            yield frames or KEEP_ALIVE
        if self._end is not None:
            async for chunk in self._end_chunks(self._end):
                yield chunk

    def _has_gap(self, new: list[EventLine]) -> bool:
        return bool(new) and new[0].seq != self._seq + 1

    def _render(self, lines: list[EventLine]) -> bytes:
        """The frames of these events; a final one ends the stream."""
        if lines:
            self._seq, self._end = lines[-1].seq, lines[-1].end
        return b"".join(line.order_frame for line in lines)

    async def _end_chunks(self, end: Mapping[str, Any]) -> AsyncIterator[bytes]:
        """The `end` event with the pipeline's result; comments while the ledger does not answer."""
        is_completed = end["status"] == Status.COMPLETED
        while await self._session.should_continue(self._subscription):
            with suppress(SQLAlchemyError):
                result = await run_in_threadpool(self._result) if is_completed else None
                yield sse_json_frame({**end, "result": result}, event="end")
                return
            yield KEEP_ALIVE
            await anyio.sleep(KEEP_ALIVE_SECONDS)

    def _result(self) -> Any:
        """The result; None where the order has been deleted or made to go on since."""
        api = self._session.api
        with suppress(UnknownRequestError):
            return read_snapshot(api.db, self._order.task_id, api.store.root).result
        return None

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
            self._end = {"task_id": self._order.task_id, "status": "deleted", "error": None}
        return [render_event(event, Cursor(event.id)) for event in events]
