"""What is still looked at is ordered anew where its source has changed."""

import json
import logging
import time
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from pipeline_defs.catalog import Catalog
from pipeline_defs.pipeline import Pipeline
from pipeline_defs.recurring import FindOrder, Found, Recurring
from resources.contract.errors import CastadError, InvalidInputError, TransientError
from resources.ledger.db.database import Database
from resources.ledger.errors import OtherOptionError, ProviderParkedError, TooOftenError
from resources.ledger.moves.orders import NewRequest, stored_request, submit_orders
from resources.ledger.moves.recurring import (
    Asked,
    claim_due,
    forget,
    record_asked,
    share_with_readers_before,
)
from resources.ledger.queries.recurring import Recurrence, due_pipelines
from resources.ledger.queries.spending import parked_providers
from resources.ledger.recurring import failures_after, has_stopped, is_over
from resources.ledger.request import new_task_id
from resources.process.settings import Settings
from resources.process.traceback_log import log_traceback
from resources.purchase.parking import parking

SOURCE = "schedule"
"""The `source` of a request that was ordered so."""
_log = logging.getLogger("castad.recurring")
_BEHIND_ALL = -100
RUNS_AN_HOUR = 12
_LONGEST_SECONDS = 120.0


def pipelines_to_ask(db: Database, pipelines: Catalog) -> list[tuple[Pipeline, Recurring]]:
    """Those of which something is due, whose last order of this kind has ended, and whose vendor may be called."""
    names = due_pipelines(db)
    if not names:
        return []
    parked = {each.provider for each in parked_providers(db)}
    found = ((pipeline, pipeline.recurring) for pipeline in pipelines if pipeline.name in names)
    return [(pipeline, how) for pipeline, how in found if how and how.vendor not in parked]


def order_anew(db: Database, pipelines: Catalog, settings: Settings) -> list[str]:
    """For each pipeline its sources were asked until one has changed: the requests that were made.

    As many are asked as may be in a run's share of an hour, and one request is made: the next one follows when
    that has ended.
    """
    made = []
    until = time.monotonic() + _LONGEST_SECONDS
    for pipeline, how in pipelines_to_ask(db, pipelines):
        for _ in range(max(1, how.an_hour(settings) // RUNS_AN_HOUR)):
            if time.monotonic() > until:
                break
            recurrence = claim_due(db, pipeline.name)
            if recurrence is None:
                break
            try:
                task_id = _Look(db, pipelines, pipeline, how, settings).take(recurrence)
            except (ProviderParkedError, TooOftenError):
                break
            if task_id is not None:
                made.append(task_id)
                break
    return made


class _Look:
    """A look at what one pipeline has ordered."""

    def __init__(
        self,
        db: Database,
        pipelines: Catalog,
        pipeline: Pipeline,
        how: Recurring,
        settings: Settings,
    ) -> None:
        self._db = db
        self._pipelines = pipelines
        self._pipeline = pipeline
        self._how = how
        self._settings = settings

    def take(self, recurrence: Recurrence) -> str | None:
        """The request that was made, None without one; when to look again is on record.

        What passes by itself is looked at again in an hour, and counts as no failure. Raises ProviderParkedError
        and TooOftenError.
        """
        if is_over(recurrence.idle):
            forget(self._db, recurrence)
            return None
        failures = recurrence.failures + recurrence.is_dead
        if has_stopped(failures):
            self._record_failures(recurrence, failures)
            return None
        try:
            found = self._found(recurrence)
            if found is None:
                self._record(recurrence, recurrence.found, recurrence.mark, recurrence.task_id)
                return None
            if found.order is None:
                forget(self._db, recurrence)
                return None
            return self._order(recurrence, found.order, found.mark)
        except TransientError as error:
            _log.info("not looked at: %s %s", self._pipeline.name, error.message)
        except (ProviderParkedError, TooOftenError):
            raise
        except CastadError as error:
            _log.info("not ordered anew: %s %s", self._pipeline.name, error.message)
            self._record_failures(recurrence, failures_after(recurrence.failures, True))
        return None

    def _found(self, recurrence: Recurrence) -> Found | None:
        """What the order comes to now. Raises CastadError, whatever the folder's function raises."""
        try:
            brief = self._pipeline.parse(_order_of(recurrence.payload))
            with parking(self._db, self._how.vendor, self._settings.credit_pause):
                return _function(self._how.find)(brief, recurrence.mark, self._settings)
        except CastadError:
            raise
        except Exception as error:  # noqa: BLE001 - the folder's code may raise anything
            where = f"{self._how.find}: {type(error).__name__}, {log_traceback(error)}"
            raise CastadError(where, code="recurring_failed") from None

    def _order(self, recurrence: Recurrence, order: Mapping[str, Any], mark: str) -> str | None:
        """The request of this order, None where it is no other than before, or a person's."""
        payload = self._pipelines.accept(self._pipeline, order, self._settings)
        key = self._pipeline.key_of(payload)
        if key is None:
            raise InvalidInputError(self._how.find, "expected an order with a unique key")
        task_id = recurrence.task_id
        is_new = key != recurrence.found
        if is_new:
            task_id = self._submitted(recurrence, payload, key)
        self._record(recurrence, key, mark, task_id)
        return task_id if is_new else None

    def _submitted(
        self, recurrence: Recurrence, payload: Mapping[str, Any], key: str
    ) -> str | None:
        new = NewRequest(
            new_task_id(),
            payload,
            pipeline=self._pipeline.name,
            source=SOURCE,
            same_order=self._pipeline.same_order,
            priority=_BEHIND_ALL,
            unique_key=key,
            shared=self._pipeline.shared,
            fixed=("priority",),
        )
        try:
            request = submit_orders(self._db, [new])[0].request
        except OtherOptionError:
            # A person has ordered it since, and it keeps its priority.
            found_request = stored_request(self._db, new)
            if found_request is None:
                return None
            request = found_request
        share_with_readers_before(self._db, self._pipeline.name, recurrence, request.id)
        # One that a process has made which was lost before it could say so is this one too.
        return request.task_id if request.source == SOURCE else None

    def _record(self, recurrence: Recurrence, found: str, mark: str, task_id: str | None) -> None:
        failures = failures_after(recurrence.failures, recurrence.is_dead)
        record_asked(self._db, recurrence, Asked(found, mark, failures, task_id))

    def _record_failures(self, recurrence: Recurrence, failures: int) -> None:
        asked = Asked(recurrence.found, recurrence.mark, failures, recurrence.task_id)
        record_asked(self._db, recurrence, asked)


def _order_of(text: str) -> Mapping[str, Any]:
    """The order in a row; raises InvalidInputError where an operator's SQL has made it none."""
    try:
        order = json.loads(text)
    except (ValueError, RecursionError):
        order = None
    if not isinstance(order, dict):
        raise InvalidInputError("payload", "expected a JSON object")
    return order


def _function(name: str) -> FindOrder:
    module, _, function = name.partition(":")
    found: FindOrder = getattr(import_module(module), function)
    return found
