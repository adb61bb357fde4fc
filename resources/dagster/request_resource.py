"""Give a run its request, its results and a worker: the resources of every job."""

import atexit
import json
import logging
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import partial
from typing import Any, Self

from dagster import (
    ConfigurableResource,
    DagsterExecutionInterruptedError,
    DagsterInstance,
    DagsterRun,
    DagsterRunStatus,
    InitResourceContext,
    InputContext,
    IOManager,
    OutputContext,
    ResourceDefinition,
    io_manager,
    resource,
)
from pydantic import BaseModel, PrivateAttr

from resources.contract.errors import CastadError, PermanentError
from resources.contract.protocol import StageSettings
from resources.ledger.db.database import Database, open_database
from resources.ledger.ledger_errors import ClaimRefusedError, WorkerStoppingError
from resources.ledger.limits import Limits
from resources.ledger.queries.status import find_task_id_of_run, get_request, read_stage_result
from resources.ledger.request import check_task_id
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.claims import (
    Claimant,
    RunOrder,
    claim_request,
    confirm_cancel,
    release_request,
)
from resources.ledger.transitions.core import KeyOf, Lease
from resources.ledger.transitions.orders import SameOrder
from resources.ledger.transitions.rescue import release_unclaimed_request
from resources.ledger.workers.attempt import Attempt
from resources.ledger.workers.worker import Worker
from resources.process.configure_logging import LOG_FIELDS
from resources.process.crash_points import trigger_crash_point
from resources.process.settings import Settings, settings
from resources.purchase.failures import close_unfinished

TASK_ID_TAG = "castad/task_id"
ATTEMPT_TAG = "castad/attempt"
RETRY_TAG = "castad/retry"
PIPELINE_TAG = "castad/pipeline"

FINISHED_STATUSES = (DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE, DagsterRunStatus.CANCELED)
WAITING_STATUSES = (DagsterRunStatus.NOT_STARTED, DagsterRunStatus.STARTING)
"""The statuses of runs that no worker has started yet."""
_message: list[str] = []
_log = logging.getLogger("castad.request")


class Start(Enum):
    """The ways in which a run begins with its request."""

    CLAIM = "claims it"
    REPLAY = "reads its results"
    REQUEUE = "requeues it unclaimed: the worker is stopping"
    CANCEL = "cancels it unclaimed: the run was terminated"
    REFUSE = "leaves it alone: the run has ended"


@dataclass(frozen=True)
class RunPlan:
    """What a run needs to know of its pipeline.

    `stages` returns the settings of its stages, in order. `slots` returns how many of its requests may be at
    work at once, None for any number. `same_order` and `unique_key` compare and identify orders. `takes_over`
    is as in `Claimant`.
    """

    pipeline: str
    same_order: SameOrder
    unique_key: KeyOf
    stages: Callable[[], Sequence[StageSettings]]
    slots: Callable[[], int | None]
    takes_over: bool = False


def request_resource(plan: RunPlan) -> ResourceDefinition:
    """Build the resource `request` of a pipeline's jobs, which each run configures.

    Dagster's `configure_at_launch` is not used, because it would build the resource four times per run.
    """

    @resource(config_schema=RequestResource.to_config_schema(), description=RequestResource.__doc__)
    def request(context: InitResourceContext) -> Iterator[Attempt]:
        configured = RequestResource(**context.resource_config).of(plan)
        with configured.yield_for_execution(context) as attempt:
            yield attempt

    return request


