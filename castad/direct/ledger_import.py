"""The record of an answer: a message in the spool, and what it becomes in the ledger."""

import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from pipeline_defs.catalog import catalog
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import (
    KEY_REFUSED,
    CastadError,
    InvalidInputError,
    OutOfCreditsError,
    PermanentError,
    StateUnavailableError,
)
from resources.ledger.db.database import Database, open_database, with_short_timeouts
from resources.ledger.ledger_errors import ConflictError
from resources.ledger.queries.status import get_request
from resources.ledger.request import LONGEST_TASK_ID
from resources.ledger.transitions.housekeeping import pause_provider
from resources.ledger.transitions.import_completed import (
    AnsweredOrder,
    DoneStage,
    Purchase,
    import_completed,
    save_unwanted,
)
from resources.ledger.transitions.orders import NewRequest
from resources.process.settings import settings
from resources.spool.spool import Entry, Spool, blank_dead, holder_of, note_holder, spool_in

KEEP_ALIVE = b": keep-alive\n\n"
STARTED, COMPLETED, FAILED = "started", "completed", "failed"


def started(task_id: str) -> Mapping[str, Any]:
    """The first event."""
    return {"status": STARTED, "task_id": task_id}


def step_started(step: str, steps: Sequence[str]) -> Mapping[str, Any]:
    """The step begins; progress is that of the steps before it."""
    return {"step": step, "status": STARTED, "progress": _percent(steps.index(step), steps)}


def step_completed(step: str, steps: Sequence[str]) -> Mapping[str, Any]:
    """The step has ended."""
    return {"step": step, "status": COMPLETED, "progress": _percent(steps.index(step) + 1, steps)}


def step_failed(step: str, code: str, message: str) -> Mapping[str, Any]:
    """The last event of an order that has failed."""
    return {"step": step, "status": FAILED, "error": {"code": code, "message": message}}


def completed_body(task_id: str, result: Mapping[str, Any], *, is_kept: bool) -> Mapping[str, Any]:
    """What the client gets in the end; `kept` says whether saves and import are on the disk."""
    return {
        "task_id": task_id,
        "status": COMPLETED,
        **result,
        "error": None,
        "kept": is_kept,
    }


def failed_body(task_id: str, code: str, message: str) -> Mapping[str, Any]:
    """What the client of a failed order gets."""
    return {"task_id": task_id, "status": FAILED, "error": {"code": code, "message": message}}


def frame(event: Mapping[str, Any], event_id: int | None = None) -> bytes:
    """The event as a frame of Server-Sent Events."""
    line = "" if event_id is None else f"id: {event_id}\n"
    return f"{line}data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def _percent(done: int, steps: Sequence[str]) -> int:
    return round(100 * done / len(steps))


Listener = Callable[[], None]
"""Called in a worker's thread when there is another event; it returns at once."""


@dataclass(eq=False)
class DirectJob:
    """Thread-safe. Its first event says that it has started, whenever a thread is free for it.

    `pictures` are the bytes that came with the order, by their reference in the payload.
    """

    task_id: str
    owner: str | None
    payload: Mapping[str, Any]
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    created_at: float = field(default_factory=time.time)
    events: list[Mapping[str, Any]] = field(init=False)
    body: Mapping[str, Any] | None = None
    """What the client gets once the order has ended."""
    _listeners: list[Listener] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.events = [started(self.task_id)]

    def publish(self, event: Mapping[str, Any], body: Mapping[str, Any] | None = None) -> None:
        """Add an event; with `body` it is the last one, after which there are no others."""
        with self._lock:
            if self.body is not None:
                return
            self.events.append(event)
            if body is not None:
                self.body = body
                self.pictures = {}
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener()

    def listen(self, listener: Listener) -> Callable[[], None]:
        """The listener is called for every event from now on, until the returned function is called."""
        with self._lock:
            self._listeners.append(listener)

        def stop() -> None:
            with self._lock:
                self._listeners.remove(listener)

        return stop

    @property
    def picture_bytes(self) -> int:
        """How much memory its pictures take."""
        return sum(map(len, self.pictures.values()))

    @property
    def has_ended(self) -> bool:
        """Whether the last event has happened."""
        return self.body is not None

    @property
    def has_failed(self) -> bool:
        """Whether it has ended without a result."""
        return self.body is not None and self.body["status"] == FAILED

    @property
    def current_step(self) -> str | None:
        """The step of the newest event."""
        return next((event["step"] for event in reversed(self.events) if "step" in event), None)

    @property
    def progress(self) -> int:
        """The newest event's progress in percent."""
        return next(
            (event["progress"] for event in reversed(self.events) if "progress" in event), 0
        )


