import pytest

from resources.contract.errors import (
    InvalidInputError,
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.ledger.ledger_errors import DailyBudgetError, ProviderPausedError
from resources.ledger.rules import Failure, FailureAction, classify_failure

ACTIONS = [
    (TransientError("m"), "provider_unavailable", FailureAction.RETRY),
    (SubmissionFailedError("m"), "provider_failed", FailureAction.RETRY),
    (PermanentError("m"), "provider_refused", FailureAction.DEAD_LETTER),
    (OutOfCreditsError("m"), "out_of_credits", FailureAction.RETRY),
    (UnknownSubmissionError("m"), "submission_unknown", FailureAction.LOOK_UP),
    (InvalidInputError("field", "m"), "invalid_payload", FailureAction.DEAD_LETTER),
]


@pytest.mark.parametrize(("error", "code", "action"), ACTIONS, ids=lambda case: str(case))
def test_failure_carries_the_errors_code_and_remedy(error, code, action):
    assert classify_failure(error, "song") == Failure(code, error.message, action)


def test_paused_provider_is_waited_for_by_name():
    failure = classify_failure(ProviderPausedError("suno", "no credits", "out_of_credits"), "song")
    assert (failure.code, failure.action, failure.waits_for) == (
        "out_of_credits",
        FailureAction.WAIT,
        "suno",
    )


def test_spent_daily_budget_is_waited_for_by_name():
    failure = classify_failure(DailyBudgetError("song", 1, 2, 3, wait=60), "song")
    assert (failure.code, failure.action, failure.waits_for) == (
        "daily_budget",
        FailureAction.WAIT,
        "budget",
    )


def test_every_kind_of_provider_error_has_been_given_a_remedy():
    assert {type(error) for error, _, _ in ACTIONS} >= set(ProviderError.__subclasses__())


def test_failure_of_a_bug_names_its_type_and_the_log_with_the_traceback():
    assert classify_failure(KeyError("secret"), "song").message == (
        "song: unexpected KeyError; the traceback is in logs/castad.log of the worker's CASTAD_HOME"
    )


def test_failure_keeps_an_errors_own_code():
    error = TransientError("the disk is full", code="disk_full")
    assert classify_failure(error, "song").code == "disk_full"


def test_bug_is_retried_and_names_only_its_type():
    failure = classify_failure(KeyError("sk-secret"), "song")
    assert (failure.code, failure.action) == ("internal_error", FailureAction.RETRY)
    assert "KeyError" in failure.message
    assert "sk-secret" not in failure.message
