"""Whether the fields of an order's model can be the options of commands and the parameters of calls. Pure."""

import re
from collections.abc import Iterator, Sequence

from pipeline_defs.fields import BriefField

ORDER_OPTIONS = (
    *("task_id", "pipeline", "priority", "max_retries", "not_before", "callback_url"),
    *("hold", "hold_seconds", "hold_then"),
)
"""The fields of every order that are about its processing, not its content."""

RESERVED = frozenset(
    (
        *ORDER_OPTIONS,
        *("target", "dry_run", "as_json", "json", "help", "from", "stage", "generation"),
    )
)
"""No field is called so, nor its option with hyphens for underscores: commands and calls need these names."""

_FLAG = re.compile(r"\w[\w-]*")


def brief_faults(fields: Sequence[BriefField]) -> Iterator[tuple[str, str]]:
    """Each field that cannot be an option or a parameter, and what was expected of it."""
    owners: dict[str, str] = {}
    for field in fields:
        if field.name in RESERVED:
            yield field.name, "expected another name: an option of commands or orders has this one"
        for option in field.options:
            name = option.removeprefix("--")
            if not _FLAG.fullmatch(name):
                yield field.name, f"expected a flag of letters, digits and hyphens, got {name!a}"
            elif name.replace("-", "_") in RESERVED:
                yield field.name, f"expected another flag: {option} is an option of commands"
            elif option in owners:
                yield field.name, f"expected another flag: {option} is that of {owners[option]}"
            owners[option] = field.name
