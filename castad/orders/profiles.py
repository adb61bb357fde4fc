"""What a profile may hold: fields that orders of one owner have in common. Pure."""

from collections.abc import Mapping
from typing import Any

from pipeline_defs.fields import brief_fields
from pipeline_defs.pipeline import Pipeline
from pipeline_defs.text import visible_line
from resources.contract.errors import InvalidInputError

_LONGEST_NAME = 80


def profile_name(given: str) -> str:
    """The name without blanks around it; raises InvalidInputError."""
    name = given.strip()
    try:
        is_usable = 0 < len(visible_line(name)) <= _LONGEST_NAME
    except ValueError:
        is_usable = False
    if not is_usable:
        raise InvalidInputError("name", f"expected 1 to {_LONGEST_NAME} characters in one line")
    return name


def checked_profile(pipeline: Pipeline, given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields, each one of the pipeline's order; raises InvalidInputError naming another one."""
    known = [each.name for each in brief_fields(pipeline.brief)]
    for name in given:
        if name not in known:
            raise InvalidInputError(str(name)[:40], f"expected one of {', '.join(known)}")
    return dict(given)
