"""An event of the ledger as clients read it, one line of JSON. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pipeline_defs.song_video.brief import STAGES
from resources.ledger.event_text import sentence
from resources.ledger.reads import EventView
from resources.ledger.tables import TERMINAL

_TOLD = ("stage", "provider", "external_id", "attempt", "message", "code", "changed")


@dataclass(frozen=True)
class EventLine:
    """One event; `ends` tells whether nothing follows by itself."""

    id: int
    request_id: int
    seq: int
    type: str
    text: str
    ends: bool


def line_of(event: EventView) -> EventLine:
    """The event, its text rendered once for all who read it."""
    return EventLine(
        id=event.id,
        request_id=event.request_id,
        seq=event.seq,
        type=event.type,
        text=json.dumps(event_json(event), ensure_ascii=False, default=str),
        ends=event.after in TERMINAL,
    )


def event_json(event: EventView) -> dict[str, Any]:
    """All that clients are told of it; what it does not tell is left out."""
    data = event.data
    cost = data.get("cost")
    told = {
        **{name: data.get(name) for name in _TOLD},
        "run_id": event.run_id,
        "cost_usd": None if cost is None else round(cost / 1_000_000, 6),
        "progress": _progress(event.type, data),
    }
    return {
        "task_id": event.task_id,
        "seq": event.seq,
        "type": event.type,
        "from": event.before,
        "to": event.after,
        "at": event.at.isoformat(),
        "text": sentence(event),
        **{name: value for name, value in told.items() if value is not None},
    }


def _progress(kind: str, data: Mapping[str, Any]) -> int | None:
    """How far the order is after this event, in percent; None where the event alone does not tell."""
    if kind == "completed":
        return 100
    stage = data.get("stage")
    if kind not in ("stage_started", "stage_completed") or stage not in STAGES:
        return None
    done = STAGES.index(stage) + (kind == "stage_completed")
    return 100 * done // len(STAGES)
