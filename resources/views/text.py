"""Text of views: what events say, and how text, times and examples stand in JSON."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, WithJsonSchema

from resources.ledger.queries.status import EventView
from resources.process.configure_logging import format_utc

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


EXAMPLE_TIMESTAMP = "2026-01-02T03:04:05.678Z"


def readable(value: Any) -> Any:
    """Convert a stored value to text that UTF-8 can encode; None stays None.

    An operator's SQL may have stored a value of any type.
    """
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    return value if value is None else str(value)


LedgerText = Annotated[str, BeforeValidator(readable)]
"""Text of the ledger."""

Timestamp = Annotated[
    datetime,
    PlainSerializer(format_utc, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""UTC with milliseconds and `Z`."""


def example(**members: Any) -> ConfigDict:
    """Make the pydantic config that puts an object with these members into a model's schema as its example."""
    return ConfigDict(json_schema_extra={"examples": [members]})


def get_example(model: type[BaseModel]) -> dict[str, Any]:
    """Return the members that `example` has put into the model's config; none if it has not."""
    extra: Any = model.model_config.get("json_schema_extra", {"examples": [{}]})
    found: dict[str, Any] = extra["examples"][0]
    return found
