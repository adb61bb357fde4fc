"""Check the sources of orders that are still used, and submit an order again when its source has changed."""

import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

from dagster import (
    DefaultScheduleStatus,
    OpExecutionContext,
    RunRequest,
    SkipReason,
    op,
    schedule,
)

from pipeline_defs.build import make_periodic_job
from pipeline_defs.capabilities import FindOrder, Found, SourceCheck, get_key_rules, get_unique_key
from pipeline_defs.catalog import Catalog, get_catalog
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import CastadError, InvalidInputError, TransientError
from resources.ledger.db.database import Database, open_database
from resources.ledger.ledger_errors import OtherOptionError, ProviderPausedError, TooOftenError
from resources.ledger.queries.money import read_pauses
from resources.ledger.queries.retention import DueCheck, find_due_pipelines
from resources.ledger.queries.status import parse_object
from resources.ledger.request import (
    count_failures_after,
    has_stopped,
    is_unused_too_long,
    make_task_id,
)
from resources.ledger.transitions.orders import NewRequest, find_stored_request, submit_orders
from resources.ledger.transitions.source_checks import (
    CheckOutcome,
    carry_over_shared_access,
    claim_due_check,
    delete_check,
    save_check,
)
from resources.process.configure_logging import log_traceback
from resources.process.settings import Settings, settings
from resources.purchase.failures import pause_on_refusal

SOURCE = "schedule"
"""The `source` of a request that a check has submitted."""
_log = logging.getLogger("castad.source_checks")
_BEHIND_ALL = -100
RUNS_AN_HOUR = 12
_LONGEST_SECONDS = 120.0


def list_pipelines_to_check(db: Database, pipelines: Catalog) -> list[tuple[Pipeline, SourceCheck]]:
    """List the pipelines that have a due check, with how to check; leave out those whose vendor is paused."""
    names = find_due_pipelines(db)
    if not names:
        return []
    paused = {each.provider for each in read_pauses(db)}
    found = ((each, each.find_extra(SourceCheck)) for each in pipelines if each.name in names)
    return [(pipeline, how) for pipeline, how in found if how and how.vendor not in paused]


def check_sources(db: Database, pipelines: Catalog, settings: Settings) -> list[str]:
    """Check the sources that are due, pipeline by pipeline; return the task_ids of new requests.

    The checks of a pipeline end when a source has changed, when the run's share of an hour's checks is made,
    or when the vendor allows no call.
    """
    made = []
    until = time.monotonic() + _LONGEST_SECONDS
    for pipeline, how in list_pipelines_to_check(db, pipelines):
        for _ in range(max(1, how.an_hour(settings) // RUNS_AN_HOUR)):
            if time.monotonic() > until:
                break
            check = claim_due_check(db, pipeline.name)
            if check is None:
                break
            try:
                task_id = _check_source(db, pipelines, pipeline, how, check, settings)
            except (ProviderPausedError, TooOftenError):
                break
            if task_id is not None:
                made.append(task_id)
                break
    return made


def _check_source(
    db: Database,
    pipelines: Catalog,
    pipeline: Pipeline,
    how: SourceCheck,
    check: DueCheck,
    settings: Settings,
) -> str | None:
    """Check one source, and save the outcome; return the task_id of the new request, None if there is none.

    After a transient error it is checked again in an hour, and no failure is counted. Raises
    ProviderPausedError and TooOftenError.
    """
    failures = check.failures + check.is_dead
    outcome = CheckOutcome(check.found, check.mark, failures, check.task_id)
    made = None
    if is_unused_too_long(check.idle):
        delete_check(db, check)
        return None
    if not has_stopped(failures):
        outcome = replace(outcome, failures=count_failures_after(check.failures, check.is_dead))
        try:
            found = _find_order(db, pipeline, how, check, settings)
            if found is not None:
                if found.order is None:
                    delete_check(db, check)
                    return None
                payload = pipelines.accept_order(pipeline, found.order, settings)
                key = get_unique_key(pipeline, payload)
                if key is None:
                    raise InvalidInputError(how.find, "expected an order with a unique key")
                if key != check.found:
                    made = _submit(db, pipeline, check, payload, key)
                    outcome = replace(outcome, task_id=made)
                outcome = replace(outcome, found=key, mark=found.mark)
        except TransientError as error:
            _log.info("not checked: %s %s", pipeline.name, error.message)
            return None
        except (ProviderPausedError, TooOftenError):
            raise
        except CastadError as error:
            _log.info("not submitted again: %s %s", pipeline.name, error.message)
            outcome = replace(outcome, failures=count_failures_after(check.failures, True))
    save_check(db, check, outcome)
    return made


def _find_order(
    db: Database, pipeline: Pipeline, how: SourceCheck, check: DueCheck, settings: Settings
) -> Found | None:
    """Call the pipeline's function that finds the source's current order; return what it found, or None.

    Any exception of that function is raised as a CastadError.
    """
    module, _, function = how.find.partition(":")
    # An operator's SQL may have stored any text.
    order = parse_object(check.payload)
    if not order:
        raise InvalidInputError("payload", "expected a JSON object")
    try:
        brief = pipeline.parse(order)
        with pause_on_refusal(db, how.vendor, settings.credit_pause):
            find: FindOrder = getattr(import_module(module), function)
            return find(brief, check.mark, settings)
    except CastadError:
        raise
    except Exception as error:  # noqa: BLE001 - the folder's code may raise anything
        where = f"{how.find}: {type(error).__name__}, {log_traceback(error)}"
        raise CastadError(where, code="source_check_failed") from None


def _submit(
    db: Database, pipeline: Pipeline, check: DueCheck, payload: Mapping[str, Any], key: str
) -> str | None:
    """Submit the changed order; return its task_id, or None if the request is a person's."""
    new = NewRequest(
        make_task_id(),
        payload,
        pipeline=pipeline.name,
        source=SOURCE,
        same_order=pipeline.is_same_order,
        priority=_BEHIND_ALL,
        unique_key=key,
        shared=get_key_rules(pipeline).shared,
        fixed=("priority",),
    )
    try:
        request = submit_orders(db, [new])[0].request
    except OtherOptionError:
        # A person has ordered it since, and their order keeps its priority.
        found_request = find_stored_request(db, new)
        if found_request is None:
            return None
        request = found_request
    carry_over_shared_access(db, pipeline.name, check, request.id)
    # A request of an earlier process, which was lost before it saved the check, counts too.
    return request.task_id if request.source == SOURCE else None


@op
def find_changed_sources(context: OpExecutionContext) -> None:
    """Check the sources that are due, and submit the orders whose source has changed."""
    config = settings()
    made = check_sources(open_database(config.ledger_url), get_catalog(), config)
    context.log.info(f"submitted again: {', '.join(made) or 'nothing has changed'}")


source_check_job = make_periodic_job(
    "source_checks",
    find_changed_sources,
    300,
    "What is still used is submitted again where its source has changed",
)


@schedule(
    name="source_checks",
    job=source_check_job,
    cron_schedule=f"*/{60 // RUNS_AN_HOUR} * * * *",
    execution_timezone="UTC",
    default_status=DefaultScheduleStatus.RUNNING,
    description="Every five minutes, where something is due",
)
def source_check_schedule() -> RunRequest | SkipReason:
    """Start a run if a check is due and its vendor may be called."""
    if list_pipelines_to_check(open_database(settings().ledger_url), get_catalog()):
        return RunRequest()
    return SkipReason("nothing is due")
