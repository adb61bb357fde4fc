"""When a vendor's verdict of failure ends a stage although retries are left, and what is said of it. Pure."""

from dataclasses import dataclass

from resources.contract.errors import PermanentError, ProviderError, SubmissionFailedError

MAX_RETRIES = 3
"""The retries of a request where nobody says how many: the column's default."""


@dataclass(frozen=True)
class VerdictHistory:
    """How often a stage has heard the same verdict, this time included.

    `more_wanted` tells whether a person has asked for more tries: by a retry, or by more than the usual retries.
    """

    times: int
    retries_requested: bool


def error_after_verdict(
    error: SubmissionFailedError, seen: VerdictHistory, task_id: str
) -> ProviderError:
    """The error that says how often it was heard; a PermanentError where nothing is ordered again by itself."""
    again = f" [the same verdict for the {ordinal(seen.times)} time]" if seen.times > 1 else ""
    message = f"{error.message}{again}"
    most = error.resubmissions
    if most is None or seen.times <= most or seen.retries_requested:
        return SubmissionFailedError(message, code=error.code, cost=error.cost, resubmissions=most)
    hint = f"`castad retry {task_id}` orders it again, as often as it has retries"
    return PermanentError(f"{message}; it is not ordered again by itself: {hint}", code=error.code)


def ordinal(number: int) -> str:
    """The number's place in English, such as 1st, 2nd, 3rd, 11th, 21st."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{({1: 'st', 2: 'nd', 3: 'rd'}).get(number % 10, 'th')}"
