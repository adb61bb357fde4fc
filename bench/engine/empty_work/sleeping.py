"""A vendor without a network: it takes an order and has it done so many seconds later, whoever asks.

What a job is follows from its id alone, so it outlives every process here, as a vendor's would. It costs
something and does not give lost jobs back, so that the ledger treats it as it treats a paid vendor.
"""

import time
from collections.abc import Mapping
from pathlib import Path

from bench.engine.stub import count_call
from resources.contract.protocol import (
    BeforeSend,
    InProgress,
    Json,
    Product,
    Receipt,
    StageInput,
    Succeeded,
    allow_send,
)

PRICE = 60_000


class SleepingProvider:
    """Sleeps as long as the order says."""

    name = "sleeper"
    usual_seconds = 1.0
    unique_ids = True
    repeatable = False
    token_is_id = False
    rate = None

    def price(self, order: StageInput) -> int:
        """Return a price above the limit up to which castad submits a job again by itself."""
        return PRICE

    def prepare(self, order: StageInput) -> None:
        """Do nothing: this provider needs no preparation."""

    def submit(
        self, order: StageInput, token: str, before_send: BeforeSend = allow_send
    ) -> Receipt:
        """Count the call and start the job's time."""
        before_send()
        count_call(str(order["task_id"]), str(order["stage"]))
        return Receipt(f"{time.time() + float(order['seconds'])!r}:{token}")

    def find(self, token: str) -> str | None:
        """Return None: this provider keeps no list of jobs."""
        return None

    def owns(self, external_id: str, token: str) -> bool | None:
        """Return whether the id ends in the token."""
        return external_id.endswith(f":{token}")

    def poll(self, order: StageInput, external_id: str) -> InProgress | Succeeded:
        """Return success once the job's time is over."""
        until = float(external_id.partition(":")[0])
        return Succeeded() if time.time() >= until else InProgress()

    def fetch(self, order: StageInput, answer: Mapping[str, Json], folder: Path) -> Product:
        """Return a short text and no files."""
        return Product({"text": f"{order['stage']} of {order['task_id']}"})

    def cancel(self, external_id: str) -> None:
        """Do nothing: a sleeping job holds nothing that could be released."""

    def account_status(self) -> str:
        """Return a constant: this provider is always available."""
        return "sleeps"
