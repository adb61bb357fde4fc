"""An event of the ledger in words. Pure.

An operator may have written anything into the table: a value of another kind than castad writes is told as it is.
"""

from collections.abc import Mapping
from typing import Any

from resources.ledger.reads import EventView

_TOLD = ("stage", "provider", "external_id", "message")


def sentence(event: EventView) -> str:
    """The event as a line of history, whatever its data are."""
    moved = "" if event.before == event.after else f": {event.before or 'nothing'} → {event.after}"
    told = [str(event.data[name]) for name in _TOLD if event.data.get(name) is not None]
    changed = event.data.get("changed")
    if isinstance(changed, Mapping):
        told += [f"{name} = {value}" for name, value in changed.items()]
    if event.data.get("cost"):
        told.append(f"{_usd(event.data['cost'])} USD")
    if "attempt" in event.data:
        told.append(f"attempt {event.data['attempt']}")
    line = f"{event.type}{moved}" + (f" ({', '.join(told)})" if told else "")
    return line.encode(errors="replace").decode()  # JSON can write half a character, no text can


def _usd(micro: Any) -> str:
    try:
        return f"{micro / 1_000_000:.4f}"
    except (TypeError, ArithmeticError):
        return str(micro)
