"""The day's budget of the orders that are answered directly.

Every paid call is in the spool with its price before it is sent, in one transaction with the check of the budget:
all processes of this machine count together. What other machines and runs have spent is in the ledger's sum, which
each process that answers reads into the spool every two seconds.
"""

import threading
from collections.abc import Mapping
from contextlib import suppress

from sqlalchemy.exc import SQLAlchemyError

from castad.direct.ledger_import import worker_of
from resources.contract.errors import CastadError, StateUnavailableError
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import LedgerError
from resources.ledger.queries.spent_today import spent_today as spent_by_ledger
from resources.ledger.transitions.spool_costs import publish_spool_costs
from resources.spool.costs import name_of, note_ledger_sum, pending_costs, spent_today
from resources.spool.entry import Entry
from resources.spool.spool import Spool, append_entry

_USD = 1_000_000
_PERIOD_SECONDS = 2.0
_FIRST_SECONDS = 5.0
_MOST_LISTED = 500


class OverBudgetError(CastadError):
    """The answer could exceed the day's budget."""

    code = "daily_budget"


class DailyBudget:
    """The limit of CASTAD_DAILY_BUDGET in micro-dollars, None without one. Thread-safe."""

    def __init__(self, spool: Spool, limit: int | None) -> None:
        self.limit = limit
        self._spool = spool
        self._published: dict[str, int] | None = None
        self._first = threading.Event()
        self._first.set()

    @classmethod
    def of_day(cls, spool: Spool, usd: float | None) -> "DailyBudget":
        """Read the limit from CASTAD_DAILY_BUDGET."""
        return cls(spool, None if usd is None else round(usd * _USD))

    def reserve(self, entry: Entry, seconds: float) -> None:
        """Store the entry as an intent before a call that costs; it is delivered in so many seconds.

        Raises OverBudgetError, and StateUnavailableError where a budget is set and the spool cannot be written.
        """
        self._first.wait(_FIRST_SECONDS)
        try:
            with self._spool.writing() as tx:
                now = self._spool.now
                if self.limit is not None:
                    self._ensure_within(spent_today(tx, now, entry.key), entry.cost, self.limit)
                append_entry(tx, entry, now, seconds)
        except StateUnavailableError as unavailable:
            if self.limit is not None:
                message = "nothing is bought while its price cannot be stored"
                raise StateUnavailableError(
                    f"CASTAD_DAILY_BUDGET: {message}; {unavailable.message}", code=unavailable.code
                ) from None

    def _ensure_within(self, spent: int, cost: int, limit: int) -> None:
        if spent + cost > limit:
            raise OverBudgetError(
                f"CASTAD_DAILY_BUDGET: expected at most {limit / 1e6:.4f} USD a day; "
                f"{spent / 1e6:.4f} are spent, and this costs up to {cost / 1e6:.4f}"
            )

    def exchange_sums(self, db: Database) -> None:
        """Tell the ledger what this spool holds, and read what the ledger does; nothing where it is away."""
        db = db.with_retry_budget(0)
        with suppress(SQLAlchemyError, LedgerError, StateUnavailableError):
            with self._spool.using() as connection:
                read_at, name = self._spool.now, name_of(connection)
                pending = pending_costs(connection, read_at)
            if pending != self._published:
                publish_spool_costs(db, name, _by_answer(pending))
                self._published = pending
            if self.limit is not None:
                ledger = spent_by_ledger(db, but_spool=name)
                with self._spool.writing() as tx:
                    note_ledger_sum(tx, ledger, read_at)

    def start(self, db: Database, stopping: threading.Event) -> None:
        """Exchange sums from now on until the event is set; the first purchase waits for the first exchange."""
        if self.limit is not None:
            self._first.clear()
        thread = threading.Thread(
            target=self._exchange, args=(db, stopping), name="castad-budget", daemon=True
        )
        thread.start()

    def _exchange(self, db: Database, stopping: threading.Event) -> None:
        while not stopping.is_set():
            self.exchange_sums(db)
            self._first.set()
            stopping.wait(_PERIOD_SECONDS)


def _by_answer(pending: Mapping[str, int]) -> dict[str, int]:
    """Return the costs by the names that answers have in the ledger; those of very many as one."""
    keys = list(pending)
    named = {worker_of(key): pending[key] for key in keys[:_MOST_LISTED]}
    rest = sum(pending[key] for key in keys[_MOST_LISTED:])
    return {**named, "rest": rest} if rest else named
