"""An event as text. Pure.

An operator may have written anything into the table: a value of an unexpected type is shown as it is.
"""

import re
from collections.abc import Mapping
from typing import Any

from resources.ledger.queries.reads import EventView

_MARKUP = re.compile(r"[\\`*_{}\[\]<>()#!|~&]")
_DETAILS = ("stage", "provider", "external_id", "message")


def describe_event(event: EventView) -> str:
    """The event as one line of history, whatever its data."""
    moved = "" if event.before == event.after else f": {event.before or 'nothing'} → {event.after}"
    details = [str(event.data[name]) for name in _DETAILS if event.data.get(name) is not None]
    changed = event.data.get("changed")
    if isinstance(changed, Mapping):
        details += [f"{name} = {value}" for name, value in changed.items()]
    if event.data.get("choice") is not None:
        details.append(f"choice {event.data['choice']}")
    if event.data.get("moment") is not None:
        details.append(f"at {event.data['moment']} s")
    if event.data.get("by") is not None:
        details.append(f"by {event.data['by']}")
    if event.data.get("cost"):
        details.append(f"{_usd(event.data['cost'])} USD")
    if "attempt" in event.data:
        details.append(f"attempt {event.data['attempt']}")
    line = f"{event.type}{moved}" + (f" ({', '.join(details)})" if details else "")
    # JSON can hold a lone surrogate, UTF-8 cannot.
    return " ".join(line.split()).encode(errors="replace").decode()


def as_markdown(text: str) -> str:
    """Markdown that renders as this line: a vendor's text must not become an image, a link or a tag."""
    return _MARKUP.sub(r"\\\g<0>", text)


def _usd(micro: Any) -> str:
    try:
        return f"{micro / 1_000_000:.4f}"
    except (TypeError, ArithmeticError):
        return str(micro)
