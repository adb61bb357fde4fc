"""The error of a submission that may or may not have been accepted."""

from resources.contract.errors import UnknownSubmissionError


def unknown_submission_error(stage: str, provider: str, why: str) -> UnknownSubmissionError:
    """A submission in doubt; it waits for a callback, a look-up or an operator."""
    return UnknownSubmissionError(
        f"{stage}: the submission to {provider} may or may not have been accepted ({why}); "
        "it is not sent again"
    )
