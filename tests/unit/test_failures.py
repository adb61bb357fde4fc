import pytest

from resources.contract.errors import (
    CastadError,
    InvalidInputError,
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.ledger.errors import DailyBudgetError, ProviderParkedError
from resources.ledger.failures import failure_of, waits_of
from resources.ledger.rules import Failure, Remedy, Waits
from tests.conftest import MakeSettings

REMEDIES = [
    (TransientError("m"), "provider_unavailable", Remedy.RETRY),
    (SubmissionFailedError("m"), "provider_failed", Remedy.RETRY),
    (PermanentError("m"), "provider_refused", Remedy.NONE),
    (OutOfCreditsError("m"), "out_of_credits", Remedy.RETRY),
    (UnknownSubmissionError("m"), "submission_unknown", Remedy.LOOK_UP),
    (InvalidInputError("field", "m"), "invalid_payload", Remedy.NONE),
]


@pytest.mark.parametrize(("error", "code", "remedy"), REMEDIES, ids=lambda case: str(case))
def test_failure_carries_the_errors_code_and_remedy(
    error: CastadError, code: str, remedy: Remedy
) -> None:
    assert failure_of(error, "song") == Failure(code, error.message, remedy)


def test_parked_provider_is_waited_for_by_name() -> None:
    failure = failure_of(ProviderParkedError("suno", "no credits", "out_of_credits"), "song")
    assert (failure.code, failure.remedy, failure.waits_for) == (
        "out_of_credits",
        Remedy.WAIT,
        "suno",
    )


def test_spent_daily_budget_is_waited_for_by_name() -> None:
    failure = failure_of(DailyBudgetError("song", 1, 2, 3, wait=60), "song")
    assert (failure.code, failure.remedy, failure.waits_for) == (
        "daily_budget",
        Remedy.WAIT,
        "budget",
    )


def test_every_kind_of_provider_error_has_been_given_a_remedy() -> None:
    assert {type(error) for error, _, _ in REMEDIES} >= set(ProviderError.__subclasses__())


def test_failure_keeps_an_errors_own_code() -> None:
    error = TransientError("the disk is full", code="disk_full")
    assert failure_of(error, "song").code == "disk_full"


def test_bug_is_retried_and_names_only_its_type() -> None:
    failure = failure_of(KeyError("sk-secret"), "song")
    assert (failure.code, failure.remedy) == ("internal_error", Remedy.RETRY)
    assert "KeyError" in failure.message
    assert "sk-secret" not in failure.message


def test_waits_are_the_stages_settings(make_settings: MakeSettings) -> None:
    config = make_settings(retry_song=60, unknown_grace=900)
    assert waits_of(config, "song") == Waits(retry=60, unknown_grace=900)


def test_stage_without_a_setting_waits_like_the_first(make_settings: MakeSettings) -> None:
    assert waits_of(make_settings(retry_lyric=7), "poster").retry == 7
