"""The requests sensor: due rows of `requests` become runs."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from functools import cache

from dagster import (
    DagsterInstance,
    DefaultSensorStatus,
    JobDefinition,
    RunRequest,
    SensorDefinition,
    SensorEvaluationContext,
    SensorResult,
    SkipReason,
    sensor,
)

from pipeline_defs.catalog import Catalog
from resources.contract.errors import CastadError, InvalidInputError
from resources.dagster.internals import InstigatorStatus, InstigatorType
from resources.dagster.request_runs import ATTEMPT_TAG, RETRY_TAG, TASK_ID_TAG
from resources.ledger.db.database import Database, open_database
from resources.ledger.errors import LedgerError
from resources.ledger.failures import order_error_code
from resources.ledger.moves.orders import reject
from resources.ledger.moves.unique_keys import keep_unique_key
from resources.ledger.moves.unusable_rows import ROW_UNUSABLE, describe_row_error
from resources.ledger.request import Request
from resources.ledger.rules import retry_policy
from resources.process.configure_logging import LOG_FIELDS
from resources.process.crash_points import crash_point
from resources.process.settings import settings
from sensors.dispatch_waiter import WAIT_SECONDS, DispatchWaiter
from sensors.instance import shared_instance
from sensors.stop_lock import call_on_release

NAME = "requests_sensor"

_log = logging.getLogger("castad.sensor")


def requests_sensor(
    pipelines: Catalog, jobs: Sequence[JobDefinition], wait_seconds: float = WAIT_SECONDS
) -> SensorDefinition:
    """The sensor over these pipelines; a tick waits until a request is due, for `wait_seconds` at most.

    A request that was dispatched and not claimed by a run is requeued by `rescue_sensor`.
    """
    waiter = DispatchWaiter(pipelines, wait_seconds)
    stop_with_server = cache(lambda: call_on_release(waiter.stop))

    @sensor(
        name=NAME,
        jobs=jobs,
        default_status=DefaultSensorStatus.RUNNING,
        # The next tick may follow at once; 0 would mean Dagster's default of 30 s.
        minimum_interval_seconds=-1,
    )
    def start_due(context: SensorEvaluationContext) -> SensorResult:
        """Launch one run per due request, oldest first within a priority, while places are free."""
        instance = shared_instance(context)
        stop_with_server()
        result = waiter.wait_for_batch(lambda: is_switched_off(instance))
        if not result.requests:
            return SensorResult(skip_reason=SkipReason(result.reason))
        crash_point("requests_sensor.after_dispatch")
        db = open_database(settings().ledger_url)
        runs = [
            run
            for request in result.requests
            if (run := pick_up_or_reject(db, pipelines, request)) is not None
        ]
        if runs:
            return SensorResult(run_requests=runs)
        return SensorResult(skip_reason=SkipReason("every due request was rejected"))

    return start_due


def is_switched_off(instance: DagsterInstance) -> bool:
    """Whether the sensor was switched off; a tick may wait on when it is."""
    if instance.schedule_storage is None:
        return False
    stopped = instance.all_instigator_state(
        instigator_type=InstigatorType.SENSOR, instigator_statuses={InstigatorStatus.STOPPED}
    )
    return any(state.name == NAME for state in stopped)


def pick_up_or_reject(db: Database, pipelines: Catalog, request: Request) -> RunRequest | None:
    """The run request of a dispatched request; None where its order is unusable: then it is dead, and why."""
    try:
        return _pick_up(db, pipelines, request)
    except CastadError as error:
        code, message = order_error_code(error), error.message
    except Exception as error:  # noqa: BLE001 - one bad payload must not keep other requests waiting
        fields = {"task_id": request.task_id}
        _log.exception("request not startable", extra={LOG_FIELDS: fields})
        code, message = ROW_UNUSABLE, f"its row cannot be used: {describe_row_error(error)}"
    # A row that was changed meanwhile is left to its new owner.
    with suppress(LedgerError):
        reject(db, request, code, message)
    return None


def _pick_up(db: Database, pipelines: Catalog, request: Request) -> RunRequest:
    """The run request; an order that came by SQL has its unique key from now on. Raises CastadError."""
    run_request = run_request_for(pipelines, request)
    key = pipelines.pipeline(request.pipeline).key_of(request.order() or {})
    keep_unique_key(db, request, key)
    return run_request


def run_request_for(pipelines: Catalog, request: Request) -> RunRequest:
    """The run request of a dispatched request; raises InvalidInputError where its order is unusable."""
    pipeline = pipelines.pipeline(request.pipeline)
    order = request.order()
    if order is None:
        raise InvalidInputError("payload", "expected a JSON object")
    pipelines.accept(pipeline, order, settings())
    return RunRequest(
        # With the row's id: a task_id that was deleted and ordered again starts over at attempt 1.
        run_key=f"{request.task_id}:{request.attempt}:{request.id}",
        job_name=pipeline.name,
        run_config={"task_id": request.task_id},
        tags={
            TASK_ID_TAG: request.task_id,
            ATTEMPT_TAG: str(request.attempt),
            RETRY_TAG: retry_policy(request, None),
        },
    )