class RequestResource(ConfigurableResource[Attempt]):
    """Claims the run's request, or ends the run CANCELED with one sentence and no change to the request.

    `order` is the normalized payload as JSON text; None for an attempt of the request `task_id`. A config of
    str fields would let `{env: NAME}` copy a secret into an order.
    """

    task_id: str | None = None
    order: str | None = None
    _plan: RunPlan = PrivateAttr()

    def of(self, plan: RunPlan) -> Self:
        """Set the plan of the pipeline whose runs use this resource, and return the resource."""
        self._plan = plan
        return self

    @contextmanager
    def yield_for_execution(self, context: InitResourceContext) -> Iterator[Attempt]:
        """Yield the run's attempt; close or requeue a request that is still claimed at the end.

        Raises DagsterExecutionInterruptedError if the run may not have an attempt.
        """
        instance, run = context.instance, context.dagster_run
        if instance is None or run is None:
            raise CastadError("the resource `request` works only inside a Dagster run")
        with worker_process.shared_worker(settings()) as (db, worker):
            attempt = self._start_attempt(instance, run, db, worker)
            try:
                _tag_run(instance, run, attempt)
                trigger_crash_point("claim.after_claim")
                yield attempt
            finally:
                worker_process.last_run_id = run.run_id
                try:
                    if attempt.lease is not None and not attempt.is_closed:
                        canceled = _read_status(instance, run) is DagsterRunStatus.CANCELING
                        close_unfinished(attempt, attempt.lease, canceled=canceled)
                finally:
                    attempt.unregister()

    def _start_attempt(
        self, instance: DagsterInstance, run: DagsterRun, db: Database, worker: Worker
    ) -> Attempt:
        """Start the run's attempt, or a replay of a completed one.

        Raises DagsterExecutionInterruptedError if the run may not have one; the run is then marked CANCELING.
        If the broker delivered the run twice, it first waits for the end of the other execution.
        """
        try:
            task_id = self._find_task_id(db, run)
            start = decide_start(
                _read_status(instance, run),
                is_dispatched=get_dispatched_attempt(run) is not None,
                worker_is_stopping=worker.is_stopping,
                has_just_run_here=run.run_id == worker_process.last_run_id,
            )
            match start:
                case Start.CANCEL:
                    _withdraw_dispatch(db, run, task_id, canceled=True)
                    raise DagsterExecutionInterruptedError("the run was terminated before it began")
                case Start.REQUEUE:
                    _withdraw_dispatch(db, run, task_id, canceled=False)
                    raise WorkerStoppingError(
                        "the worker is stopping; the request is pending again"
                    )
                case Start.REFUSE:
                    raise DagsterExecutionInterruptedError("the run was over before it began")
                case Start.REPLAY:
                    request = get_request(db, task_id)
                    return Attempt(db, request, None, worker, settings(), self._plan.stages())
                case Start.CLAIM:
                    return self._claim_attempt(instance, run, db, worker, task_id)
        except CastadError as error:
            if not isinstance(error, ClaimRefusedError) or not _is_duplicate_delivery(
                db, run, task_id
            ):
                known = run.tags.get(TASK_ID_TAG, self.task_id)
                report_canceling(instance, run, known, error.message)
                raise DagsterExecutionInterruptedError(error.message) from None
        _wait_for_run_end(instance, run)
        return self._start_attempt(instance, run, db, worker)

    def _claim_attempt(
        self, instance: DagsterInstance, run: DagsterRun, db: Database, worker: Worker, task_id: str
    ) -> Attempt:
        """Claim the request for the run, and return the attempt. Raises ClaimRefusedError, among others."""
        plan = self._plan
        claimant = Claimant(
            run.run_id,
            worker.owner,
            get_dispatched_attempt(run),
            plan.pipeline,
            plan.slots(),
            plan.takes_over,
            _get_reexecution_time(instance, run),
        )
        request, lease = claim_request(
            db,
            task_id,
            claimant,
            lease_seconds=worker.settings.lease_seconds,
            poison_deaths=worker.settings.poison_deaths,
            order=self._read_order(run),
            key_of=plan.unique_key,
        )
        if lease is not None:
            _abort_if_run_ended(instance, run, db, lease)
        end_run = partial(_force_cancel_run, instance, run)
        return Attempt(db, request, lease, worker, settings(), plan.stages(), end_run)

    def _find_task_id(self, db: Database, run: DagsterRun) -> str:
        """Find the task_id in the run's tag, its config or the request of a run that it re-executes.

        Without any of these, the task_id is made from the root run's id. Raises InvalidInputError if it is
        malformed.
        """
        ancestors = [ancestor for ancestor in (run.parent_run_id, run.root_run_id) if ancestor]
        known = run.tags.get(TASK_ID_TAG) or self.task_id
        for ancestor in ancestors:
            known = known or find_task_id_of_run(db, ancestor)
        return check_task_id(known or f"run-{(run.root_run_id or run.run_id)[:8]}")

    def _read_order(self, run: DagsterRun) -> RunOrder | None:
        """Read the order from the run's config; None if the ledger's row has it, or the config has none.

        A re-execution uses the row. Only a re-execution of a run that never claimed a request uses its config.
        """
        if self.order is None or get_dispatched_attempt(run) is not None:
            return None
        if run.parent_run_id is not None and TASK_ID_TAG in run.tags:
            return None
        plan, order = self._plan, json.loads(self.order)
        return RunOrder(plan.pipeline, order, plan.same_order, plan.unique_key(order))


