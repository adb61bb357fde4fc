"""Those who order, order again, cancel, and the vendors' bad days, in a thread of their own."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence

from sqlalchemy.exc import SQLAlchemyError

from pipeline_defs.song_video.brief import NAME, same_brief
from resources.errors import CastadError
from resources.ledger.database import Database
from resources.ledger.errors import ConflictError, IllegalMoveError, UnknownRequestError
from resources.ledger.moves.orders import cancel, place_order
from tests.chaos.journal import Journal
from tests.chaos.plan import Wish
from tests.fakes.server import FakeVendor

_AGAIN = 0.5


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
        began = time.monotonic()
        try:
            for wish in self._wishes:
                if self._stopped.wait(max(0.0, began + wish.at - time.monotonic())):
                    return
                self._do(db, wish)
                self.done += 1
        except BaseException as error:  # noqa: BLE001 - the main thread has to hear of it
            self.failed = error
        finally:
            db.close()

    def _do(self, db: Database, wish: Wish) -> None:
        if wish.fault is not None:
            self._vendors[wish.vendor].script(wish.fault)
        elif wish.kind == "order":
            outcome = self._answer(lambda: _order(db, wish))
            if outcome is not None:
                self._journal.answered(wish.task_id, wish.payload, outcome)
        else:
            outcome = self._answer(lambda: _cancel(db, wish.task_id))
            if outcome is not None:
                self._journal.canceled(wish.task_id, outcome)

    def _answer(self, ask: Callable[[], str]) -> str | None:
        while not self._stopped.is_set():
            try:
                return ask()
            except (SQLAlchemyError, CastadError):
                self._stopped.wait(_AGAIN)
        return None


def _order(db: Database, wish: Wish) -> str:
    try:
        _, created = place_order(
            db,
            wish.task_id,
            wish.payload,
            pipeline=NAME,
            source="chaos",
            same_order=same_brief,
        )
    except ConflictError:
        return "refused"
    return "made" if created else "known"


def _cancel(db: Database, task_id: str) -> str:
    try:
        return str(cancel(db, task_id).status)
    except (IllegalMoveError, UnknownRequestError):
        return "nothing"
