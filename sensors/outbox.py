"""The sensor that mirrors every ledger event into the Dagster event log, the history people read.

All of them are observations of the asset `requests`, without a run, since a run's page shows each observation as
a table. There an event is a plain line, where the run's own steps do not tell as much.
"""

import json
import logging
from collections.abc import Iterator, Sequence
from typing import Any

from dagster import (
    AssetKey,
    AssetObservation,
    DagsterEvent,
    DagsterEventType,
    DagsterInstance,
    DefaultSensorStatus,
    EventLogEntry,
    SensorEvaluationContext,
    SkipReason,
    sensor,
)

from resources.dagster.internals import AssetObservationData
from resources.ledger.db.database import open_database
from resources.ledger.moves.outbox import mark_mirrored
from resources.ledger.moves.unusable import ROW_ERRORS, reason_of
from resources.ledger.queries.event_text import as_markdown, sentence
from resources.ledger.queries.reads import EventView, unmirrored_events
from resources.process.crash_points import crash_point
from resources.process.settings import settings
from sensors.instance import shared_instance

REQUESTS_ASSET = AssetKey(["requests"])
_BATCH = 200
_BATCHES_A_TICK = 10
_TOLD_BY_STEPS = (
    "stage_started",
    "submission_intended",
    "submitted",
    "submission_succeeded",
    "stage_completed",
    "completed",
)
_GRAVE = ("failed", "dead", "worker_lost", "submission_unknown")

_log = logging.getLogger("castad.sensor")


@sensor(
    name="outbox_sensor", default_status=DefaultSensorStatus.RUNNING, minimum_interval_seconds=1
)
def outbox_sensor(context: SensorEvaluationContext) -> SkipReason:
    """Mirror what is new. A tick that is cut may repeat an event; readers keep one per seq."""
    return SkipReason(f"{mirror_events(shared_instance(context))} events mirrored")


def mirror_events(instance: DagsterInstance) -> int:
    """What was new is in the Dagster event log; returns how many events that were."""
    db = open_database(settings().ledger_url)
    mirrored = 0
    for _ in range(_BATCHES_A_TICK):
        batch = unmirrored_events(db, _BATCH)
        if not batch:
            break
        _report(instance, batch)
        crash_point("outbox_sensor.after_report")
        mark_mirrored(db, [event.id for event in batch])
        mirrored += len(batch)
    return mirrored


def _report(instance: DagsterInstance, batch: Sequence[EventView]) -> None:
    """Straight into the storage: one transaction for the batch, and no run changes by it.

    An event that the storage cannot take, whatever an operator has written into it, is left out and logged.
    """
    store = instance.event_log_storage.store_event_batch
    try:
        store([entry for event in batch for entry in _entries(event)])
    except ROW_ERRORS as error:
        if len(batch) > 1:
            for event in batch:
                _report(instance, [event])
            return
        [event] = batch
        told = (event.seq, event.task_id, reason_of(error))
        _log.error("event %d of request %s cannot be mirrored: %s", *told)


def _entries(event: EventView) -> Iterator[EventLogEntry]:
    yield _observed(event)
    if event.run_id and event.type not in _TOLD_BY_STEPS:
        yield EventLogEntry(
            error_info=None,
            user_message=sentence(event),
            level=logging.WARNING if event.type in _GRAVE else logging.INFO,
            run_id=event.run_id,
            timestamp=event.at.timestamp(),
        )


def _observed(event: EventView) -> EventLogEntry:
    observation = DagsterEvent(
        event_type_value=DagsterEventType.ASSET_OBSERVATION.value,
        job_name="requests",
        message=sentence(event),
        event_specific_data=AssetObservationData(_observation(event)),
    )
    return EventLogEntry(
        error_info=None,
        user_message="",
        level=logging.INFO,
        run_id="",
        timestamp=event.at.timestamp(),
        job_name=observation.job_name,
        dagster_event=observation,
    )


def _observation(event: EventView) -> AssetObservation:
    metadata: dict[str, Any] = {
        "task_id": event.task_id,
        "request_id": event.request_id,
        "seq": event.seq,
        "type": event.type,
        "from": event.before or "",
        "to": event.after,
        "at": event.at.isoformat(),
        "run_id": event.run_id or "",
        "data": json.dumps(event.data, ensure_ascii=False),
    }
    return AssetObservation(
        REQUESTS_ASSET,
        partition=event.task_id,
        description=as_markdown(f"{event.seq} {sentence(event)}"),
        metadata=metadata,
    )
