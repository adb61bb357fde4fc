"""The events of an order in the language of the page. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from castad.readmodels.status_body import run_url
from castad.web.texts import Translator
from resources.ledger.queries.status import EventView
from resources.views.text import format_details, readable, shorten_to_line

_SHOWN_APART = ("by", "stage")


@dataclass(frozen=True)
class EventShown:
    """One event: what happened, to which stage, by whom; `details` are English."""

    at: datetime
    what: str
    stage: str | None
    new_status: str | None
    details: str
    by: str | None
    run_url: str | None


def event_lines(
    events: Sequence[EventView], ui_url: str, translate: Translator
) -> list[EventShown]:
    """The events in their order; each run is named once, with its first event."""
    runs = [None, *(event.run_id for event in events)]
    return [
        _show_event(event, translate, None if event.run_id == before else run_url(ui_url, event.run_id))
        for before, event in zip(runs, events, strict=False)
    ]


def _show_event(event: EventView, translate: Translator, url: str | None) -> EventShown:
    by, stage = (_text(event.data.get(name)) for name in _SHOWN_APART)
    rest = {name: value for name, value in event.data.items() if name not in _SHOWN_APART}
    return EventShown(
        at=event.at,
        what=translate.find(f"event_{event.type}", event.type),
        stage=stage and translate.find(f"stage_{stage}", stage),
        new_status=None if event.before == event.after else _status(event.after, translate),
        details=shorten_to_line(", ".join(format_details(rest))),
        by=by,
        run_url=url,
    )


def _text(value: object) -> str | None:
    """An operator may have written anything into the table."""
    return None if value is None else str(readable(value))


def _status(status: str, translate: Translator) -> str:
    return translate.find(f"status_{status}", status)
