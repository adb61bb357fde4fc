"""Those who order, order again and cancel, operators, and the vendors' faults, in a thread of their own."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError

from pipeline_defs.catalog import get_catalog
from resources.contract.errors import CastadError
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import (
    ConflictError,
    IllegalTransitionError,
    UnknownRequestError,
)
from resources.ledger.transitions.orders import cancel_request
from tests.chaos.hands import Eraser, spoil
from tests.chaos.journal import Journal
from tests.chaos.plan import Wish
from tests.chaos.stand import Stand
from tests.fakes.server import FakeVendor
from tests.one_order import submit_order
from tests.song_video import NAME

_AGAIN = 0.5
T = TypeVar("T")
SHORT_BRIEF = {"customer_name": "봄날 베이커리", "region": "전주", "duration_seconds": 10}


class Customers(threading.Thread):
    """Does what was planned, at its time or as soon as the database lets it.

    A database that does not answer is asked again with the same order, as any client would.
    """

    def __init__(
        self,
        wishes: Sequence[Wish],
        ledger_url: str,
        vendors: Mapping[str, FakeVendor],
        journal: Journal,
    ) -> None:
        super().__init__(name="customers", daemon=True)
        self.done = 0
        self.failed: BaseException | None = None
        self._wishes = wishes
        self._url = ledger_url
        self._vendors = vendors
        self._journal = journal
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Nothing more is ordered."""
        self._stopped.set()

    def run(self) -> None:
        db = Database(self._url)
        eraser = Eraser(db)
        began = time.monotonic()
        try:
            for wish in self._wishes:
                if self._stopped.wait(max(0.0, began + wish.at - time.monotonic())):
                    return
                self._do(db, eraser, wish)
                self.done += 1
        except BaseException as error:  # noqa: BLE001 - the main thread has to hear of it
            self.failed = error
        finally:
            db.close()

    def _do(self, db: Database, eraser: Eraser, wish: Wish) -> None:
        if wish.fault is not None:
            self._vendors[wish.vendor].script(wish.fault)
        elif wish.kind == "order":
            outcome = self._answer(lambda: _order(db, wish))
            if outcome is not None:
                self._journal.answered(wish.task_id, wish.payload, outcome)
        elif wish.kind == "spoil":
            spoiling = self._answer(lambda: spoil(db, wish.task_id, wish.payload, wish.how))
            if spoiling is not None:
                self._journal.spoiled(spoiling)
        elif wish.kind == "delete":
            deletion = self._answer(lambda: eraser.delete(wish.task_id, wish.how))
            if deletion is not None:
                self._journal.deleted(deletion)
        else:
            outcome = self._answer(lambda: _cancel(db, wish.task_id))
            if outcome is not None:
                self._journal.canceled(wish.task_id, outcome)

    def _answer(self, ask: Callable[[], T]) -> T | None:
        while not self._stopped.is_set():
            try:
                return ask()
            except (SQLAlchemyError, CastadError):
                self._stopped.wait(_AGAIN)
        return None


def order_now(stand: Stand, names: Sequence[str]) -> None:
    """The short brief is ordered under each of these names, and answered. Raises what broke meanwhile."""
    do_now(stand, [Wish(0.0, "order", name, SHORT_BRIEF) for name in names])


def do_now(stand: Stand, wishes: Sequence[Wish]) -> None:
    """All of it is done, and answered. Raises what broke meanwhile."""
    customers = Customers(wishes, stand.ledger_url, stand.vendors, stand.journal)
    customers.start()
    customers.join()
    if customers.failed is not None:
        raise customers.failed


def _order(db: Database, wish: Wish) -> str:
    pipeline = get_catalog().get_pipeline("image" if "workflow" in wish.payload else NAME)
    try:
        _, created = submit_order(
            db,
            wish.task_id,
            wish.payload,
            pipeline=pipeline.name,
            source="chaos",
            same_order=pipeline.is_same_order,
            callback_url=wish.callback_url,
        )
    except ConflictError:
        return "refused"
    return "made" if created else "known"


def _cancel(db: Database, task_id: str) -> str:
    try:
        return str(cancel_request(db, task_id).status)
    except (IllegalTransitionError, UnknownRequestError):
        return "nothing"
