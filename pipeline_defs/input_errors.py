"""Pydantic's errors as one sentence that names the field and what was expected."""

from collections.abc import Sequence

from pydantic import ValidationError

from resources.contract.errors import InvalidInputError
from resources.contract.refusals import expected_of


def first_input_error(error: ValidationError, fields: Sequence[str]) -> InvalidInputError:
    """The first error as a sentence, which does not repeat the customer's values."""
    first = error.errors(include_url=False, include_input=False)[0]
    location = _path(first["loc"]) or "the order"
    if first["type"] == "extra_forbidden":
        return InvalidInputError(
            ascii(_path(first["loc"]))[1:-1][:80] or "(a field without a name)",
            f"is not a field of the order; expected {', '.join(fields)}",
        )
    return InvalidInputError(location, expected_of(first))


def _path(location: Sequence[int | str]) -> str:
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path
