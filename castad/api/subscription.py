"""What one live stream has still to send."""

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from castad.readmodels.events import EventLine, LiveProgress
from resources.ledger.queries.feed import Cursor

_MAX_BACKLOG = 1000
"""A subscription with more unread events is dropped; its client may reconnect and continue."""
_MAX_UNREAD_ORDERS = 100
"""So is one with more unread frames of changed orders."""


@dataclass(frozen=True)
class EventBatch:
    """Events in order, the cursor of all events after them, and the progress of orders where it is news.

    `orders` are frames with orders as they are after these or earlier events.
    """

    lines: Sequence[EventLine]
    cursor: Cursor
    progress: Sequence[LiveProgress] = ()
    orders: Sequence[bytes] = ()


class Subscription:
    """The unread events of one stream; not thread-safe, used in the event loop only.

    `order_id` is the order whose stream it is, None for all orders; with `owner` they are that owner's only.
    `start_cursor` is the broadcaster's cursor when it subscribed. `wants_orders` is whether changed orders are
    pushed too.
    """

    def __init__(
        self,
        order_id: int | None,
        start_cursor: Cursor,
        *,
        owner: str | None = None,
        wants_orders: bool = False,
    ) -> None:
        self.order_id = order_id
        self.owner = owner
        self.wants_orders = wants_orders
        self._orders: list[bytes] = []
        self._progress: dict[int, LiveProgress] = {}
        self._unread_progress: dict[int, LiveProgress] = {}
        self._backlog: deque[EventLine] = deque()
        self._has_events = asyncio.Event()
        self._cursor = start_cursor
        self.start_cursor = start_cursor
        self.is_dropped = False

    def push(self, batch: EventBatch) -> None:
        """The wanted events are unread, or the subscription is dropped because too many already are."""
        self._cursor = batch.cursor
        wanted = [line for line in batch.lines if self._wants(line.request_id, line.owner)]
        if len(self._backlog) + len(wanted) > _MAX_BACKLOG:
            self._backlog.clear()
            self.is_dropped = True
        elif not self.is_dropped:
            self._backlog.extend(wanted)
        for line in wanted:  # progress is older than these events
            self._progress.pop(line.request_id, None)
            self._unread_progress.pop(line.request_id, None)
        if wanted:
            self._has_events.set()

    def _wants(self, request_id: int, owner: str | None) -> bool:
        return self.order_id in (None, request_id) and self.owner in (None, owner)

    def push_progress(self, found: Mapping[int, LiveProgress]) -> None:
        """The wanted progress is unread, unless it is the one before."""
        if self.order_id is not None:
            found = {self.order_id: found[self.order_id]} if self.order_id in found else {}
        for request_id, progress in found.items():
            known = self._progress.get(request_id)
            is_news = known is None or not known.is_same(progress)
            if is_news and self._wants(request_id, progress.owner):
                self._progress[request_id] = self._unread_progress[request_id] = progress
        if self._unread_progress:
            self._has_events.set()

    def push_orders(self, frame: bytes) -> None:
        """The frame is unread, or the subscription is dropped because too many already are."""
        self._orders.append(frame)
        self.is_dropped |= len(self._orders) > _MAX_UNREAD_ORDERS
        self._has_events.set()

    async def next_batch(self, seconds: float) -> EventBatch:
        """All that is unread as soon as there is anything; an empty batch after so many seconds."""
        is_empty = not (self._backlog or self._orders or self._unread_progress)
        if is_empty and not self.is_dropped:
            self._has_events.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._has_events.wait()
        progress = list(self._unread_progress.values())
        batch = EventBatch(list(self._backlog), self._cursor, progress, self._orders)
        self._backlog.clear()
        self._unread_progress.clear()
        self._orders = []
        return batch
