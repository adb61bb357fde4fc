"""An event of the ledger in words. Pure."""

from resources.ledger.reads import EventView

_TOLD = ("stage", "provider", "external_id", "message")


def sentence(event: EventView) -> str:
    """The event as a line of history."""
    moved = "" if event.before == event.after else f": {event.before or 'nothing'} → {event.after}"
    told = [str(event.data[name]) for name in _TOLD if event.data.get(name) is not None]
    told += [f"{name} = {value}" for name, value in (event.data.get("changed") or {}).items()]
    if event.data.get("cost"):
        told.append(f"{event.data['cost'] / 1_000_000:.4f} USD")
    if "attempt" in event.data:
        told.append(f"attempt {event.data['attempt']}")
    return f"{event.type}{moved}" + (f" ({', '.join(told)})" if told else "")
