"""The live stream of many orders: all, or those of one owner."""

from collections.abc import AsyncIterator, Sequence

from anyio import to_thread

from castad.api.stream_session import KEEP_ALIVE, KEEP_ALIVE_SECONDS, StreamSession
from castad.readmodels.events import EventLine, render_event, sse_frame, sse_frame_at
from resources.ledger.queries.feed import Cursor, PastEvents, find_cursor_from_now


async def many_frames(
    session: StreamSession, given: Cursor | None, *, owner: str | None, with_orders: bool
) -> AsyncIterator[bytes]:
    """The stream after the cursor, or from now on: of this owner's orders, or of all where none is given."""
    api = session.api
    async with api.broadcaster.subscribe(owner=owner, wants_orders=with_orders) as subscription:
        cursor = given
        if cursor is None:
            known = subscription.start_cursor
            cursor = await to_thread.run_sync(find_cursor_from_now, api.db, known)
        yield sse_frame("{}", event="begun", event_id=str(cursor) if cursor.fits_header else None)
        past = PastEvents(api.db, cursor, subscription.start_cursor, owner)
        while not past.is_over:
            if not await session.may_read():
                return
            yield await to_thread.run_sync(_past_frames, past, limiter=api.catch_up_threads)
        stream = _ManyOrdersStream(cursor, subscription.start_cursor)
        while await session.should_continue(subscription):
            batch = await subscription.next_batch(KEEP_ALIVE_SECONDS)
            if subscription.is_dropped:  # its cursor is after events that are not among its lines
                return
            frames = [*stream.frames(batch.lines), *(each.frame for each in batch.progress)]
            yield b"".join((*frames, *batch.orders)) or stream.sign_of_life(batch.cursor)


def _past_frames(past: PastEvents) -> bytes:
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

    def frames(self, lines: Sequence[EventLine]) -> list[bytes]:
        """The frames of the events that were pushed and not yet sent."""
        return [self._frame(line) for line in lines if line.id not in (self._had or ())]

    def _frame(self, line: EventLine) -> bytes:
        self._move_to(line.cursor)
        # Once nothing is ahead, all streams share the same rendered bytes.
        is_shared = self._cursor == line.cursor
        return line.all_frame if is_shared else sse_frame_at(line, self._cursor)

    def sign_of_life(self, cursor: Cursor) -> bytes:
        """A comment; or the new place of the stream, so that a reconnect reads no other owners' events again."""
        before = self._cursor
        self._move_to(cursor)
        if self._cursor == before or not self._cursor.fits_header:
            return KEEP_ALIVE
        return f"id: {self._cursor}\n\n".encode()

    def _move_to(self, pushed: Cursor) -> None:
        self._cursor = pushed if self._had is None else pushed.joined(self._had)
        if self._cursor == pushed:
            self._had = None
