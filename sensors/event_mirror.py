"""Mirror every ledger event into the Dagster event log.

Each event becomes an observation of the asset `requests`, without a run: a run's page shows every observation as
a table. On a run's page an event is a plain log line, unless the run's own steps show it already.
"""

import json
import logging
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from dagster import (
    AssetExecutionContext,
    AssetKey,
    AssetObservation,
    BetaWarning,
    DagsterEvent,
    DagsterEventType,
    DagsterInstance,
    DefaultSensorStatus,
    EventLogEntry,
    ObserveResult,
    SensorEvaluationContext,
    SkipReason,
    observable_source_asset,
    sensor,
)

from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError
from resources.dagster.internals import AssetObservationData
from resources.delivery.engine import DeliveryLoop
from resources.delivery.webhooks import OrderFacts, make_webhook_loop
from resources.ledger.db.database import open_database
from resources.ledger.queries.feed import list_unmirrored_events
from resources.ledger.queries.overview import Overview
from resources.ledger.queries.status import EventView
from resources.ledger.queries.webhooks import Webhook
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.core import ROW_ERRORS, describe_row_error
from resources.ledger.transitions.housekeeping import mark_events_mirrored
from resources.process.configure_logging import LOG_FIELDS
from resources.process.crash_points import trigger_crash_point
from resources.process.settings import settings
from resources.views.text import as_markdown, describe_event
from sensors.dispatch_waiter import PERIOD_SECONDS, call_on_release, get_shared_instance

REQUESTS_ASSET = AssetKey(["requests"])
_BATCH = 200
_BATCHES_A_TICK = 10
_SHOWN_BY_STEPS = (
    "claimed",
    "stage_started",
    "submission_intended",
    "submitted",
    "submission_succeeded",
    "submission_failed",
    "stage_completed",
    "completed",
)
_WARNING_TYPES = ("failed", "dead", "worker_lost", "submission_unknown")

_log = logging.getLogger("castad.sensor")


with warnings.catch_warnings():
    # Otherwise every Dagster command prints that the decorator is a beta.
    warnings.simplefilter("ignore", BetaWarning)

    # Observable, since a plain asset would stay "never materialized" in the UI.
    @observable_source_asset(
        key=REQUESTS_ASSET,
        tags={"dagster/kind/table": ""},
        description="Every event of every request; partition = task_id. Observing it mirrors new events.",
    )
    def requests_asset(context: AssetExecutionContext) -> ObserveResult:
        """Mirror new events now."""
        return ObserveResult(metadata={"events_mirrored": mirror_events(context.instance)})


@sensor(
    name="outbox_sensor",
    default_status=DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=PERIOD_SECONDS,
)
def outbox_sensor(context: SensorEvaluationContext) -> SkipReason:
    """Mirror new ledger events into Dagster's event log, and keep the webhook loop running until the next tick.

    An interrupted tick may repeat an event; readers keep one per seq.
    """
    _get_shared_loop().stay_awake(_AWAKE_SECONDS)
    return SkipReason(f"{mirror_events(get_shared_instance(context))} events mirrored")


def mirror_events(instance: DagsterInstance) -> int:
    """Mirror new ledger events into Dagster's event log, 2000 at most; return how many."""
    db = open_database(settings().ledger_url)
    mirrored = 0
    for _ in range(_BATCHES_A_TICK):
        batch = list_unmirrored_events(db, _BATCH)
        if not batch:
            break
        _store_batch(instance, batch)
        trigger_crash_point("outbox_sensor.after_report")
        mark_events_mirrored(db, [event.id for event in batch])
        mirrored += len(batch)
    return mirrored


def _store_batch(instance: DagsterInstance, batch: Sequence[EventView]) -> None:
    """Store the events in Dagster's event log in one transaction; the status of runs does not change.

    An event that the storage refuses, such as one that an operator edited, is skipped and logged.
    """
    store = instance.event_log_storage.store_event_batch
    try:
        store([entry for event in batch for entry in _make_entries(event)])
    except ROW_ERRORS as error:
        if len(batch) > 1:
            for event in batch:
                _store_batch(instance, [event])
            return
        [event] = batch
        fields = {"task_id": event.task_id, "seq": event.seq}
        _log.error("event not mirrored: %s", describe_row_error(error), extra={LOG_FIELDS: fields})


def _make_entries(event: EventView) -> Iterator[EventLogEntry]:
    """Yield the event's log entries: an asset observation, and a log line of the run unless steps show it.

    The observation has no run: a run's page would show it as a table.
    """
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
    observation = AssetObservation(
        REQUESTS_ASSET,
        partition=event.task_id,
        description=as_markdown(f"{event.seq} {describe_event(event)}"),
        metadata=metadata,
    )
    dagster_event = DagsterEvent(
        event_type_value=DagsterEventType.ASSET_OBSERVATION.value,
        job_name="requests",
        message=describe_event(event),
        event_specific_data=AssetObservationData(observation),
    )
    yield EventLogEntry(
        error_info=None,
        user_message="",
        level=logging.INFO,
        run_id="",
        timestamp=event.at.timestamp(),
        job_name=dagster_event.job_name,
        dagster_event=dagster_event,
    )
    if event.run_id and event.type not in _SHOWN_BY_STEPS:
        yield EventLogEntry(
            error_info=None,
            user_message=describe_event(event),
            level=logging.WARNING if event.type in _WARNING_TYPES else logging.INFO,
            run_id=event.run_id,
            timestamp=event.at.timestamp(),
        )


# Covers a late tick. After the sensor was switched off, sending ends after this time.
_AWAKE_SECONDS = 20.0


@lru_cache(maxsize=1)
def _get_shared_loop() -> DeliveryLoop[Webhook]:
    """Return this process' webhook loop, made at the first call; it stops with the stack."""
    loop = make_webhook_loop(open_database(settings().ledger_url), settings(), FACTS)
    call_on_release(loop.rest)
    return loop


def read_result(overview: Overview) -> Any:
    """Read the pipeline's result of a completed order.

    Return None if the order is not completed, its pipeline is gone, or the result does not fit this release.
    """
    pipeline = get_catalog().find_pipeline(overview.request.pipeline)
    if overview.request.status is not Status.COMPLETED or pipeline is None:
        return None
    return pipeline.build_result(
        {view.stage: view.result for view in overview.stages if view.result is not None}
    )


def describe_order(request: Request) -> str:
    """Describe in one line what the order is about; its task_id where its pipeline does not understand it."""
    pipeline, payload = get_catalog().find_pipeline(request.pipeline), request.order()
    if pipeline is None or payload is None:
        return request.task_id
    try:
        return pipeline.summarize_order(payload)
    except InvalidInputError:
        return request.task_id


FACTS = OrderFacts(read_result, describe_order)
