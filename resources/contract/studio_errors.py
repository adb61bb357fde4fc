"""Translate the studio's errors into castad's: the studio does not depend on castad and raises its own."""

from collections.abc import Iterator
from contextlib import contextmanager

from resources.contract.errors import (
    CastadError,
    InvalidInputError,
    PermanentError,
    SubmissionFailedError,
    TransientError,
)
from studio.errors import (
    MissingPartError,
    PictureError,
    RenderError,
    StoppedError,
    StudioError,
    TemporaryError,
)


@contextmanager
def translate_studio_errors() -> Iterator[None]:
    """Re-raise a StudioError from the block as the CastadError of the same meaning and code."""
    try:
        yield
    except StudioError as error:
        raise _translate_error(error) from error


def _translate_error(error: StudioError) -> CastadError:
    """Return the CastadError that corresponds to the studio's error."""
    match error:
        case PictureError():
            return InvalidInputError(error.field, error.expected)
        case MissingPartError():
            return PermanentError(error.message, code=error.code)
        case RenderError():
            return SubmissionFailedError(error.message, code=error.code)
        case TemporaryError() | StoppedError():
            return TransientError(error.message, code=error.code)
        case _:
            return PermanentError(error.message, code=error.code)