def decide_start(
    status: DagsterRunStatus,
    *,
    is_dispatched: bool,
    worker_is_stopping: bool,
    has_just_run_here: bool,
) -> Start:
    """Decide by the run's present status how it begins with its request.

    A run started by hand claims even if its worker is stopping: that saves its order, and its first stage
    releases the request. `has_just_run_here` is whether this process executed the run last: `dagster job
    execute` opens the resources of a run a second time after its end.
    """
    if status is DagsterRunStatus.CANCELING:
        return Start.CANCEL
    if status in FINISHED_STATUSES:
        is_replay = status is DagsterRunStatus.SUCCESS or has_just_run_here
        return Start.REPLAY if is_replay else Start.REFUSE
    return Start.REQUEUE if worker_is_stopping and is_dispatched else Start.CLAIM


def get_dispatched_attempt(run: DagsterRun) -> int | None:
    """Return the attempt number for which the sensor launched the run; None for a run started by hand."""
    attempt = run.tags.get(ATTEMPT_TAG)
    # A re-execution inherits its parent's tag but is another attempt.
    return int(attempt) if attempt and run.parent_run_id is None else None


def _get_reexecution_time(instance: DagsterInstance, run: DagsterRun) -> datetime | None:
    """Return when a user re-executed the run's parent, which created this run; None for a run without a parent."""
    if run.parent_run_id is None:
        return None
    record = instance.get_run_record_by_id(run.run_id)
    return None if record is None else record.create_timestamp


def _abort_if_run_ended(
    instance: DagsterInstance, run: DagsterRun, db: Database, lease: Lease
) -> None:
    """Raise DagsterExecutionInterruptedError if the run was ended before it claimed the request.

    The request is then canceled if the run was terminated by a user, and released otherwise.
    """
    status = _read_status(instance, run)
    if status in (DagsterRunStatus.CANCELING, DagsterRunStatus.CANCELED):
        confirm_cancel(db, lease)
    elif status in FINISHED_STATUSES:
        release_request(db, lease)
    else:
        return
    raise DagsterExecutionInterruptedError("the run was ended while it began")


def _tag_run(instance: DagsterInstance, run: DagsterRun, attempt: Attempt) -> None:
    """Add the tags of the task_id and the attempt's number to the run, unless it has them or only replays."""
    request = attempt.request
    tags = {TASK_ID_TAG: request.task_id, ATTEMPT_TAG: str(request.attempt)}
    if request.run_id == run.run_id and not tags.items() <= run.tags.items():
        instance.add_run_tags(run.run_id, tags)


def _withdraw_dispatch(db: Database, run: DagsterRun, task_id: str, *, canceled: bool) -> None:
    """Cancel or requeue the request that the sensor dispatched for this run.

    Do nothing for a run started by hand.
    """
    attempt = get_dispatched_attempt(run)
    if attempt is not None:
        release_unclaimed_request(db, task_id, attempt, canceled=canceled)


def _is_duplicate_delivery(db: Database, run: DagsterRun, task_id: str) -> bool:
    """Return whether this run already executes its request, because the broker delivered it twice.

    Raises UnknownRequestError if the request does not exist.
    """
    request = get_request(db, task_id)
    return request.status is Status.PROCESSING and request.run_id == run.run_id


def _wait_for_run_end(instance: DagsterInstance, run: DagsterRun) -> None:
    """Wait until Dagster shows the run as ended.

    A failure of the second delivery, if reported earlier, would be shown as the failure of the first.
    """
    _log.warning(
        "run delivered twice, waiting for its end", extra={LOG_FIELDS: {"run_id": run.run_id}}
    )
    while _read_status(instance, run) not in FINISHED_STATUSES:
        time.sleep(settings().watch_seconds)


def _force_cancel_run(instance: DagsterInstance, run: DagsterRun) -> None:
    """Set the run to CANCELED although one of its steps still executes; do nothing if it has ended."""
    if _read_status(instance, run) not in FINISHED_STATUSES:
        instance.report_run_canceled(run, "canceled during a call to a vendor")


