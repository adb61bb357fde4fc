"""Purchases of direct answers: what is accepted is never submitted again, and what is spent is known."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from castad.direct.answering import Answering
from castad.direct.budget import DailyBudget
from castad.direct.ledger_import import DirectJob
from pipeline_defs.capabilities import list_stateless
from pipeline_defs.catalog import Catalog, get_catalog
from pipeline_defs.pipeline import BoughtStage, LocalStage
from resources.contract.errors import (
    PermanentError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import BeforeSend, InProgress, Product, Receipt, Succeeded
from resources.delivery.spool import Spool
from resources.process.settings import Settings

SCAN = get_catalog().get_pipeline("scan")
PRICE = 10
AWAY = TransientError("away")
BUSY = TransientError("busy", retry_after=0.0)
LOST = UnknownSubmissionError("lost")
LOSSES = [(PRICE, "submission_unknown")]


def busy(seconds: float) -> TransientError:
    return TransientError("busy", retry_after=seconds)


class Vendor:
    """It answers each call by what is scripted for it; an error is raised."""

    name = "vendor"
    rate = None
    token_is_id = False
    unique_ids = True
    usual_seconds = 1.0

    def __init__(self, script: Mapping[str, list[Any]], *, repeatable: bool) -> None:
        self.script = {call: list(steps) for call, steps in script.items()}
        self.repeatable = repeatable
        self.submitted: list[str] = []
        self.canceled: list[str] = []

    def price(self, job_input: object) -> int:
        return PRICE

    def prepare(self, job_input: object) -> None: ...

    def find(self, token: str) -> None: ...

    def submit(self, job_input: object, token: str, before_send: BeforeSend) -> Receipt:
        before_send()
        self.submitted.append(token)
        return self._next("submit", Receipt("id"))

    def poll(self, job_input: object, external_id: str) -> Any:
        return self._next("poll", Succeeded())

    def fetch(self, job_input: object, answer: object, folder: Path) -> Product:
        return self._next("fetch", Product({}))

    def cancel(self, external_id: str) -> None:
        self.canceled.append(external_id)

    def _next(self, call: str, otherwise: Any) -> Any:
        steps = self.script.get(call) or [otherwise]
        step = steps.pop(0) if len(steps) > 1 else steps[0]
        if isinstance(step, Exception):
            raise step
        return step


class Made(BaseModel):
    """What the stage makes."""


def make_nothing(*of: object) -> Product:
    return Product({})


STAGES = (
    BoughtStage("first", Made, "Buy", job_input=lambda *of: {}, makers=("vendor",)),
    LocalStage("save", Made, "Hand over", work=make_nothing),
)
PLAIN = replace(
    list_stateless([SCAN])[0], after=("save",), result=lambda *of: {}, saves=lambda *of: ()
)
CASES: dict[str, tuple[dict[str, list[Any]], dict[str, Any], int, list[Any], str | None]] = {
    "all is well": ({}, {}, 1, [(PRICE, None)], None),
    "away at polls": ({"poll": [AWAY] * 4 + [Succeeded()]}, {}, 1, [(PRICE, None)], None),
    "away at fetches": ({"fetch": [AWAY, AWAY, Product({})]}, {}, 1, [(PRICE, None)], None),
    "no final status in time": (
        {"poll": [InProgress()]},
        {"deadline": 0.05},
        1,
        [(PRICE, "stage_timeout")],
        "stage_timeout",
    ),
    "failed": ({"poll": [SubmissionFailedError("no", code="no")]}, {}, 1, [(PRICE, "no")], "no"),
    "refused for now": ({"submit": [BUSY]}, {}, 3, [], AWAY.code),
    "refused for 3.9 s": ({"submit": [busy(3.9)]}, {}, 3, [], AWAY.code),
    "refused for 4 s": ({"submit": [busy(4.0)]}, {}, 3, [], AWAY.code),
    "refused for 4.1 s": ({"submit": [busy(4.1)]}, {}, 1, [], AWAY.code),
    "refused beyond the deadline": ({"submit": [busy(3)]}, {"deadline": 2}, 1, [], AWAY.code),
    "refused for now by one that is not repeatable": (
        {"submit": [BUSY]},
        {"repeatable": False, "below": 0},
        3,
        [],
        AWAY.code,
    ),
    "refused": ({"submit": [PermanentError("no")]}, {}, 1, [], PermanentError.code),
    "lost": ({"submit": [LOST]}, {}, 3, LOSSES * 3, LOST.code),
    "lost at no allowance": ({"submit": [LOST]}, {"below": 0}, 1, LOSSES, LOST.code),
    "lost at the allowance": ({"submit": [LOST]}, {"below": PRICE}, 1, LOSSES, LOST.code),
    "lost below the allowance": ({"submit": [LOST]}, {"below": 11}, 2, LOSSES * 2, LOST.code),
    "lost by one that is not repeatable": (
        {"submit": [LOST]},
        {"repeatable": False},
        1,
        LOSSES,
        LOST.code,
    ),
    "lost once": ({"submit": [LOST, Receipt("id", {}, 7)]}, {}, 2, [*LOSSES, (7, None)], None),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_answer_submits_again_only_what_was_not_accepted_and_keeps_what_it_cost(
    case, tmp_path, monkeypatch
):
    script, chosen, submitted, costs, code = case
    vendor = Vendor(script, repeatable=chosen.get("repeatable", True))
    monkeypatch.setattr(Catalog, "make_stage_provider", lambda *of: vendor)
    monkeypatch.setattr(Catalog, "estimate_prices", lambda *of: {"first": PRICE, "save": 0})
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    settings = Settings(
        home=tmp_path,
        call_deadline=chosen.get("deadline", 60),
        resubmit_below=chosen.get("below", 100) / 1_000_000,
    )
    spool, job = Spool(tmp_path), DirectJob("s1", "shop", {"note": "소주병"})
    pipeline = replace(SCAN, stages=STAGES, extras=(PLAIN,))
    with closing(Answering(pipeline, settings, spool, DailyBudget(spool, None))) as answering:
        answering.answer(job)
    [entry] = spool.waiting()
    bought = [(each["cost"], each["error_code"]) for each in entry.body["stages"][0]["purchases"]]
    assert (len(vendor.submitted), bought) == (submitted, costs)
    assert (job.body or {}).get("error") == (code and job.events[-1]["error"])
    assert entry.body["error"] == (code and [code, job.events[-1]["error"]["message"]])
    assert vendor.canceled == (["id"] if code == "stage_timeout" else [])
