"""Describe the ledger's events in words. Pure; raises no error for any stored event."""

import re
from collections.abc import Mapping
from typing import Any

from resources.ledger.queries.status import EventView

_MARKUP = re.compile(r"[\\`*_{}\[\]<>()#!|~&]")
_DETAILS = ("stage", "provider", "external_id", "message")


def describe_event(event: EventView) -> str:
    """Describe the event in one line of history; a value of an unexpected type is shown unchanged."""
    transition = (
        "" if event.before == event.after else f": {event.before or 'nothing'} → {event.after}"
    )
    details = format_details(event.data)
    return shorten_to_line(
        f"{event.type}{transition}" + (f" ({', '.join(details)})" if details else "")
    )


def format_details(data: Mapping[str, Any]) -> list[str]:
    """List the details in an event's data, each as a few words; empty if there are none."""
    details = [str(data[name]) for name in _DETAILS if data.get(name) is not None]
    changed = data.get("changed")
    if isinstance(changed, Mapping):
        details += [f"{name} = {value}" for name, value in changed.items()]
    if data.get("choice") is not None:
        details.append(f"choice {data['choice']}")
    if data.get("moment") is not None:
        details.append(f"at {data['moment']} s")
    if data.get("by") is not None:
        details.append(f"by {data['by']}")
    if data.get("cost"):
        details.append(f"{_format_usd(data['cost'])} USD")
    if "attempt" in data:
        details.append(f"attempt {data['attempt']}")
    return details


def shorten_to_line(text: str) -> str:
    """Replace all whitespace by single spaces, and lone surrogates (no UTF-8) by question marks."""
    return " ".join(text.split()).encode(errors="replace").decode()


def as_markdown(text: str) -> str:
    """Escape the text for Markdown, so that a vendor's text cannot become an image, a link or a tag."""
    return _MARKUP.sub(r"\\\g<0>", text)


def _format_usd(micro: Any) -> str:
    """Format micro-dollars as dollars with four decimals; a value that is no number as it is."""
    try:
        return f"{micro / 1_000_000:.4f}"
    except (TypeError, ArithmeticError):
        return str(micro)
