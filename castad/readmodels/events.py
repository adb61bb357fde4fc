"""Events, changed orders and progress, as live streams show them."""

import json
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from sse_starlette import ServerSentEvent

from castad.readmodels.order_list import read_orders
from pipeline_defs.catalog import get_catalog
from resources.ledger.db.database import Database
from resources.ledger.queries.feed import Cursor
from resources.ledger.queries.money import compute_usual_seconds
from resources.ledger.queries.status import EventView, RunningStage, read_progress
from resources.ledger.schema.tables import TERMINAL
from resources.process.configure_logging import format_utc
from resources.process.settings import settings
from resources.views.text import describe_event

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


EVENT = "orders"
_PER_FRAME = 200


class ChangedOrders:
    """Collects which orders have changed, and reads many of them at once; for one thread."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._ids: dict[int, None] = {}

    def __bool__(self) -> bool:
        return bool(self._ids)

    def note(self, request_ids: Iterable[int]) -> None:
        """These orders have changed."""
        self._ids |= dict.fromkeys(request_ids)

    def clear(self) -> None:
        """Nothing has changed."""
        self._ids.clear()

    def frame(self) -> bytes:
        """The Server-Sent Event with those that changed first, which are no longer noted once they are read."""
        ids = [*islice(self._ids, _PER_FRAME)]
        orders = [order.model_dump(mode="json") for order in read_orders(self._db, ids)]
        for each in ids:
            del self._ids[each]
        return sse_json_frame({"orders": orders}, event=EVENT)


_REMEMBERED_SECONDS = 60.0
_SHORTEST = 0.05
"""A share of the work from which the rest can be estimated."""


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
        """Whether it is no news; the seconds alone are none."""
        return (self.stage, self.percent, self.note) == (other.stage, other.percent, other.note)

    @cached_property
    def frame(self) -> bytes:
        """The Server-Sent Event."""
        shown = {name: value for name, value in asdict(self).items() if name != "owner"}
        return sse_json_frame({**shown, "note": self.note or None}, event="progress")


class ProgressReader:
    """Reads the progress of many orders at once; for one thread."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._usual: dict[tuple[str, str, str], tuple[float, float | None]] = {}

    def read(self, request_ids: Collection[int] | None) -> Mapping[int, LiveProgress]:
        """The progress of those of these orders that are being made, by their id; None: of all orders."""
        return {
            found.request_id: live_progress(found, self._usual_seconds(found))
            for found in read_progress(self._db, request_ids)
        }

    def _usual_seconds(self, found: RunningStage) -> float | None:
        """How long a submission of this stage to its provider usually takes; asked for once a minute."""
        of = (found.pipeline, found.stage, found.provider)
        read_at, usual = self._usual.get(of, (float("-inf"), None))
        if found.provider and time.monotonic() - read_at > _REMEMBERED_SECONDS:
            known = compute_usual_seconds(self._db, *of)
            usual = _usual_of_provider(found) if known is None else known
            self._usual[of] = (time.monotonic(), usual)
        return usual


def _usual_of_provider(found: RunningStage) -> float | None:
    pipeline = get_catalog().find_pipeline(found.pipeline)
    if pipeline is None or pipeline.find_stage(found.stage) is None:
        return None
    provider = get_catalog().make_stage_provider(pipeline, found.stage, settings())
    return None if provider is None else provider.usual_seconds


def live_progress(found: RunningStage, usual: float | None) -> LiveProgress:
    """What a stream shows of a running stage whose submissions usually take so long. Pure."""
    pipeline = get_catalog().find_pipeline(found.pipeline)
    stages = () if pipeline is None else pipeline.stage_names
    share = min(max(found.progress or 0.0, 0.0), 1.0)
    done = stages.index(found.stage) + share if found.stage in stages else 0.0
    return LiveProgress(
        task_id=found.task_id,
        stage=found.stage,
        percent=int(100 * done / max(len(stages), 1)),
        note=found.note,
        expected_seconds=_expected_seconds(found.seconds, share, usual),
        owner=found.owner,
    )


def _expected_seconds(passed: float, share: float, usual: float | None) -> int | None:
    """The seconds that are left: by the share of the work that is done, else by how long it usually takes."""
    if share >= _SHORTEST:
        return round(passed * (1 - share) / share)
    return None if usual is None else round(max(usual - passed, 0.0))
