"""The history of an order from the Dagster event log, as a table and as JSON: its events, runs and steps.

Events that the log lacks come from the ledger.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, Field

from castad.views.status_body import build_run_url
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.retention import read_log_pruned_at
from resources.ledger.queries.status import get_request, list_event_views
from resources.ledger.request import Request
from resources.views.text import EXAMPLE_TIMESTAMP, LedgerText, Timestamp, describe_event, example

if TYPE_CHECKING:
    from dagster import DagsterInstance, EventLogEntry

_PAGE = 1000
_MIRROR_ROUNDS = 5
_mirror_lock = Lock()
_EVENT_TEXTS = {
    "RUN_START": ("run", "started"),
    "RUN_SUCCESS": ("run", "succeeded"),
    "RUN_FAILURE": ("run", "failed"),
    "RUN_CANCELING": ("run", "canceling"),
    "RUN_CANCELED": ("run", "canceled"),
    "STEP_START": ("step", "started"),
    "STEP_SUCCESS": ("step", "succeeded"),
    "STEP_FAILURE": ("step", "failed"),
    "STEP_UP_FOR_RETRY": ("step", "up for retry"),
    "ASSET_MATERIALIZATION": ("asset", "materialized"),
}
_EVENTS_WITH_REASON = (
    "RUN_FAILURE",
    "RUN_CANCELING",
    "RUN_CANCELED",
    "STEP_FAILURE",
    "STEP_UP_FOR_RETRY",
)
_OWN_ERROR = re.compile(r"^(dagster\._core\.definitions\.events\.Failure|resources\.[\w.]+): ")


@dataclass(frozen=True)
class LoggedEvent:
    """One entry of a history. `seq` is the number of a request's event, else None."""

    at: datetime
    kind: str
    what: str
    run_id: str | None
    seq: int | None = None


@dataclass(frozen=True)
class RequestHistory:
    """Everything that happened to a request, in time order; `note` says what the Dagster event log lacks."""

    entries: list[LoggedEvent]
    note: str | None


def read_history(instance: "DagsterInstance", db: Database, task_id: str) -> RequestHistory:
    """Read the history of the request, after mirroring pending events to the log, so that no daemon has to run.

    Raises UnknownRequestError if neither the event log nor the ledger has the request.
    """
    from dagster import RunsFilter

    from resources.dagster.request_resource import TASK_ID_TAG

    _mirror_pending_events(instance)
    request = _find_request(db, task_id)
    logged = _read_request_entries(instance, task_id, None if request is None else request.id)
    unlogged: list[LoggedEvent] = []
    if request is not None:
        known = {entry.seq for entry in logged}
        unlogged = [
            LoggedEvent(event.at, "request", describe_event(event), event.run_id, event.seq)
            for event in list_event_views(db, request)
            if event.seq not in known
        ]
    runs = [
        entry
        for record in instance.get_run_records(RunsFilter(tags={TASK_ID_TAG: task_id}))
        for entry in _build_run_entries(instance.all_logs(record.dagster_run.run_id))
    ]
    entries = [*logged, *unlogged, *runs]
    if not entries:
        raise UnknownRequestError(task_id)
    in_order = sorted(entries, key=lambda entry: (entry.at, entry.seq or 0))
    pruned = None if request is None else read_log_pruned_at(db, request.id)
    if pruned is None:
        return RequestHistory(in_order, _describe_missing_events(len(unlogged), len(logged)))
    note = (
        f"the Dagster event log of this order was pruned on {pruned:%Y-%m-%d} UTC (CASTAD_KEEP_RUNS): its runs "
        "and steps until then are no longer stored, its events come from the ledger"
    )
    return RequestHistory(in_order, note)


def _find_request(db: Database, task_id: str) -> Request | None:
    try:
        return get_request(db, task_id)
    except UnknownRequestError:
        return None


def _describe_missing_events(unlogged: int, logged: int) -> str | None:
    if not unlogged:
        return None
    described = "all" if not logged else f"{unlogged} of {unlogged + logged}"
    return (
        f"{described} events of the request come from the ledger, because the Dagster event log lacks them; "
        "runs and steps of that time may be missing"
    )


def _mirror_pending_events(instance: "DagsterInstance") -> None:
    from sensors.event_mirror import mirror_events

    # Concurrent calls would each write every event; a call that waited finds nothing left to write.
    with _mirror_lock:
        for _ in range(_MIRROR_ROUNDS):
            if not mirror_events(instance):
                return


