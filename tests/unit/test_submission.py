"""What a submission reads of its request's row."""

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from resources.ledger.moves.core import Lease
from resources.ledger.moves.stages import StageEntry
from resources.ledger.request import Request
from resources.purchase.submission import Submission
from tests.fakes.vendor import Vendor
from tests.sample_request import DISPATCHED, EARLIER, NOW

WAITED = replace(
    DISPATCHED, stage="song", waits_for="verdict:vendor", asked_at=EARLIER, updated_at=NOW
)
WAITS = {
    "for this verdict": (WAITED, 30.0),
    "by a clock that was set back": (replace(WAITED, asked_at=NOW, updated_at=EARLIER), 0.0),
    "for its turn": (replace(WAITED, waits_for="turn:vendor"), None),
    "for another vendor's verdict": (replace(WAITED, waits_for="verdict:other"), None),
    "for another stage's verdict": (replace(WAITED, stage="video"), None),
    "for nothing": (replace(WAITED, waits_for=None), None),
    "since an unknown time": (replace(WAITED, asked_at=None), None),
}


@pytest.mark.parametrize("case", WAITS.values(), ids=WAITS)
def test_submission_resumes_the_wait_for_its_own_verdict_alone(
    case: tuple[Request, float | None],
) -> None:
    request, seconds = case
    attempt: Any = SimpleNamespace(request=request, settings=SimpleNamespace(resubmit_below=0))
    lease, entry = Lease(1, "r", 1, 1, "worker:1"), StageEntry("song", 1, None)
    call = Submission(attempt, lease, entry, Vendor(), {}, lambda sentence: None, nullcontext)
    assert call.resumed_wait == seconds