def _read_status(instance: DagsterInstance, run: DagsterRun) -> DagsterRunStatus:
    """Read the run's present status; the last known one if the run was deleted."""
    now = instance.get_run_by_id(run.run_id)
    return run.status if now is None else now.status


def report_canceling(
    instance: DagsterInstance, run: DagsterRun, task_id: str | None, sentence: str
) -> None:
    """Mark the run CANCELING and log the sentence, in its event log and in the worker's log.

    The sentence also becomes the last that is printed. The run ends CANCELED once its steps or its resource
    raise.
    """
    now = instance.get_run_by_id(run.run_id)
    if now is not None and now.status not in (DagsterRunStatus.CANCELING, *FINISHED_STATUSES):
        instance.report_run_canceling(now, message=sentence)
    fields = {"task_id": task_id, "run_id": run.run_id}
    logging.getLogger("castad.run").info("run canceled: %s", sentence, extra={LOG_FIELDS: fields})
    set_exit_message(sentence)


def set_exit_message(sentence: str) -> None:
    """Set the sentence that `dagster job execute` prints last on standard error, replacing an earlier one.

    Dagster's own last line of a failed run names only the run. In other processes this does nothing.
    """
    if not is_job_execution():
        return
    if not _message:
        atexit.register(_print_message)
    _message[:] = [sentence]


def _print_message() -> None:
    """Print the exit message on standard error."""
    sys.stderr.write(f"{_message[0]}\n")


def is_job_execution() -> bool:
    """Return whether this process is `dagster job execute`: one run, for a person who reads its output."""
    return sys.argv[1:3] == ["job", "execute"]


class StageIOManager(IOManager):
    """Loads the results of stages, and stores none: the stage has stored its result before the op returns."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt

    def handle_output(self, context: OutputContext, obj: Any) -> None:
        """Do nothing: the result is already in `stages`, committed together with the stage's end."""

    def load_input(self, context: InputContext) -> BaseModel:
        """Load the latest completed result of the upstream stage, as the op's input type.

        Raises PermanentError where that stage is not completed, as in a run of selected ops.
        """
        upstream = context.upstream_output
        stage = upstream.step_key if upstream is not None else context.name
        result = read_stage_result(self._attempt.db, self._attempt.task_id, stage)
        if result is None:
            raise PermanentError(
                f"{stage}: expected a completed stage; run it first", code="stage_missing"
            )
        model: type[BaseModel] = context.dagster_type.typing_type
        return model.model_validate(result)


@io_manager(required_resource_keys={"request"}, description="Loads results from the ledger")
def stage_io_manager(context: Any) -> StageIOManager:
    """Build the IO manager that loads the results of the run's request."""
    return StageIOManager(context.resources.request)


class WorkerProcess:
    """The one worker that all runs of this process share. It sends heartbeats while a run uses it."""

    def __init__(self) -> None:
        self.last_run_id: str | None = None
        self._lock = threading.Lock()
        self._users = 0
        self._worker: Worker | None = None

    @contextmanager
    def shared_worker(
        self,
        config: Settings,
        slots: int = 0,
        limits: Limits | None = None,
        queues: Collection[str] | None = None,
    ) -> Iterator[tuple[Database, Worker]]:
        """Yield the ledger with a retry budget, and the worker.

        The worker starts for its first user and stops after its last. It offers `slots` slots for dispatched
        runs of these queues, None for all; a worker that runs already keeps its own.
        """
        db = open_database(config.ledger_url).with_retry_budget(config.database_patience)
        with self._lock:
            worker = self._worker = self._worker or _start_worker(config, slots, limits, queues)
            self._users += 1
        try:
            yield db, worker
        finally:
            with self._lock:
                self._users -= 1
                if self._users == 0:
                    self._worker = None
                    worker.stop()
                    worker.db.close()


def _start_worker(
    config: Settings,
    slots: int,
    limits: Limits | None,
    queues: Collection[str] | None,
) -> Worker:
    """Start a worker with separate database connections.

    So no heartbeat waits for the connections of hundreds of runs.
    """
    # It has separate connections, so that no heartbeat waits for those of hundreds of runs.
    worker = Worker(Database(config.ledger_url), config, slots, limits, queues)
    worker.start()
    return worker


worker_process = WorkerProcess()
