"""The requests sensor, which launches a run for each due request."""

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
from sqlalchemy.exc import SQLAlchemyError

from pipeline_defs.capabilities import can_settle_shared_key, get_unique_key
from pipeline_defs.catalog import Catalog
from resources.contract.errors import CastadError, InvalidInputError
from resources.dagster.internals import InstigatorStatus, InstigatorType
from resources.dagster.request_resource import ATTEMPT_TAG, RETRY_TAG, TASK_ID_TAG
from resources.ledger.db.database import Database, open_database
from resources.ledger.db.retry import describe_db_error
from resources.ledger.ledger_errors import LedgerError
from resources.ledger.request import CHECKED_SOURCES, Request, list_stages_to_approve
from resources.ledger.rules import compute_settings_backoff, get_order_error_code, retry_policy
from resources.ledger.transitions.core import (
    ROW_ERRORS,
    ROW_UNUSABLE,
    describe_row_error,
    save_unique_key,
)
from resources.ledger.transitions.orders import reject_order, set_waiting_for_settings
from resources.process.configure_logging import LOG_FIELDS
from resources.process.crash_points import trigger_crash_point
from resources.process.settings import settings
from sensors.dispatch_waiter import (
    WAIT_SECONDS,
    DispatchWaiter,
    call_on_release,
    get_shared_instance,
)

NAME = "requests_sensor"
OTHER_RELEASE = "other_release"
_NONE_STARTED = "no due request could be started: `castad dead`, `castad stats` or the log says why"
_log = logging.getLogger("castad.sensor")


def requests_sensor(
    pipelines: Catalog, jobs: Sequence[JobDefinition], wait_seconds: float = WAIT_SECONDS
) -> SensorDefinition:
    """Make the requests sensor of these pipelines, which launches the given jobs.

    A tick waits up to `wait_seconds` for a due request. A request that was dispatched and not claimed by a run is
    requeued by `rescue_sensor`.
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
        """Launch one run per due request, oldest first within a priority, while slots are free."""
        instance = get_shared_instance(context)
        stop_with_server()
        result = waiter.wait_for_batch(lambda: is_switched_off(instance))
        if not result.requests:
            return SensorResult(skip_reason=SkipReason(result.reason))
        trigger_crash_point("requests_sensor.after_dispatch")
        db = open_database(settings().ledger_url)
        runs = [
            run
            for request in result.requests
            if (run := pick_up_or_reject(db, pipelines, request)) is not None
        ]
        if runs:
            return SensorResult(run_requests=runs)
        return SensorResult(skip_reason=SkipReason(_NONE_STARTED))

    return start_due


def is_switched_off(instance: DagsterInstance) -> bool:
    """Return whether the requests sensor was switched off; Dagster does not end a tick that already waits."""
    if instance.schedule_storage is None:
        return False
    stopped = instance.all_instigator_state(
        instigator_type=InstigatorType.SENSOR, instigator_statuses={InstigatorStatus.STOPPED}
    )
    return any(state.name == NAME for state in stopped)


def pick_up_or_reject(db: Database, pipelines: Catalog, request: Request) -> RunRequest | None:
    """Make the run request of a dispatched request; return None if it cannot run now.

    A request with an unusable order or row becomes dead with the reason. A request that the settings cannot
    fulfill waits. If the database fails, the request stays dispatched, and `rescue_sensor` requeues it.
    """
    try:
        try:
            return _pick_up(db, pipelines, request)
        except CastadError as error:
            code, message = get_order_error_code(error), error.message
        except Exception as error:
            if isinstance(error, SQLAlchemyError) and not isinstance(error, ROW_ERRORS):
                raise
            fields = {"task_id": request.task_id}
            _log.exception("request not startable", extra={LOG_FIELDS: fields})
            code, message = ROW_UNUSABLE, f"its row cannot be used: {describe_row_error(error)}"
        # A row that was changed meanwhile belongs to another process.
        with suppress(LedgerError):
            reject_order(db, request, code, message)
    except SQLAlchemyError as error:
        why = describe_db_error(error)
        _log.warning("request passed over: task_id=%s error=%s", request.task_id, why)
    return None


def _pick_up(db: Database, pipelines: Catalog, request: Request) -> RunRequest | None:
    """Validate the whole order, save its unique key, and make the run request of the current attempt.

    If the order has to wait for other settings or another release, delay it and return None. Raises CastadError
    for an unusable order.
    """
    refusal = _check_release(pipelines, request)
    if refusal is None:
        pipeline = pipelines.get_pipeline(request.pipeline)
        order = request.order()
        if order is None:
            raise InvalidInputError("payload", "expected a JSON object")
        pipeline.parse(order)
        pipeline.check_hold(list_stages_to_approve(request.hold))
        key, takes_over = get_unique_key(pipeline, order), can_settle_shared_key(pipeline)
        save_unique_key(db, request, key, takes_over=takes_over)
        # An order that has begun continues: the worker has other settings, and waits where it lacks a key.
        if request.stage is None:
            try:
                pipelines.accept_order(pipeline, order, settings())
            except InvalidInputError as error:
                refusal = error
    if refusal is not None:
        wait = compute_settings_backoff(request, settings().credit_pause)
        set_waiting_for_settings(db, request, refusal.code, refusal.message, wait)
        return None
    return RunRequest(
        # The row's id, because a task_id that was deleted and ordered again starts over at attempt 1.
        run_key=f"{request.task_id}:{request.attempt}:{request.id}",
        job_name=request.pipeline,
        run_config={"task_id": request.task_id},
        tags={
            TASK_ID_TAG: request.task_id,
            ATTEMPT_TAG: str(request.attempt),
            RETRY_TAG: retry_policy(request),
        },
    )


def _check_release(pipelines: Catalog, request: Request) -> InvalidInputError | None:
    """Return an error if this release does not know the order's pipeline or a field; otherwise None.

    Only orders that a release has validated are checked; they wait for the release that accepted them.
    """
    if request.source not in CHECKED_SOURCES:
        return None
    pipeline, order = pipelines.find_pipeline(request.pipeline), request.order()
    if pipeline is None:
        field, unknown = "pipeline", request.pipeline
    else:
        members = sorted(set(order or ()) - set(pipeline.order_model.model_fields))
        field = unknown = next(iter(members), "")
    if not unknown:
        return None
    expected = f"expected nothing that this release does not know, got {ascii(unknown)[:80]}"
    return InvalidInputError(
        ascii(field)[1:41],
        f"{expected}; the order waits for the release that has accepted it",
        code=OTHER_RELEASE,
    )
