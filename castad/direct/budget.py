"""The day's budget, counted in memory: what was known of it last, and what this process has spent since.

Each process counts what it spends itself; what others have spent since the last reading is not known. So N
processes may exceed CASTAD_DAILY_BUDGET by what the other N - 1 spend in one period of reading.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from resources.contract.errors import CastadError

_DAY = 86_400
_USD = 1_000_000


class OverBudgetError(CastadError):
    """The answer could exceed the day's budget."""

    code = "daily_budget"


@dataclass
class Spending:
    """What an answer has cost in micro-dollars; until it is known, what it may cost."""

    actual: int


class Budget:
    """Micro-dollars of one day (UTC). Thread-safe. Without a limit everything is allowed."""

    def __init__(self, limit: int | None, clock: Callable[[], float] = time.time) -> None:
        self._limit = limit
        self._clock = clock
        self._lock = threading.Lock()
        self._day = self._today()
        self._spent = 0
        self._at_work = 0
        self._known = 0
        self._spent_when_known = 0

    @classmethod
    def of_day(cls, usd: float | None) -> "Budget":
        """The budget of CASTAD_DAILY_BUDGET."""
        return cls(None if usd is None else round(usd * _USD))

    def mark(self) -> int:
        """What this process has spent so far; `note_known` takes it."""
        with self._lock:
            self._turn_day()
            return self._spent

    def note_known(self, known: int, mark: int) -> None:
        """The ledger and what is on its way there hold so much of today's spending.

        All that this process had spent at the mark, taken before they were read, is among it.
        """
        with self._lock:
            self._turn_day()
            self._known, self._spent_when_known = known, min(mark, self._spent)

    @contextmanager
    def reserved(self, price: int) -> Iterator[Spending]:
        """The price counts as spent while the block runs, and its actual cost from then on.

        Raises OverBudgetError before the block.
        """
        with self._lock:
            self._turn_day()
            spent = self._known + self._spent - self._spent_when_known + self._at_work
            if self._limit is not None and spent + price > self._limit:
                raise OverBudgetError(
                    f"CASTAD_DAILY_BUDGET: expected at most {self._limit / 1e6:.4f} USD a day; "
                    f"{spent / 1e6:.4f} are spent, and this costs up to {price / 1e6:.4f}"
                )
            self._at_work += price
        spending = Spending(price)
        try:
            yield spending
        finally:
            with self._lock:
                self._turn_day()
                self._at_work -= price
                self._spent += spending.actual

    def _turn_day(self) -> None:
        if self._today() != self._day:
            self._day, self._spent = self._today(), 0
            self._known = self._spent_when_known = 0

    def _today(self) -> int:
        return int(self._clock() // _DAY)
