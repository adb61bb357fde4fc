"""When a failure that a vendor reports ends a stage although retries are left. Pure."""

from dataclasses import dataclass

from resources.contract.errors import PermanentError, ProviderError, SubmissionFailedError

MAX_RETRIES = 3
"""The default of the column `max_retries`."""


@dataclass(frozen=True)
class FailureHistory:
    """How often a stage has had the same failure, including this one.

    `retries_requested` is whether a person asked for more tries: by a retry, or by a raised max_retries.
    """

    times: int
    retries_requested: bool


def limit_resubmissions(
    error: SubmissionFailedError, seen: FailureHistory, task_id: str
) -> ProviderError:
    """The failure's error with its count; a PermanentError once the stage may not be submitted again."""
    again = f" [the same failure for the {ordinal(seen.times)} time]" if seen.times > 1 else ""
    message = f"{error.message}{again}"
    most = error.resubmissions
    if most is None or seen.times <= most or seen.retries_requested:
        return SubmissionFailedError(message, code=error.code, cost=error.cost, resubmissions=most)
    hint = f"`castad retry {task_id}` submits it again, as often as it has retries"
    return PermanentError(f"{message}; castad does not submit it again: {hint}", code=error.code)


def ordinal(number: int) -> str:
    """The English ordinal of a number, such as 1st, 2nd, 3rd, 11th, 21st."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{({1: 'st', 2: 'nd', 3: 'rd'}).get(number % 10, 'th')}"
