"""A paid call without the ledger: sent again only where nothing was accepted, or where that is cheap enough.

It is saved before it is sent. What it has cost, including failed submissions, is returned
and saved with the order.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from resources.contract.errors import ProviderError, TransientError, UnknownSubmissionError
from resources.contract.protocol import InProgress, Product, Provider, Receipt, StageInput
from resources.ledger.transitions.import_completed import Purchase

_MOST_RETRIES = 2
_FIRST_WAIT = 1.0
_LONGEST_WAIT = 4.0
_POLL_SECONDS = 0.05
_TIMED_OUT = "stage_timeout"


@dataclass
class Purchases:
    """The purchases of one stage so far; `request_hash` is that of the customer's order, as the ledger has it."""

    provider: Provider
    job_input: StageInput
    request_hash: str
    made: list[Purchase] = field(default_factory=list)
    intend: Callable[[Purchase], None] = lambda purchase: None
    """Called before each submission that has a price, with what it is if no answer ever comes; may refuse it."""

    def announce(self, token: str) -> None:
        """Save the next submission before it is sent."""
        price = self.provider.price(self.job_input)
        if price:
            code = UnknownSubmissionError.code
            self.intend(Purchase(self.provider.name, token, self.request_hash, price, code))

    def add(self, token: str, cost: int, error_code: str | None = None) -> None:
        """A submission has ended."""
        self.made.append(Purchase(self.provider.name, token, self.request_hash, cost, error_code))

    @property
    def lost_cost(self) -> int:
        """What lost submissions may have cost, in micro-dollars."""
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
    """The provider's product; every submission is among the purchases.

    A refused submission is repeated twice where it may be; a lost one as long as all lost ones cost less than
    `resubmit_below` micro-dollars and the provider is repeatable; an accepted one never. Raises ProviderError.
    """
    until = time.monotonic() + deadline_seconds
    purchases.provider.prepare(purchases.job_input)
    for retries in range(_MOST_RETRIES + 1):
        token = str(uuid4())
        purchases.announce(token)
        try:
            receipt = _submitted(purchases, token)
            break
        except (TransientError, UnknownSubmissionError) as error:
            wait = _wait_before_retry(error, retries)
            if wait is None or not _may_repeat(purchases, error, resubmit_below):
                raise
            if time.monotonic() + wait > until:
                raise
            sleep(wait)
    return _delivered(purchases, Accepted(token, receipt), folder, until, sleep)


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


def _submitted(purchases: Purchases, token: str) -> Receipt:
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
    """A submission that the provider has accepted: it is paid, and never made again."""

    token: str
    receipt: Receipt


def _delivered(
    purchases: Purchases,
    accepted: Accepted,
    folder: Path,
    until: float,
    sleep: Callable[[float], None],
) -> Product:
    """The accepted submission's product; the provider is asked again about the same job until the deadline."""
    provider, receipt = purchases.provider, accepted.receipt
    paid = provider.price(purchases.job_input) if receipt.cost is None else receipt.cost
    try:
        while True:
            try:
                product = _fetched(purchases, receipt, folder)
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


def _fetched(purchases: Purchases, receipt: Receipt, folder: Path) -> Product | None:
    """The product; None while there is no final status."""
    provider, job_input, answer = purchases.provider, purchases.job_input, receipt.answer
    if answer is None:
        found = provider.poll(job_input, receipt.external_id)
        if isinstance(found, InProgress):
            return None
        answer = found.answer
    return provider.fetch(job_input, answer, folder)
