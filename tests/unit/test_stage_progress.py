"""Whether a report of progress is worth being saved."""

import pytest

from resources.contract.protocol import InProgress
from resources.purchase.stage_context import has_advanced

HALF = InProgress(0.5)
ADVANCES = {
    "less than a step": (HALF, InProgress(0.7), 0.25, False),
    "a step": (HALF, InProgress(0.75), 0.25, True),
    "more than a step": (HALF, InProgress(0.8), 0.25, True),
    "a step back": (HALF, InProgress(0.25), 0.25, False),
    "other words alone": (HALF, InProgress(0.5, "words"), 0.25, False),
    "nothing where every change counts": (HALF, HALF, 0.0, False),
    "a step back where every change counts": (HALF, InProgress(0.25), 0.0, True),
    "known no more": (HALF, InProgress(None), 0.25, True),
    "known now": (InProgress(None), InProgress(0.1), 0.25, True),
    "unknown as before": (InProgress(None), InProgress(None), 0.25, False),
}


@pytest.mark.parametrize("case", ADVANCES.values(), ids=ADVANCES)
def test_progress_has_advanced_by_a_step_or_from_or_to_what_is_unknown(case):
    before, report, step, advanced = case
    assert has_advanced(report, before, step) is advanced