TARGET = "import"
SOURCE = "direct"


@dataclass(frozen=True)
class KeptStage:
    """A stage of an answer; `result` is None where it failed. Times are seconds since the epoch."""

    stage: str
    result: Mapping[str, Any] | None
    began_at: float
    ended_at: float
    purchases: list[Purchase]


INTERRUPTED = CastadError(
    "the process ended before the answer; what it had bought by then may have been charged",
    code="answer_interrupted",
)


def new_answer() -> str:
    """Return a name for an answer, which belongs to it alone."""
    return secrets.token_hex(6)


def import_entry(
    pipeline: Pipeline,
    job: DirectJob,
    answer: str,
    stages: Sequence[KeptStage],
    error: CastadError | None,
) -> Entry:
    """Return the message that imports the answer of this name."""
    began = stages or [KeptStage(pipeline.stage_names[0], None, job.created_at, time.time(), [])]
    body = {
        "task_id": job.task_id,
        "pipeline": pipeline.name,
        "owner": job.owner,
        "payload": dict(job.payload),
        "worker": worker_of(answer),
        "stages": [_as_json(stage) for stage in began],
        "error": None if error is None else [error.code, error.message],
    }
    return Entry(TARGET, f"{key_of(job.task_id, job.owner)}{answer}", body, cost_of(began))


def key_of(task_id: str, owner: str | None) -> str:
    """Return what the keys of this order's imports begin with; no task_id holds a slash."""
    return f"{task_id}/{_digest(owner or '')}/"


def worker_of(key: str) -> str:
    """Return the name that the answer of this import's key has in the ledger."""
    return f"{SOURCE}:{key.rpartition('/')[2]}"


def cost_of(stages: Sequence[KeptStage]) -> int:
    """Return what all stages have cost, in micro-dollars."""
    return sum(purchase.cost for stage in stages for purchase in stage.purchases)


def _as_json(stage: KeptStage) -> Mapping[str, Any]:
    return {**vars(stage), "purchases": [asdict(each) for each in stage.purchases]}


def deliver_import(body: Mapping[str, Any]) -> None:
    """Store the answer in the ledger, once; where another order has its task_id, under an id of its own.

    Raises PermanentError where it can never be stored; what it has cost is among the orphans then.
    """
    db = open_database(with_short_timeouts(settings().ledger_url))
    done = [_done_stage(stage, time.time()) for stage in body["stages"]]
    try:
        pipeline = catalog().pipeline(str(body["pipeline"]))
        order = _order(pipeline, body)
    except InvalidInputError as error:
        save_unwanted(db, str(body["task_id"]), str(body["worker"]), done, error.message)
        raise PermanentError(error.message, code=error.code) from None
    _pause_unpaid(db, pipeline, body)
    answer = AnsweredOrder(
        order, str(body["worker"]), done, None if body["error"] is None else tuple(body["error"])
    )
    try:
        _store(db, answer)
    except ConflictError as error:
        save_unwanted(db, order.task_id, answer.worker, done, error.message)
        raise PermanentError(error.message, code=error.code) from None


