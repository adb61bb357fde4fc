"""What a profile may hold: fields that orders of one owner have in common. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from pipeline_defs.fields import list_order_fields, normalize_line, normalize_text
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.contract.written_text import is_longer_than

_LONGEST_NAME = 80
_MOST_LEVELS = 20


def profile_name(given: str) -> str:
    """The name without blanks around it, fit for a path; raises InvalidInputError."""
    name = sought_name(given)
    if "/" in name or not name.strip("."):
        # Clients take them for other paths: no call would reach such a profile.
        raise InvalidInputError("name", "expected a name without / that is not of dots alone")
    return name


def sought_name(given: str) -> str:
    """The name, without blanks around it, that a profile may have; raises InvalidInputError."""
    try:
        name = normalize_line(given)
    except ValueError:
        name = ""
    if not name or is_longer_than(name, _LONGEST_NAME):
        raise InvalidInputError("name", f"expected 1 to {_LONGEST_NAME} characters in one line")
    return name


def checked_profile(pipeline: Pipeline, given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields, of plain text and each one of the pipeline's order; raises InvalidInputError naming another."""
    known = [each.name for each in list_order_fields(pipeline.order_model)]
    for name, value in given.items():
        if name not in known:
            raise InvalidInputError(
                name.encode(errors="replace").decode()[:40], f"expected one of {', '.join(known)}"
            )
        try:
            for text in _texts(value):
                normalize_text(text)
        except ValueError as error:
            raise InvalidInputError(name, str(error)) from None
    return dict(given)


def _texts(value: Any) -> Iterator[str]:
    """All texts in a JSON value, the names in its objects too; raises ValueError for one of too many levels."""
    left = [(value, 1)]
    while left:
        each, level = left.pop()
        if level > _MOST_LEVELS:
            raise ValueError(f"expected at most {_MOST_LEVELS} levels of lists and objects")
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            left += [(inner, level + 1) for inner in (*each, *each.values())]
        elif isinstance(each, list):
            left += [(inner, level + 1) for inner in each]
