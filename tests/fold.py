"""The state that the events of a request lead to. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from resources.ledger.schema.tables import FOLDED


def fold(history: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The folded columns that a request's events, in order of seq, lead to."""
    state: dict[str, Any] = {}
    for data in history:
        state.update(data["set"])
    state["cancel_requested"] = bool(state["cancel_requested"])
    return {name: state[name] for name in FOLDED}
