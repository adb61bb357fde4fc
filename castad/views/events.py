"""Events, changed orders and progress, as live streams show them."""

import json
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from sse_starlette import ServerSentEvent

from castad.views.order_list import limit_share, read_orders, to_percent
from pipeline_defs.catalog import get_catalog
from resources.ledger.db.database import Database
from resources.ledger.queries.feed import Cursor
from resources.ledger.queries.money import compute_usual_seconds
from resources.ledger.queries.status import EventView, RunningStage, read_progress
from resources.ledger.schema.tables import TERMINAL
from resources.process.configure_logging import format_utc
from resources.process.settings import settings
from resources.views.order_body import to_dollars
from resources.views.text import describe_event

_MAX_COST = 10**15
_EVENT_FIELDS = (
    *("stage", "provider", "external_id", "attempt", "message", "code", "waits_for", "changed"),
    *("by", "choice"),
)


@dataclass(frozen=True)
class EventLine:
    """One event, rendered once for all streams.

    `cursor` is that of a stream of all orders after this event. `is_final` says that the event ended its order.
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
        """The Server-Sent Event for a stream of its order."""
        return build_sse_frame(self.text, event_id=str(self.seq))

    @cached_property
    def all_frame(self) -> bytes:
        """The Server-Sent Event for a stream of all orders."""
        return build_frame_at(self, self.cursor)


def build_frame_at(line: EventLine, cursor: Cursor) -> bytes:
    """Build the event's frame for a stream of all orders; omit the id if `cursor` is too long for a header."""
    return build_sse_frame(line.text, event_id=str(cursor) if cursor.fits_header else None)


def build_sse_frame(text: str, *, event: str | None = None, event_id: str | None = None) -> bytes:
    """Build a Server-Sent Event whose lines end in a line feed alone."""
    return ServerSentEvent(text, event=event, id=event_id, sep="\n").encode()


def build_sse_json_frame(
    content: Mapping[str, Any], *, event: str, event_id: str | None = None
) -> bytes:
    """Build a Server-Sent Event of this kind with JSON."""
    return build_sse_frame(_encode_json(content), event=event, event_id=event_id)


def render_event(event: EventView, cursor: Cursor) -> EventLine:
    """Render the event for all streams."""
    return EventLine(
        id=event.id,
        request_id=event.request_id,
        seq=event.seq,
        text=_encode_json(build_event_json(event)),
        cursor=cursor,
        is_final=event.after in TERMINAL,
        owner=event.owner,
    )


def render_events(found: Sequence[EventView], cursor: Cursor) -> list[EventLine]:
    """Render the events after `cursor`, each with the cursor after it."""
    lines = []
    for event in found:
        cursor = cursor.past([event.id])
        lines.append(render_event(event, cursor))
    return lines


def _encode_json(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, ensure_ascii=False, default=str)
    return text.encode(errors="backslashreplace").decode()


