"""Runs that no worker has claimed: republished, requeued, or canceled where they are superseded."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from enum import Enum, auto
from typing import Protocol, runtime_checkable

from dagster import DagsterInstance, DagsterRun, RunsFilter

from resources.dagster.request_runs import ATTEMPT_TAG, PIPELINE_TAG, TASK_ID_TAG, WAITING_STATUSES
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.reads import get_request
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.unclaimed import lock_unclaimed, requeue, save_redelivery

_BATCH = 100
_SCHEDULE_TAG = "dagster/schedule_name"
_REPUBLISHED_TAG = "castad/delivered_again"


@runtime_checkable
class RunPublisher(Protocol):
    """What publishes runs to the broker: the run launcher."""

    def publish_run(self, run_id: str) -> bool:
        """Whether the broker accepted the run; publishing it twice does no harm."""

    def ensure_worker(self) -> None:
        """Where workers are started on demand, one is alive or starting."""


class UnclaimedRunAction(Enum):
    """What to do with an unclaimed run."""

    REPUBLISH = auto()
    LEAVE = auto()
    CANCEL = auto()


def action_for(run: DagsterRun, request: Request | None) -> UnclaimedRunAction:
    """Decide about a run that has waited longer than the grace.

    A run of the sensor belongs to one attempt; while that attempt is dispatched, `republish_unclaimed` handles
    it. Any other run was launched by hand and claims its request itself. A run that processes its request was
    claimed since the query.
    """
    at_work = (Status.PROCESSING, run.run_id)
    if request is not None and (request.status, request.run_id) == at_work:
        return UnclaimedRunAction.LEAVE
    if ATTEMPT_TAG not in run.tags or run.parent_run_id is not None:
        return UnclaimedRunAction.REPUBLISH
    attempt = int(run.tags[ATTEMPT_TAG])
    if request is not None and (request.status, request.attempt) == (Status.DISPATCHED, attempt):
        return UnclaimedRunAction.LEAVE
    return UnclaimedRunAction.CANCEL


def republish_unclaimed(
    instance: DagsterInstance, launcher: RunPublisher | None, db: Database, grace: float
) -> list[Request]:
    """The run of every unclaimed request is published again, or the request is requeued where it has no run.

    Stops at the first run that the broker does not accept: a broker that hangs costs seconds per run.
    """
    changed: list[Request | None] = []
    for request in lock_unclaimed(db, grace):
        run = _unclaimed_run_of(instance, request)
        if launcher is None or run is None:
            changed.append(requeue(db, request))
        elif launcher.publish_run(run.run_id):
            changed.append(save_redelivery(db, request))
        else:
            break
    return [row for row in changed if row is not None]


def reap_stale_runs(
    instance: DagsterInstance, launcher: RunPublisher, db: Database, grace: float
) -> None:
    """Stale runs that were launched by hand or by a schedule are published again, superseded ones are CANCELED.

    Nothing is published after the first run that the broker does not accept.
    """
    broker_accepts = True
    for run in _stale_runs(instance, grace):
        action = action_for(run, _request_of(db, run))
        if action is UnclaimedRunAction.CANCEL:
            instance.report_run_canceled(run, "superseded: its request continued without this run")
        elif (
            action is UnclaimedRunAction.REPUBLISH and broker_accepts and _may_republish(run, grace)
        ):
            broker_accepts = launcher.publish_run(run.run_id)
            if broker_accepts:
                now = datetime.now(UTC).isoformat(timespec="seconds")
                instance.add_run_tags(run.run_id, {_REPUBLISHED_TAG: now})


def _stale_runs(instance: DagsterInstance, grace: float) -> Iterator[DagsterRun]:
    before = datetime.now(UTC) - timedelta(seconds=grace)
    filters = RunsFilter(statuses=list(WAITING_STATUSES), created_before=before)
    for run in instance.get_runs(filters=filters, limit=_BATCH):
        if PIPELINE_TAG in run.tags or _SCHEDULE_TAG in run.tags:
            yield run


def _may_republish(run: DagsterRun, grace: float) -> bool:
    last = run.tags.get(_REPUBLISHED_TAG)
    if last is None:
        return True
    return datetime.now(UTC) - datetime.fromisoformat(last) >= timedelta(seconds=grace)


def _unclaimed_run_of(instance: DagsterInstance, request: Request) -> DagsterRun | None:
    """The sensor's run of the request if it can still be claimed; a run with a start time was claimed once."""
    tags = {TASK_ID_TAG: request.task_id, ATTEMPT_TAG: str(request.attempt)}
    # A re-execution inherits the tags of its parent; the sensor's own run has no parent.
    for record in instance.get_run_records(filters=RunsFilter(tags=tags), limit=_BATCH):
        run = record.dagster_run
        if run.parent_run_id is None:
            return run if run.status in WAITING_STATUSES and record.start_time is None else None
    return None


def _request_of(db: Database, run: DagsterRun) -> Request | None:
    try:
        return get_request(db, run.tags.get(TASK_ID_TAG, ""))
    except UnknownRequestError:
        return None
