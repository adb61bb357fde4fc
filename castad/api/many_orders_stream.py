"""The live stream of many orders: all, or those of one owner."""

from collections.abc import AsyncIterator, Sequence

from fastapi.concurrency import run_in_threadpool

from castad.api.stream_session import KEEP_ALIVE, KEEP_ALIVE_SECONDS, StreamSession
from castad.readmodels.event_line import EventLine, render_events, sse_frame, sse_frame_at
from resources.ledger.queries.feed import Cursor, Feed


async def many_frames(
    session: StreamSession, cursor: Cursor, *, owner: str | None, with_orders: bool
) -> AsyncIterator[bytes]:
    """The stream after the cursor: of this owner's orders, or of all where none is given."""
    subscribed = session.api.broadcaster.subscribe(owner=owner, wants_orders=with_orders)
    async with subscribed as subscription:
        yield sse_frame("{}", event="begun", event_id=str(cursor) if cursor.fits_header else None)
        stream = _ManyOrdersStream(cursor, owner)
        past = Feed(session.api.db, cursor)
        while found := await run_in_threadpool(past.new_events):
            yield stream.catch_up(render_events(found, stream.cursor), subscription.start_cursor)
        while await session.should_continue(subscription):
            batch = await subscription.next_batch(KEEP_ALIVE_SECONDS)
            if subscription.is_dropped:  # its cursor is after events that are not among its lines
                return
            frames = [*stream.frames(batch.lines), *(each.frame for each in batch.progress)]
            yield b"".join((*frames, *batch.orders)) or stream.sign_of_life(batch.cursor)


class _ManyOrdersStream:
    """How far one stream has come."""

    def __init__(self, cursor: Cursor, owner: str | None) -> None:
        self.cursor = cursor
        self._owner = owner
        self._ahead: set[int] = set()

    def catch_up(self, lines: Sequence[EventLine], subscribed_at: Cursor) -> bytes:
        """The frames of past events; those after the begin of the subscription are pushed once more."""
        self.cursor = lines[-1].cursor
        wanted = [line for line in lines if self._owner in (None, line.owner)]
        self._ahead.update(line.id for line in wanted if line.id not in subscribed_at)
        return b"".join(line.all_frame for line in wanted) or KEEP_ALIVE

    def frames(self, lines: Sequence[EventLine]) -> list[bytes]:
        """The frames of the events that were pushed and not yet sent."""
        frames = []
        for line in lines:
            if line.id in self._ahead:
                self._ahead.discard(line.id)
                continue
            # Once no event was sent ahead of others, all streams share the same rendered bytes.
            self.cursor = self.cursor.past([line.id]) if self._ahead else line.cursor
            frames.append(sse_frame_at(line, self.cursor) if self._ahead else line.all_frame)
        return frames

    def sign_of_life(self, cursor: Cursor) -> bytes:
        """A comment; or the new place of the stream, so that a reconnect reads no other owners' events again."""
        if self._ahead or cursor == self.cursor or not cursor.fits_header:
            return KEEP_ALIVE
        self.cursor = cursor
        return f"id: {cursor}\n\n".encode()
