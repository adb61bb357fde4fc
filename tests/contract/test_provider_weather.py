from collections import Counter
from collections.abc import Callable

import pytest

from resources.contract.errors import (
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    UnknownSubmissionError,
)
from resources.contract.protocol import Receipt, Succeeded
from tests.contract.deals import as_stored
from tests.contract.subjects import SECRET, VENDORS
from tests.contract.weather import ANY_STATUS, NEVER_ENDING, SOME_STATUSES, Outcome, Walk, walk
from tests.fakes.faults import AFTER

LONGEST_MESSAGE = 400
FILES = {
    *("song.mp3", "song-2.mp3", "video.mp4", "thumbnail.jpg", "cover.jpg"),
    *("lyrics.vtt", "lyrics.srt", "lyrics.lrc", "rendered-1.png"),
}


WALKS = [
    *(pytest.param((name, SOME_STATUSES), id=name) for name in VENDORS),
    *(
        pytest.param((name, ANY_STATUS), id=f"{name}-any-status", marks=pytest.mark.slow)
        for name in VENDORS
    ),
]


@pytest.fixture(scope="module", params=WALKS)
def walked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """What came of everything that this vendor can do, looked at by every law."""
    name, statuses = request.param
    with VENDORS[name](tmp_path_factory.mktemp("weather")) as subject:
        return walk(subject, statuses)


def all_of(walked: Walk) -> list[Outcome]:
    return [outcome for outcomes in walked.outcomes.values() for outcome in outcomes]


def breaches(outcomes: list[Outcome], is_breach: Callable[[Outcome], object]) -> list[Outcome]:
    return [outcome for outcome in outcomes if is_breach(outcome)]


def is_accounted(outcome: Outcome) -> bool:
    return isinstance(outcome.error, ProviderError) and bool(outcome.error.cost)


# The submission


def test_only_the_errors_of_providers_leave_a_provider(walked):
    def is_foreign(outcome: Outcome) -> bool:
        return outcome.error is not None and not isinstance(outcome.error, ProviderError)

    assert breaches(all_of(walked), is_foreign) == []


def test_job_that_was_taken_is_never_called_refused(walked):
    def is_lost(outcome: Outcome) -> bool:
        says_refused = outcome.error and not isinstance(outcome.error, UnknownSubmissionError)
        return bool(says_refused) and not is_accounted(outcome) and outcome.token in walked.charged

    assert breaches(walked.outcomes["submit"], is_lost) == []


def test_job_with_a_receipt_was_taken(walked):
    def is_invented(outcome: Outcome) -> bool:
        return outcome.error is None and outcome.token not in walked.charged

    assert breaches(walked.outcomes["submit"], is_invented) == []


def test_job_is_charged_once_at_most_and_nothing_else_at_all(walked):
    counted = Counter(walked.charged)
    assert set(counted.values()) == {1}
    assert set(counted) <= {outcome.token for outcome in walked.outcomes["submit"]}


def test_job_that_went_wrong_after_it_was_taken_was_charged(walked):
    def is_unlike_its_fault(outcome: Outcome) -> bool:
        taken = outcome.fault.kind in AFTER
        return outcome.fault.kind not in NEVER_ENDING and (outcome.token in walked.charged) != taken

    assert breaches(walked.outcomes["submit"], is_unlike_its_fault) == []


# The job and its product


def test_question_that_went_wrong_is_no_final_status(walked):
    def is_final_status(outcome: Outcome) -> bool:
        return isinstance(outcome.error, SubmissionFailedError | PermanentError)

    assert breaches(walked.outcomes["poll"], is_final_status) == []


def test_answer_that_is_believed_can_be_stored(walked):
    def is_unfit(outcome: Outcome) -> bool:
        answer = outcome.value.answer if isinstance(outcome.value, Receipt | Succeeded) else None
        return bool(as_stored(answer) != answer)

    assert breaches(all_of(walked), is_unfit) == []


def test_fetch_that_went_wrong_leaves_no_half_file(walked):
    assert walked.fetched <= FILES


# What is told


def test_error_is_one_short_line(walked):
    def is_long(outcome: Outcome) -> bool:
        message = str(outcome.error) if outcome.error else ""
        return len(message) > LONGEST_MESSAGE or not message.isprintable()

    assert breaches(all_of(walked), is_long) == []


def test_error_begins_with_whom_it_is_about(walked):
    def is_nameless(outcome: Outcome) -> bool:
        return outcome.error is not None and not str(outcome.error).startswith(f"{walked.vendor}: ")

    assert breaches(all_of(walked), is_nameless) == []


def test_key_that_the_vendor_repeats_is_told_to_nobody(walked):
    assert breaches(all_of(walked), lambda outcome: SECRET in outcome.told) == []
