"""The ledger's events as clients read them, each one line of JSON. Pure; raises no error for any stored event."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sse_starlette import ServerSentEvent

from pipeline_defs.catalog import get_catalog
from resources.ledger.queries.feed import Cursor
from resources.ledger.queries.status import EventView
from resources.ledger.schema.tables import TERMINAL
from resources.process.configure_logging import format_utc
from resources.views.event_text import describe_event

_MAX_COST = 10**15
_EVENT_FIELDS = (
    *("stage", "provider", "external_id", "attempt", "message", "code", "waits_for", "changed"),
    *("by", "choice"),
)


@dataclass(frozen=True)
class EventLine:
    """One event, rendered once for all streams; `cursor` is that of a stream of all orders after this event.

    `is_final` says that the order has ended with it.
    """

    id: int
    request_id: int
    seq: int
    text: str
    cursor: Cursor
    is_final: bool
    owner: str | None = None

    @cached_property
    def order_frame(self) -> bytes:
        """The Server-Sent Event in a stream of its order."""
        return sse_frame(self.text, event_id=str(self.seq))

    @cached_property
    def all_frame(self) -> bytes:
        """The Server-Sent Event in a stream of all orders."""
        return sse_frame_at(self, self.cursor)


def sse_frame_at(line: EventLine, cursor: Cursor) -> bytes:
    """The event in a stream of all orders, with `cursor` as its id unless that is too long for a header."""
    return sse_frame(line.text, event_id=str(cursor) if cursor.fits_header else None)


def sse_frame(text: str, *, event: str | None = None, event_id: str | None = None) -> bytes:
    """A Server-Sent Event whose lines end in a line feed alone."""
    return ServerSentEvent(text, event=event, id=event_id, sep="\n").encode()


def sse_json_frame(content: Mapping[str, Any], *, event: str, event_id: str | None = None) -> bytes:
    """A Server-Sent Event of this kind with JSON."""
    return sse_frame(_text(content), event=event, event_id=event_id)


def render_event(event: EventView, cursor: Cursor) -> EventLine:
    """The event, rendered for all streams."""
    return EventLine(
        id=event.id,
        request_id=event.request_id,
        seq=event.seq,
        text=_text(event_json(event)),
        cursor=cursor,
        is_final=event.after in TERMINAL,
        owner=event.owner,
    )


def render_events(found: Sequence[EventView], cursor: Cursor) -> list[EventLine]:
    """The events after `cursor`, each with the cursor after it."""
    lines = []
    for event in found:
        cursor = cursor.past([event.id])
        lines.append(render_event(event, cursor))
    return lines


def _text(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, ensure_ascii=False, default=str)
    return text.encode(errors="backslashreplace").decode()


def event_json(event: EventView) -> dict[str, Any]:
    """The event's JSON body; fields that the event does not have are left out."""
    data = event.data
    optional = {
        **_of_row(data.get("set")),
        **{name: value for name in _EVENT_FIELDS if (value := data.get(name)) is not None},
        "run_id": event.run_id,
        "cost_usd": _usd(data.get("cost")),
        "progress": _progress(event.pipeline, event.type, data),
    }
    return {
        "task_id": event.task_id,
        "pipeline": event.pipeline,
        "seq": event.seq,
        "type": event.type,
        "from": event.before,
        "to": event.after,
        "at": format_utc(event.at),
        "text": describe_event(event),
        **{name: value for name, value in optional.items() if value is not None},
    }


def _of_row(changed: object) -> dict[str, Any]:
    """Where the order stands after the event and why, as far as the event has changed it."""
    if not isinstance(changed, Mapping):
        return {}
    return {"stage": changed.get("stage"), "code": changed.get("error_code")}


def _usd(cost: object) -> float | None:
    if isinstance(cost, int | float) and abs(cost) < _MAX_COST:
        return round(cost / 1_000_000, 6)
    return None


def _progress(pipeline: str, kind: str, data: Mapping[str, Any]) -> int | None:
    """The order's progress after this event in percent; None where the event alone does not determine it."""
    if kind == "completed":
        return 100
    stage, found = data.get("stage"), get_catalog().find_pipeline(pipeline)
    stages = () if found is None else found.stage_names
    if kind not in ("stage_started", "stage_completed") or stage not in stages:
        return None
    done = stages.index(str(stage)) + (kind == "stage_completed")
    return 100 * done // len(stages)
