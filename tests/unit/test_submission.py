"""What a submission reads of its request's row."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from resources.contract.protocol import StageSettings
from resources.purchase.attempt_ledger import AttemptLedger
from tests.fakes.vendor import Vendor
from tests.sample_request import DISPATCHED, EARLIER, NOW

WAITED = replace(
    DISPATCHED, stage="song", waits_for="final_status:vendor", asked_at=EARLIER, updated_at=NOW
)
WAITS = {
    "for this final status": (WAITED, 30.0),
    "by a clock that was set back": (replace(WAITED, asked_at=NOW, updated_at=EARLIER), 0.0),
    "for a permit": (replace(WAITED, waits_for="permit:vendor"), None),
    "for another vendor's final status": (replace(WAITED, waits_for="final_status:other"), None),
    "for another stage's final status": (replace(WAITED, stage="video"), None),
    "for nothing": (replace(WAITED, waits_for=None), None),
    "since an unknown time": (replace(WAITED, asked_at=None), None),
}


@pytest.mark.parametrize("case", WAITS.values(), ids=WAITS)
def test_submission_resumes_the_wait_for_its_own_final_status_alone(case):
    request, seconds = case
    attempt: Any = SimpleNamespace(request=request, db=None, order={}, task_id="r")
    assert AttemptLedger(attempt, StageSettings("song")).resumed_wait(Vendor()) == seconds
