"""The rules of a stage's execution: its seed, its progress, its polls, and a wait that it resumes."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.contract.protocol import InProgress, Rate, StageSettings
from resources.purchase.attempt_ledger import AttemptLedger
from resources.purchase.polling import compute_poll_delay
from resources.purchase.stage_context import StageLedger, has_advanced
from resources.purchase.submission import seed_generation
from tests.fakes.vendor import Vendor
from tests.sample_request import DISPATCHED, EARLIER, NOW

SEEDS: tuple[tuple[dict[str, Any], int, dict[str, Any]], ...] = (
    ({"seed": "shop-1", "title": "봄날"}, 1, {"seed": "shop-1", "title": "봄날"}),
    ({"seed": "shop-1", "title": "봄날"}, 2, {"seed": "shop-1#2", "title": "봄날"}),
    ({"seed": 5}, 2, {"seed": 5}),
    ({"title": "봄날"}, 3, {"title": "봄날"}),
)


@pytest.mark.parametrize(("job_input", "generation", "seeded"), SEEDS)
def test_stage_that_is_made_again_has_another_seed_where_that_is_text(
    job_input, generation, seeded
):
    assert seed_generation(job_input, generation) == seeded


def test_payload_with_half_a_character_is_left_to_the_parser_of_its_pipeline():
    ledger = StageLedger("t", {"note": "\ud800"}, StageSettings("song"))
    with pytest.raises(UnicodeEncodeError):
        _ = ledger.request_hash


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


SUNO = Rate(20, 10)
seconds = st.floats(0, 1e5)


def pause(age: float, usual: float = 150, in_flight: int = 1, rate: Rate | None = SUNO) -> float:
    return compute_poll_delay(age, usual, shortest=0.5, longest=30, rate=rate, in_flight=in_flight)


@given(seconds)
def test_job_on_this_machine_ends_unseen_for_a_twentieth_of_its_time(age):
    assert pause(age, rate=None) <= max(age / 20, 0.02) + 1e-9


def test_job_is_asked_seldom_but_about_its_usual_end():
    assert pause(2000, rate=None) == 0.5
    assert pause(0) == pause(2000) == 30
    assert pause(150) < min(pause(75), pause(225))


@given(seconds, seconds, st.integers(1, 10_000))
def test_all_jobs_in_flight_use_at_most_half_of_the_rate(age, usual, in_flight):
    calls_a_second = in_flight / pause(age, usual, in_flight)
    assert calls_a_second <= SUNO.calls / SUNO.seconds / 2 + 1e-9


@given(seconds, seconds)
def test_lonely_job_waits_between_the_shortest_and_the_longest_pause(age, usual):
    assert 0.5 <= pause(age, usual) <= 30