def build_event_json(event: EventView) -> dict[str, Any]:
    """Build the event's JSON body, without the fields that the event does not have.

    `stage` and `code` of an event that changed the order's row are those of the row, unless the event has its own.
    """
    data = event.data
    changed, cost = data.get("set"), data.get("cost")
    of_row = (
        {"stage": changed.get("stage"), "code": changed.get("error_code")}
        if isinstance(changed, Mapping)
        else {}
    )
    optional = {
        **of_row,
        **{name: value for name in _EVENT_FIELDS if (value := data.get(name)) is not None},
        "run_id": event.run_id,
        "cost_usd": to_dollars(cost)
        if isinstance(cost, int | float) and abs(cost) < _MAX_COST
        else None,
        "progress": _compute_progress(event.pipeline, event.type, data),
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


def _compute_progress(pipeline: str, kind: str, data: Mapping[str, Any]) -> int | None:
    """Compute the order's progress after this event in percent; None if the event alone does not determine it."""
    if kind == "completed":
        return 100
    stage, found = data.get("stage"), get_catalog().find_pipeline(pipeline)
    stages = () if found is None else found.stage_names
    if kind not in ("stage_started", "stage_completed") or stage not in stages:
        return None
    return to_percent(stages.index(str(stage)) + (kind == "stage_completed"), len(stages))


EVENT = "orders"
_PER_FRAME = 200


class ChangedOrders:
    """The orders that have changed and were not sent yet; for one thread."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._ids: dict[int, None] = {}

    def __bool__(self) -> bool:
        return bool(self._ids)

    def add(self, request_ids: Iterable[int]) -> None:
        """Add orders that have changed."""
        self._ids |= dict.fromkeys(request_ids)

    def clear(self) -> None:
        """Forget all changed orders."""
        self._ids.clear()

    def take_frame(self) -> bytes:
        """Build the frame with up to 200 orders, those that changed first; forget them once they are read."""
        ids = [*islice(self._ids, _PER_FRAME)]
        orders = [order.model_dump(mode="json") for order in read_orders(self._db, ids)]
        for each in ids:
            del self._ids[each]
        return build_sse_json_frame({"orders": orders}, event=EVENT)


_REMEMBERED_SECONDS = 60.0
_SHORTEST = 0.05
"""The smallest share of the work from which the rest can be estimated."""


@dataclass(frozen=True)
class LiveProgress:
    """The progress of one order; `percent` is of the whole order."""

    task_id: str
    stage: str
    percent: int
    note: str
    expected_seconds: int | None
    owner: str | None = None

    def is_same(self, other: "LiveProgress") -> bool:
        """Return whether the other one shows the same; the seconds do not count."""
        return (self.stage, self.percent, self.note) == (other.stage, other.percent, other.note)

    @cached_property
    def frame(self) -> bytes:
        """The Server-Sent Event."""
        shown = {name: value for name, value in asdict(self).items() if name != "owner"}
        return build_sse_json_frame({**shown, "note": self.note or None}, event="progress")


class ProgressReader:
    """Reads the progress of many orders at once; for one thread."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._usual: dict[tuple[str, str, str], tuple[float, float | None]] = {}

    def read(self, request_ids: Collection[int] | None) -> Mapping[int, LiveProgress]:
        """Return the progress of those of these orders that are being made, by id; None means all orders."""
        return {
            found.request_id: build_live_progress(found, self._find_usual_seconds(found))
            for found in read_progress(self._db, request_ids)
        }

    def _find_usual_seconds(self, found: RunningStage) -> float | None:
        """Return how long the stage usually takes at its provider; read once a minute, None if it is not known."""
        key = (found.pipeline, found.stage, found.provider)
        read_at, usual = self._usual.get(key, (float("-inf"), None))
        if found.provider and time.monotonic() - read_at > _REMEMBERED_SECONDS:
            usual = compute_usual_seconds(self._db, *key)
            pipeline = get_catalog().find_pipeline(found.pipeline)
            if usual is None and pipeline is not None and pipeline.find_stage(found.stage):
                provider = get_catalog().make_stage_provider(pipeline, found.stage, settings())
                usual = None if provider is None else provider.usual_seconds
            self._usual[key] = (time.monotonic(), usual)
        return usual


def build_live_progress(found: RunningStage, usual: float | None) -> LiveProgress:
    """Build what a stream shows of a running stage; `usual` is how many seconds it usually takes. Pure."""
    pipeline = get_catalog().find_pipeline(found.pipeline)
    stages = () if pipeline is None else pipeline.stage_names
    share = limit_share(found.progress)
    done = stages.index(found.stage) + share if found.stage in stages else 0.0
    return LiveProgress(
        task_id=found.task_id,
        stage=found.stage,
        percent=to_percent(done, len(stages)),
        note=found.note,
        expected_seconds=_estimate_seconds_left(found.seconds, share, usual),
        owner=found.owner,
    )


def _estimate_seconds_left(passed: float, share: float, usual: float | None) -> int | None:
    """Estimate the seconds left by the share of the work done, or else by the usual duration.

    Return 0 if it has taken longer than usual already, None if neither is known.
    """
    if share >= _SHORTEST:
        return max(1, round(passed * (1 - share) / share))
    return None if usual is None else round(max(usual - passed, 0.0))