def _read_request_entries(
    instance: "DagsterInstance", task_id: str, request_id: int | None
) -> list[LoggedEvent]:
    """Read each event of this request once; without an id, those of the newest request of the task_id."""
    entries_by_request: dict[int, dict[int, LoggedEvent]] = {}
    for found_id, entry in _read_mirrored_entries(instance, task_id):
        entries_by_request.setdefault(found_id, {}).setdefault(entry.seq or 0, entry)
    wanted = max(entries_by_request, default=0) if request_id is None else request_id
    return list(entries_by_request.get(wanted, {}).values())


def _read_mirrored_entries(
    instance: "DagsterInstance", task_id: str
) -> Iterator[tuple[int, LoggedEvent]]:
    from dagster import AssetRecordsFilter

    from sensors.event_mirror import REQUESTS_ASSET

    wanted = AssetRecordsFilter(asset_key=REQUESTS_ASSET, asset_partitions=[task_id])
    cursor: str | None = None
    while True:
        page = instance.fetch_observations(wanted, limit=_PAGE, cursor=cursor, ascending=True)
        for record in page.records:
            yield _parse_mirrored_entry(record.event_log_entry)
        if not page.has_more:
            return
        cursor = page.cursor


def _parse_mirrored_entry(logged: "EventLogEntry") -> tuple[int, LoggedEvent]:
    """Parse the event and its request's id, which is 0 if the event was mirrored before ids were saved."""
    observation = logged.asset_observation
    metadata = {} if observation is None else observation.metadata
    known = {name: str(value.value) for name, value in metadata.items()}
    return int(known.get("request_id", 0)), LoggedEvent(
        at=datetime.fromisoformat(known["at"]).astimezone(UTC),
        kind="request",
        what=logged.get_dagster_event().message or "",
        run_id=known.get("run_id") or logged.run_id or None,
        seq=int(known["seq"]),
    )


def _build_run_entries(logs: "Iterable[EventLogEntry]") -> Iterator[LoggedEvent]:
    for logged in logs:
        event = logged.dagster_event
        if event is None or event.event_type.name not in _EVENT_TEXTS:
            continue
        kind, what = _EVENT_TEXTS[event.event_type.name]
        named = "/".join(event.asset_key.path) if event.asset_key else event.step_key
        reason = _find_reason(event) if event.event_type.name in _EVENTS_WITH_REASON else ""
        yield LoggedEvent(
            at=datetime.fromtimestamp(logged.timestamp, UTC),
            kind=kind,
            what=" ".join(part for part in (named, what) if part) + reason,
            run_id=logged.run_id,
        )


def _find_reason(event: Any) -> str:
    """Find the reason of a failure or an end: a Failure's own sentence, or else Dagster's message."""
    data = event.event_specific_data
    described = getattr(getattr(data, "user_failure_data", None), "description", None)
    error = getattr(data, "error", None)
    if event.event_type.name == "STEP_UP_FOR_RETRY":
        error = error and (error.cause or error)  # the outer error only names the retry policy
    # A castad error or a Failure is its sentence; any other error stays with its type.
    found = event.message if error is None else _OWN_ERROR.sub("", error.message.strip())
    sentence = described or found or ""
    first = sentence.strip().splitlines()[:1]
    return f": {first[0]}" if first else ""


class HistoryEntry(BaseModel):
    """One event of the Dagster event log or of the ledger."""

    at: Timestamp
    kind: Literal["request", "run", "step", "asset"]
    what: LedgerText
    run_id: LedgerText | None
    run_url: str | None
    seq: int | None = Field(description="The number of an event of the order itself")


class History(BaseModel):
    """Everything that happened to an order, in time order."""

    model_config = example(
        task_id="shop-1",
        history=[
            {
                "at": EXAMPLE_TIMESTAMP,
                "kind": "request",
                "what": "created: nothing → pending",
                "run_id": None,
                "run_url": None,
                "seq": 1,
            }
        ],
        note=None,
    )

    task_id: LedgerText
    history: list[HistoryEntry]
    note: str | None = Field(description="Which part of it is missing in the Dagster event log")


def build_history_body(task_id: str, found: RequestHistory, ui_url: str) -> History:
    """Build the body of an order's history."""
    entries = [
        HistoryEntry(**vars(entry), run_url=build_run_url(ui_url, entry.run_id))
        for entry in found.entries
    ]
    return History(task_id=task_id, history=entries, note=found.note)
