"""An order's history as JSON: one shape for the command line and the API."""

from typing import Literal

from pydantic import BaseModel, Field

from castad.readmodels.history import RequestHistory
from castad.readmodels.status_body import run_url
from resources.views.text import EXAMPLE_TIMESTAMP, LedgerText, Timestamp, example


class HistoryEntry(BaseModel):
    """One event of the Dagster event log or of the ledger."""

    at: Timestamp
    kind: Literal["request", "run", "step", "asset"]
    what: LedgerText
    run_id: LedgerText | None
    run_url: str | None
    seq: int | None = Field(description="The number of an event of the order itself")


class History(BaseModel):
    """Everything that happened to an order, in time order."""

    model_config = example(
        task_id="shop-1",
        history=[
            {
                "at": EXAMPLE_TIMESTAMP,
                "kind": "request",
                "what": "created: nothing → pending",
                "run_id": None,
                "run_url": None,
                "seq": 1,
            }
        ],
        note=None,
    )

    task_id: LedgerText
    history: list[HistoryEntry]
    note: str | None = Field(description="Which part of it is missing in the Dagster event log")


def history_body(task_id: str, found: RequestHistory, ui_url: str) -> History:
    """The history of an order."""
    entries = [
        HistoryEntry(**vars(entry), run_url=run_url(ui_url, entry.run_id))
        for entry in found.entries
    ]
    return History(task_id=task_id, history=entries, note=found.note)
