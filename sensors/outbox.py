"""The sensor that mirrors every ledger event into the Dagster event log, the history people read."""

import json
import logging
from collections.abc import Sequence
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
from dagster._core.events import AssetObservationData

from resources.crash import crash_point
from resources.ledger.database import open_database
from resources.ledger.event_text import sentence
from resources.ledger.moves.outbox import mark_mirrored
from resources.ledger.reads import EventView, unmirrored_events
from resources.settings import settings
from sensors.instance import shared_instance

REQUESTS_ASSET = AssetKey(["requests"])
_BATCH = 200
_BATCHES_A_TICK = 10


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
    """Straight into the storage: one transaction for the batch, and no run changes by it."""
    instance.event_log_storage.store_event_batch([_entry(event) for event in batch])


def _entry(event: EventView) -> EventLogEntry:
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
        run_id=event.run_id or "",
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
        "data": json.dumps(event.data, ensure_ascii=False),
    }
    return AssetObservation(
        REQUESTS_ASSET,
        partition=event.task_id,
        description=f"{event.seq} {sentence(event)}",
        metadata=metadata,
    )
