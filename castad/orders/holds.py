"""The options of an order that make it wait for a person: which stages, for how long, and what follows then."""

from collections.abc import Mapping
from typing import Any

from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.ledger.transitions.approval import CANCEL, CONTINUE

HOLD, SECONDS, THEN = "hold", "hold_seconds", "hold_then"
SHORTEST_SECONDS, LONGEST_SECONDS = 60, 2_592_000


def parse_hold(field: str, given: Any) -> tuple[str, ...]:
    """The names in a list, or in a text with commas between them; raises InvalidInputError."""
    names = given.split(",") if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(isinstance(each, str) for each in names):
        raise InvalidInputError(field, "expected a list of stages")
    return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))


def parse_hold_then(field: str, given: Any) -> str:
    """What follows when the time is over; raises InvalidInputError."""
    if given not in (CONTINUE, CANCEL):
        raise InvalidInputError(field, f"expected {CONTINUE} or {CANCEL}")
    return str(given)


def check_hold(pipeline: Pipeline, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with the stages as the ledger has them, and with what follows; raises InvalidInputError."""
    stages = options.get(HOLD) or ()
    pipeline.check_hold(stages)
    others = {name: value for name, value in options.items() if name != HOLD}
    for name in (SECONDS, THEN):
        if name in options and not stages:
            raise InvalidInputError(name, f"expected only with {HOLD}")
    if THEN in options and SECONDS not in options:
        raise InvalidInputError(THEN, f"expected only with {SECONDS}")
    then = {THEN: CANCEL} if SECONDS in options else {}
    return {**({HOLD: ",".join(stages)} if HOLD in options else {}), **then, **others}
