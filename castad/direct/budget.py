"""Keep direct answers within the day's budget.

Every paid call is in the spool with its price before it is sent, in one transaction with the check of the budget:
all processes of this machine count together. The sum of other machines and runs is in the ledger; each process
that answers reads it into the spool every two seconds.
"""

import threading
from collections.abc import Mapping
from contextlib import suppress

from sqlalchemy.exc import SQLAlchemyError

from castad.direct.ledger_import import make_worker_name
from resources.contract.errors import CastadError, StateUnavailableError
from resources.delivery.spool import (
    Entry,
    Spool,
    append_entry,
    name_of,
    note_ledger_sum,
    spent_today,
    sum_pending_costs,
)
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import LedgerError
from resources.ledger.queries.money import sum_spent_today as spent_by_ledger
from resources.ledger.transitions.import_completed import publish_spool_costs

_USD = 1_000_000
_PERIOD_SECONDS = 2.0
_FIRST_SECONDS = 5.0
_MOST_LISTED = 500


class OverBudgetError(CastadError):
    """Raised when a paid call could exceed the day's budget."""

    code = "daily_budget"


class DailyBudget:
    """The limit of CASTAD_DAILY_BUDGET; `usd` is in dollars, None without a limit. Thread-safe."""

    def __init__(self, spool: Spool, usd: float | None) -> None:
        self.limit = None if usd is None else round(usd * _USD)
        self._spool = spool
        self._published: dict[str, int] | None = None
        self._first = threading.Event()
        self._first.set()

    def reserve(self, entry: Entry, seconds: float) -> None:
        """Store the entry as an intent in the spool before a paid call.

        It is delivered after `seconds` at the earliest. Raises OverBudgetError. Raises StateUnavailableError
        if a budget is set and the spool cannot be written; without a budget that is ignored.
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
        """Raise OverBudgetError if `spent` and `cost` exceed the limit together; all in micro-dollars."""
        if spent + cost > limit:
            raise OverBudgetError(
                f"CASTAD_DAILY_BUDGET: expected at most {limit / 1e6:.4f} USD a day; "
                f"{spent / 1e6:.4f} are spent, and this costs up to {cost / 1e6:.4f}"
            )

    def exchange_sums(self, db: Database) -> None:
        """Send this spool's sums to the ledger, and read the ledger's.

        Do nothing if one of them is unavailable.
        """
        db = db.with_retry_budget(0)
        with suppress(SQLAlchemyError, LedgerError, StateUnavailableError):
            with self._spool.using() as connection:
                read_at, name = self._spool.now, name_of(connection)
                pending = sum_pending_costs(connection, read_at)
            if pending != self._published:
                publish_spool_costs(db, name, _group_by_answer(pending))
                self._published = pending
            if self.limit is not None:
                ledger = spent_by_ledger(db, but_spool=name)
                with self._spool.writing() as tx:
                    note_ledger_sum(tx, ledger, read_at)

    def start(self, db: Database, stopping: threading.Event) -> None:
        """Start a thread that exchanges sums until the event is set.

        The first purchase waits up to 5 s for the first exchange, if a budget is set.
        """
        if self.limit is not None:
            self._first.clear()
        thread = threading.Thread(
            target=self._exchange, args=(db, stopping), name="castad-budget", daemon=True
        )
        thread.start()

    def _exchange(self, db: Database, stopping: threading.Event) -> None:
        """Exchange sums every two seconds until the event is set."""
        while not stopping.is_set():
            self.exchange_sums(db)
            self._first.set()
            stopping.wait(_PERIOD_SECONDS)


def _group_by_answer(pending: Mapping[str, int]) -> dict[str, int]:
    """Map each answer's name in the ledger to its cost; costs beyond the first 500 are one sum named "rest"."""
    keys = list(pending)
    named = {make_worker_name(key): pending[key] for key in keys[:_MOST_LISTED]}
    rest = sum(pending[key] for key in keys[_MOST_LISTED:])
    return {**named, "rest": rest} if rest else named
