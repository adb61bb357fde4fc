"""The sensor that starts work: due rows of `requests` become runs."""

from collections.abc import Sequence
from contextlib import suppress

from dagster import (
    DefaultSensorStatus,
    RunRequest,
    SensorDefinition,
    SensorResult,
    SkipReason,
    sensor,
)

from pipeline_defs.pipeline import Pipeline
from resources.crash import crash_point
from resources.errors import CastadError, InvalidInputError
from resources.ledger.database import Database, open_database
from resources.ledger.errors import LedgerError
from resources.ledger.moves.dispatch import dispatch_due
from resources.ledger.moves.orders import reject
from resources.ledger.request import Request
from resources.ledger.rules import retry_policy
from resources.ledger.spending import parked_providers, waiting_for
from resources.request import ATTEMPT_TAG, RETRY_TAG, TASK_ID_TAG
from resources.settings import settings


def requests_sensor(pipelines: Sequence[Pipeline]) -> SensorDefinition:
    """A sensor over these pipelines; a row it holds whose run never claims falls back by itself."""
    known = {pipeline.name: pipeline for pipeline in pipelines}

    @sensor(
        name="requests_sensor",
        jobs=[pipeline.job for pipeline in pipelines],
        default_status=DefaultSensorStatus.RUNNING,
        minimum_interval_seconds=1,
    )
    def start_due() -> SensorResult:
        """Launch one run per due row, oldest first inside a priority, as far as places are free."""
        db = open_database(settings().ledger_url)
        held = dispatch_due(db, settings().runs_at_once)
        crash_point("requests_sensor.after_dispatch")
        runs = [run for request in held if (run := _run_for(db, known, request)) is not None]
        if runs:
            return SensorResult(run_requests=runs)
        return SensorResult(skip_reason=SkipReason(_idle_because(db)))

    return start_due


def _idle_because(db: Database) -> str:
    parked = [
        f"{parking.provider} is parked until {parking.until:%H:%M:%S} UTC "
        f"(requests waiting: {waiting_for(db, parking.provider)}): {parking.why}"
        for parking in parked_providers(db)
    ]
    return "; ".join(parked) or "nothing is due, or no place is free"


def _run_for(db: Database, known: dict[str, Pipeline], request: Request) -> RunRequest | None:
    try:
        return run_request_for(known, request)
    except CastadError as error:
        code = "invalid_payload" if error.code == InvalidInputError.code else error.code
        # Somebody may have changed the row meanwhile: then it is theirs, and the others go on.
        with suppress(LedgerError):
            reject(db, request, code, error.message)
        return None


def run_request_for(known: dict[str, Pipeline], request: Request) -> RunRequest:
    """The run of a dispatched request; raises InvalidInputError where its order cannot be used."""
    pipeline = known.get(request.pipeline)
    if pipeline is None:
        raise InvalidInputError("pipeline", f"expected one of {', '.join(sorted(known))}")
    order = request.order()
    if order is None:
        raise InvalidInputError("payload", "expected a JSON object")
    return RunRequest(
        run_key=f"{request.task_id}:{request.attempt}",
        job_name=pipeline.job.name,
        run_config=pipeline.run_config(request.task_id, order),
        tags={
            TASK_ID_TAG: request.task_id,
            ATTEMPT_TAG: str(request.attempt),
            RETRY_TAG: retry_policy(request, None),
        },
    )
