"""How many retries a request's events tell of, in the stage that it stands in."""

from collections.abc import Iterable, Mapping
from typing import Any

_BEGIN_ANEW = ("stage_completed", "retried", "redone", "corrected", "redriven")
_BY_SQL = ("created", "edited")


def retries_told(story: Iterable[tuple[str, Mapping[str, Any]]]) -> int:
    """The count by the types of the events, in their order; a look-up of a lost submission is no retry."""
    count = 0
    for kind, data in story:
        written = data["set"]
        if kind in _BY_SQL:
            count = written.get("retry_count", count)
        elif kind in _BEGIN_ANEW:
            count = 0
        elif kind == "failed" and written.get("error_code") != "submission_unknown":
            count += 1
    return count
