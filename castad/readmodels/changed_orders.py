"""Orders that have changed, as the stream of all orders shows them after their events."""

from collections.abc import Iterable
from itertools import islice

from castad.readmodels.event_line import sse_json_frame
from castad.readmodels.order_list import read_orders
from resources.ledger.db.database import Database

EVENT = "orders"
_PER_FRAME = 200


class ChangedOrders:
    """Collects which orders have changed, and reads many of them at once; for one thread."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._ids: dict[int, None] = {}

    def __bool__(self) -> bool:
        return bool(self._ids)

    def note(self, request_ids: Iterable[int]) -> None:
        """These orders have changed."""
        self._ids |= dict.fromkeys(request_ids)

    def clear(self) -> None:
        """Nothing has changed."""
        self._ids.clear()

    def frame(self) -> bytes:
        """The Server-Sent Event with those that changed first, which are no longer noted once they are read."""
        ids = [*islice(self._ids, _PER_FRAME)]
        orders = [order.model_dump(mode="json") for order in read_orders(self._db, ids)]
        for each in ids:
            del self._ids[each]
        return sse_json_frame({"orders": orders}, event=EVENT)
