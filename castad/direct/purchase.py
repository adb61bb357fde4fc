"""Buy for a direct answer, without the ledger and within the day's budget.

A paid call is sent again only if nothing was accepted, or if that is cheap enough. Its cost, including failed
submissions, is saved with the order.

Every paid call is in the spool with its price before it is sent, in one transaction with the check of the budget:
all processes of this machine count together. The sum of other machines and runs is in the ledger; each process
that answers reads it into the spool every two seconds.
"""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from sqlalchemy.exc import SQLAlchemyError

from castad.direct.ledger_import import make_worker_name
from resources.contract.errors import (
    CastadError,
    ProviderError,
    StateUnavailableError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import InProgress, Product, Provider, Receipt, StageInput
from resources.delivery.spool import (
    Entry,
    Spool,
    append_entry,
    name_of,
    note_ledger_sum,
    pending_costs,
    spent_today,
)
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import LedgerError
from resources.ledger.queries.money import spent_today as spent_by_ledger
from resources.ledger.transitions.import_completed import Purchase, publish_spool_costs

_MOST_RETRIES = 2
_FIRST_WAIT = 1.0
_LONGEST_WAIT = 4.0
_POLL_SECONDS = 0.05
_TIMED_OUT = "stage_timeout"


@dataclass
class Purchases:
    """The purchases of one stage so far; `request_hash` is that of the customer's order, as in the ledger."""

    provider: Provider
    job_input: StageInput
    request_hash: str
    made: list[Purchase] = field(default_factory=list)
    intend: Callable[[Purchase], None] = lambda purchase: None
    """Called before each submission with a price, as a lost one; may refuse it."""

    def announce(self, token: str) -> None:
        """Save the next submission before it is sent."""
        price = self.provider.price(self.job_input)
        if price:
            code = UnknownSubmissionError.code
            self.intend(Purchase(self.provider.name, token, self.request_hash, price, code))

    def add(self, token: str, cost: int, error_code: str | None = None) -> None:
        """Add a submission that has ended."""
        self.made.append(Purchase(self.provider.name, token, self.request_hash, cost, error_code))

    @property
    def lost_cost(self) -> int:
        """The possible cost of lost submissions, in micro-dollars."""
        return sum(
            each.cost for each in self.made if each.error_code == UnknownSubmissionError.code
        )


def buy(
    purchases: Purchases,
    folder: Path,
    *,
    resubmit_below: int,
    deadline_seconds: float,
    sleep: Callable[[float], None] = time.sleep,
) -> Product:
    """Buy and return the provider's product; add every submission to the purchases. Raises ProviderError.

    A refused submission is repeated at most twice. A lost one is repeated as long as all lost ones cost less than
    `resubmit_below` micro-dollars and the provider is repeatable. An accepted one is never repeated.
    """
    until = time.monotonic() + deadline_seconds
    purchases.provider.prepare(purchases.job_input)
    for retries in range(_MOST_RETRIES + 1):
        token = str(uuid4())
        purchases.announce(token)
        try:
            receipt = _submit(purchases, token)
            break
        except (TransientError, UnknownSubmissionError) as error:
            wait = _wait_before_retry(error, retries)
            if wait is None or not _may_repeat(purchases, error, resubmit_below):
                raise
            if time.monotonic() + wait > until:
                raise
            sleep(wait)
    return _wait_for_product(purchases, Accepted(token, receipt), folder, until, sleep)


def _wait_before_retry(error: ProviderError, retries: int) -> float | None:
    if retries == _MOST_RETRIES:
        return None
    asked = getattr(error, "retry_after", None)
    wait = float(asked) if asked is not None else _FIRST_WAIT * 2.0**retries
    return wait if wait <= _LONGEST_WAIT else None


def _may_repeat(purchases: Purchases, error: ProviderError, resubmit_below: int) -> bool:
    if not isinstance(error, UnknownSubmissionError):
        return True
    return purchases.provider.repeatable and purchases.lost_cost < resubmit_below


def _submit(purchases: Purchases, token: str) -> Receipt:
    try:
        return purchases.provider.submit(purchases.job_input, token)
    except ProviderError as error:
        cost = error.cost
        if isinstance(error, UnknownSubmissionError) and cost is None:
            cost = purchases.provider.price(purchases.job_input)
        if cost:
            purchases.add(token, cost, error.code)
        raise


@dataclass(frozen=True)
class Accepted:
    """A submission that the provider has accepted: it is paid, and never repeated."""

    token: str
    receipt: Receipt


def _wait_for_product(
    purchases: Purchases,
    accepted: Accepted,
    folder: Path,
    until: float,
    sleep: Callable[[float], None],
) -> Product:
    """Return the accepted submission's product; poll the same job until the deadline."""
    provider, receipt = purchases.provider, accepted.receipt
    paid = provider.price(purchases.job_input) if receipt.cost is None else receipt.cost
    try:
        while True:
            try:
                product = _fetch_if_done(purchases, receipt, folder)
            except TransientError:
                if time.monotonic() > until:
                    raise
                product = None
            if product is not None:
                purchases.add(accepted.token, paid if product.cost is None else product.cost)
                return product
            if time.monotonic() > until:
                provider.cancel(receipt.external_id)
                raise TransientError(f"{provider.name}: no final status in time", code=_TIMED_OUT)
            sleep(_POLL_SECONDS)
    except ProviderError as error:
        purchases.add(accepted.token, paid if error.cost is None else error.cost, error.code)
        raise


def _fetch_if_done(purchases: Purchases, receipt: Receipt, folder: Path) -> Product | None:
    """Return the product; None while there is no final status."""
    provider, job_input, answer = purchases.provider, purchases.job_input, receipt.answer
    if answer is None:
        found = provider.poll(job_input, receipt.external_id)
        if isinstance(found, InProgress):
            return None
        answer = found.answer
    return provider.fetch(job_input, answer, folder)


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
        """Store the entry as an intent before a paid call; it is delivered after `seconds`.

        Raises OverBudgetError, and StateUnavailableError if a budget is set and the spool cannot be written.
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
        """Send this spool's sums to the ledger, and read the ledger's; skip it if the ledger is unavailable."""
        db = db.with_retry_budget(0)
        with suppress(SQLAlchemyError, LedgerError, StateUnavailableError):
            with self._spool.using() as connection:
                read_at, name = self._spool.now, name_of(connection)
                pending = pending_costs(connection, read_at)
            if pending != self._published:
                publish_spool_costs(db, name, _group_by_answer(pending))
                self._published = pending
            if self.limit is not None:
                ledger = spent_by_ledger(db, but_spool=name)
                with self._spool.writing() as tx:
                    note_ledger_sum(tx, ledger, read_at)

    def start(self, db: Database, stopping: threading.Event) -> None:
        """Exchange sums until the event is set; the first purchase waits for the first exchange."""
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


def _group_by_answer(pending: Mapping[str, int]) -> dict[str, int]:
    """Return the costs by the answers' names in the ledger; those beyond 500 as one sum."""
    keys = list(pending)
    named = {make_worker_name(key): pending[key] for key in keys[:_MOST_LISTED]}
    rest = sum(pending[key] for key in keys[_MOST_LISTED:])
    return {**named, "rest": rest} if rest else named
