"""A paid call without the ledger: sent again only where nothing was accepted, or where that is cheap enough.

What it has cost, also in vain, is returned, and recorded with the order afterwards.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from resources.contract.errors import ProviderError, TransientError, UnknownSubmissionError
from resources.contract.protocol import InProgress, Product, Provider, Receipt, StageInput
from resources.ledger.moves.done_elsewhere import Purchase

_MOST_RETRIES = 2
_FIRST_WAIT = 1.0
_LONGEST_WAIT = 4.0
_POLL_SECONDS = 0.05
_TIMED_OUT = "stage_timeout"


@dataclass
class Purchases:
    """The purchases of one stage so far."""

    provider: Provider
    order: StageInput
    made: list[Purchase] = field(default_factory=list)

    def add(self, token: str, cost: int, error_code: str | None = None) -> None:
        """A submission has ended."""
        text = json.dumps(self.order, ensure_ascii=False, sort_keys=True, default=str)
        digest = hashlib.sha256(text.encode()).hexdigest()
        self.made.append(Purchase(self.provider.name, token, digest, cost, error_code))

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
    `resubmit_below` micro-dollars and the provider is repeatable. Raises ProviderError.
    """
    until = time.monotonic() + deadline_seconds
    purchases.provider.prepare(purchases.order)
    for retries in range(_MOST_RETRIES + 1):
        try:
            return _buy_once(purchases, folder, until)
        except (TransientError, UnknownSubmissionError) as error:
            wait = _wait_before_retry(error, retries)
            if wait is None or not _may_repeat(purchases, error, resubmit_below):
                raise
            if time.monotonic() + wait > until:
                raise
            sleep(wait)
    raise AssertionError("the last try returns or raises")


def _wait_before_retry(error: ProviderError, retries: int) -> float | None:
    if retries == _MOST_RETRIES or error.code == _TIMED_OUT:
        return None
    asked = getattr(error, "retry_after", None)
    wait = float(asked) if asked is not None else _FIRST_WAIT * 2.0**retries
    return wait if wait <= _LONGEST_WAIT else None


def _may_repeat(purchases: Purchases, error: ProviderError, resubmit_below: int) -> bool:
    if not isinstance(error, UnknownSubmissionError):
        return True
    return purchases.provider.repeatable and purchases.lost_cost < resubmit_below


def _buy_once(purchases: Purchases, folder: Path, until: float) -> Product:
    token = str(uuid4())
    provider, order = purchases.provider, purchases.order
    with _recording_failure(purchases, token):
        receipt = provider.submit(order, token)
        answer = (
            receipt.answer if receipt.answer is not None else _polled(purchases, receipt, until)
        )
        product = provider.fetch(order, answer, folder)
    known = product.cost if product.cost is not None else receipt.cost
    purchases.add(token, provider.price(order) if known is None else known)
    return product


@contextmanager
def _recording_failure(purchases: Purchases, token: str) -> Iterator[None]:
    try:
        yield
    except ProviderError as error:
        cost = error.cost
        if isinstance(error, UnknownSubmissionError) and cost is None:
            cost = purchases.provider.price(purchases.order)
        if cost:
            purchases.add(token, cost, error.code)
        raise


def _polled(purchases: Purchases, receipt: Receipt, until: float) -> StageInput:
    """The verdict of success. Raises ProviderError; TransientError `stage_timeout` where none came in time."""
    while True:
        found = purchases.provider.poll(purchases.order, receipt.external_id)
        if not isinstance(found, InProgress):
            return found.answer
        if time.monotonic() > until:
            purchases.provider.cancel(receipt.external_id)
            raise TransientError(f"{purchases.provider.name}: no verdict in time", code=_TIMED_OUT)
        time.sleep(_POLL_SECONDS)