def _pause_unpaid(db: Database, pipeline: Pipeline, body: Mapping[str, Any]) -> None:
    """Pause the vendor whose account or key failed the answer, for what is left of `credit_pause`."""
    code, message = body["error"] or ("", "")
    last = body["stages"][-1]
    left = settings().credit_pause - (time.time() - float(last["ended_at"]))
    if code in (OutOfCreditsError.code, KEY_REFUSED) and left > 0:
        makers = {each.name: each.maker for each in catalog().stages(pipeline, settings())}
        if maker := makers.get(last["stage"]):
            pause_provider(db, maker, message, left)


def _store(db: Database, answer: AnsweredOrder) -> None:
    """Store it under its task_id, or under the first of its own ids that is free or its own."""
    order = answer.order
    try:
        import_completed(db, answer)
    except ConflictError:
        _note_holder(db, order.task_id)
    else:
        return
    named = replace(answer, sent_as=order.task_id)
    try:
        own = replace(order, task_id=own_id(order.task_id, order.owner))
        import_completed(db, replace(named, order=own))
    except ConflictError:
        own = replace(order, task_id=_named_after(order.task_id, answer.worker))
        import_completed(db, replace(named, order=own))


def own_id(task_id: str, owner: str | None) -> str:
    """Return the id under which this owner's answer is stored where another order has its task_id."""
    return _named_after(task_id, f"{owner or ''}/{task_id}")


def _named_after(task_id: str, of: str) -> str:
    digest = _digest(of)
    return f"{task_id[: LONGEST_TASK_ID - len(digest) - 1]}:{digest}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _note_holder(db: Database, task_id: str) -> None:
    """This machine knows from now on whose the task_id is."""
    spool = spool_in(settings().home)
    holder = get_request(db, task_id)
    body = {"owner": holder.owner, "pipeline": holder.pipeline, "payload": holder.order() or {}}
    with spool.writing() as tx:
        note_holder(tx, task_id, body, spool.now)


def forget_order(spool: Spool, task_id: str) -> None:
    """Remove what this machine knows of a deleted order: whose its name is, and its answers that were given up."""
    with spool.writing() as tx:
        note_holder(tx, task_id, None, spool.now)
        blank_dead(tx, TARGET, f"{task_id}/")


def ensure_own(spool: Spool, pipeline: Pipeline, job: DirectJob) -> None:
    """Refuse a job whose task_id is known on this machine to belong to another order.

    Raises ConflictError. A spool that cannot be read refuses nothing.
    """
    with suppress(StateUnavailableError):
        # In this order: whose a name is, is noted before the answer that found it out is gone.
        waiting = spool.find(TARGET, f"{job.task_id}/")
        with spool.using() as connection:
            holder = holder_of(connection, job.task_id)
        for body in (*([] if holder is None else [holder]), *(each.body for each in waiting)):
            if not _is_of(pipeline, job, body):
                raise ConflictError(job.task_id)


def _is_of(pipeline: Pipeline, job: DirectJob, body: Mapping[str, Any]) -> bool:
    """Whether what the body says is the job's order."""
    return (
        body.get("pipeline") == pipeline.name
        # A command has no owner, and its order is that of any.
        and (job.owner is None or body.get("owner") == job.owner)
        and pipeline.same_order(body.get("payload") or {}, job.payload)
    )


def _order(pipeline: Pipeline, body: Mapping[str, Any]) -> NewRequest:
    return NewRequest(
        body["task_id"],
        body["payload"],
        pipeline=pipeline.name,
        source=SOURCE,
        same_order=pipeline.same_order,
        owner=body["owner"],
        unique_key=pipeline.key_of(body["payload"]),
        shared=pipeline.shared,
    )


def _done_stage(stage: Mapping[str, Any], now: float) -> DoneStage:
    return DoneStage(
        stage["stage"],
        stage["result"],
        max(now - stage["began_at"], 0.0),
        max(now - stage["ended_at"], 0.0),
        [Purchase(**each) for each in stage["purchases"]],
    )
