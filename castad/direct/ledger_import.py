"""Import an answer into the ledger, from a message in the spool."""

import hashlib
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from pipeline_defs.capabilities import get_key_rules, get_unique_key
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import (
    KEY_REFUSED,
    CastadError,
    InvalidInputError,
    OutOfCreditsError,
    PermanentError,
    StateUnavailableError,
)
from resources.delivery.spool import (
    Entry,
    Spool,
    blank_dead,
    find_holder_of,
    note_holder,
    open_spool,
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
    save_unwanted_purchases,
)
from resources.ledger.transitions.orders import NewRequest
from resources.process.settings import settings

KEEP_ALIVE = b": keep-alive\n\n"
STARTED, COMPLETED, FAILED = "started", "completed", "failed"


def make_step_started(step: str, steps: Sequence[str]) -> Mapping[str, Any]:
    """Make the event of a step that begins; its progress is that of the steps before it, in percent."""
    return {"step": step, "status": STARTED, "progress": _to_percent(steps.index(step), steps)}


def make_step_completed(step: str, steps: Sequence[str]) -> Mapping[str, Any]:
    """Make the event of a completed step, with the progress in percent."""
    return {
        "step": step,
        "status": COMPLETED,
        "progress": _to_percent(steps.index(step) + 1, steps),
    }


def make_step_failed(step: str, code: str, message: str) -> Mapping[str, Any]:
    """Make the last event of an order that failed in this step."""
    return {"step": step, "status": FAILED, "error": {"code": code, "message": message}}


def make_completed_body(
    task_id: str, result: Mapping[str, Any], *, is_kept: bool
) -> Mapping[str, Any]:
    """Make the client's answer of a completed order; `is_kept` is whether it was written to the spool."""
    return {
        "task_id": task_id,
        "status": COMPLETED,
        **result,
        "error": None,
        "kept": is_kept,
    }


def make_failed_body(task_id: str, code: str, message: str) -> Mapping[str, Any]:
    """Make the client's answer of a failed order."""
    return {"task_id": task_id, "status": FAILED, "error": {"code": code, "message": message}}


def format_frame(event: Mapping[str, Any], event_id: int | None = None) -> bytes:
    """Format the event as a frame of Server-Sent Events, with an id line if `event_id` is given."""
    line = "" if event_id is None else f"id: {event_id}\n"
    return f"{line}data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def _to_percent(done: int, steps: Sequence[str]) -> int:
    """Return the share of the steps that are done, in percent."""
    return round(100 * done / len(steps))


Listener = Callable[[], None]
"""Called in a worker's thread when there is another event; it returns at once."""


@dataclass(eq=False)
class DirectJob:
    """An order that this process answers, with its events. Thread-safe.

    The first event, "started", is there at once, before a thread is free. `pictures` maps references in the
    payload to the bytes that came with the order; it is emptied at the end.
    """

    task_id: str
    owner: str | None
    payload: Mapping[str, Any]
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    created_at: float = field(default_factory=time.time)
    events: list[Mapping[str, Any]] = field(init=False)
    body: Mapping[str, Any] | None = None
    """The client's answer, once the order has ended."""
    _listeners: list[Listener] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.events = [{"status": STARTED, "task_id": self.task_id}]

    def publish(self, event: Mapping[str, Any], body: Mapping[str, Any] | None = None) -> None:
        """Add an event and call the listeners.

        An event with a `body` is the last one. Ignored once there is a last one.
        """
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
        """Call the listener after every later event; return the function that ends this."""
        with self._lock:
            self._listeners.append(listener)

        def stop() -> None:
            with self._lock:
                self._listeners.remove(listener)

        return stop

    @property
    def picture_bytes(self) -> int:
        """The size of the pictures in memory, in bytes."""
        return sum(map(len, self.pictures.values()))

    @property
    def has_ended(self) -> bool:
        """Whether the last event was published."""
        return self.body is not None

    @property
    def has_failed(self) -> bool:
        """Whether the order has ended with an error."""
        return self.body is not None and self.body["status"] == FAILED

    @property
    def current_step(self) -> str | None:
        """The step of the newest event that names one; None before the first step."""
        return next((event["step"] for event in reversed(self.events) if "step" in event), None)

    @property
    def progress(self) -> int:
        """The progress of the newest event that has one, in percent; 0 before the first step."""
        return next(
            (event["progress"] for event in reversed(self.events) if "progress" in event), 0
        )


TARGET = "import"
SOURCE = "direct"


@dataclass(frozen=True)
class KeptStage:
    """A stage of an answer as it is imported; `result` is None if it failed. Times are seconds since the epoch."""

    stage: str
    result: Mapping[str, Any] | None
    began_at: float
    ended_at: float
    purchases: list[Purchase]


INTERRUPTED = CastadError(
    "the process ended before the answer; what it had bought by then may have been charged",
    code="answer_interrupted",
)


def build_import_entry(
    pipeline: Pipeline,
    job: DirectJob,
    answer: str,
    stages: Sequence[KeptStage],
    error: CastadError | None,
) -> Entry:
    """Build the spool's entry that imports an answer into the ledger.

    Args:
        answer: the unique name of the answer.
        stages: the stages that were begun; an empty list becomes the pipeline's first stage.
        error: why the answer failed; None for a success.
    """
    began = stages or [KeptStage(pipeline.stage_names[0], None, job.created_at, time.time(), [])]
    body = {
        "task_id": job.task_id,
        "pipeline": pipeline.name,
        "owner": job.owner,
        "payload": dict(job.payload),
        "worker": make_worker_name(answer),
        "stages": [
            {**vars(stage), "purchases": [asdict(each) for each in stage.purchases]}
            for stage in began
        ],
        "error": None if error is None else [error.code, error.message],
    }
    cost = sum(purchase.cost for stage in began for purchase in stage.purchases)
    return Entry(TARGET, f"{build_import_prefix(job.task_id, job.owner)}{answer}", body, cost)


def build_import_prefix(task_id: str, owner: str | None) -> str:
    """Build the prefix of the spool keys of this order's imports; no task_id contains a slash."""
    return f"{task_id}/{_make_digest(owner or '')}/"


def make_worker_name(key: str) -> str:
    """Make the worker's name under which the ledger has the answer of this import's key."""
    return f"{SOURCE}:{key.rpartition('/')[2]}"


def deliver_import(body: Mapping[str, Any]) -> None:
    """Store the answer in the ledger, once; under a substitute id if another order has its task_id.

    Raises PermanentError if it can never be stored; its purchases are saved as orphans then.
    """
    db = open_database(with_short_timeouts(settings().ledger_url))
    done = [_make_done_stage(stage, time.time()) for stage in body["stages"]]
    try:
        pipeline = get_catalog().get_pipeline(str(body["pipeline"]))
        order = _make_order(pipeline, body)
    except InvalidInputError as error:
        save_unwanted_purchases(db, str(body["task_id"]), str(body["worker"]), done, error.message)
        raise PermanentError(error.message, code=error.code) from None
    _pause_unpaid_vendor(db, pipeline, body)
    answer = AnsweredOrder(
        order, str(body["worker"]), done, None if body["error"] is None else tuple(body["error"])
    )
    try:
        _store_answer(db, answer)
    except ConflictError as error:
        save_unwanted_purchases(db, order.task_id, answer.worker, done, error.message)
        raise PermanentError(error.message, code=error.code) from None


def _pause_unpaid_vendor(db: Database, pipeline: Pipeline, body: Mapping[str, Any]) -> None:
    """Pause the vendor if the answer failed by its account or key, for the rest of `credit_pause`."""
    code, message = body["error"] or ("", "")
    last = body["stages"][-1]
    left = settings().credit_pause - (time.time() - float(last["ended_at"]))
    if code in (OutOfCreditsError.code, KEY_REFUSED) and left > 0:
        makers = {
            each.name: each.maker
            for each in get_catalog().list_stage_settings(pipeline, settings())
        }
        if maker := makers.get(last["stage"]):
            pause_provider(db, maker, message, left)


def _store_answer(db: Database, answer: AnsweredOrder) -> None:
    """Store the answer under its task_id, or under the first substitute id that no other order has.

    Raises ConflictError if both substitute ids are taken.
    """
    order = answer.order
    try:
        import_completed(db, answer)
    except ConflictError:
        _note_holder(db, order.task_id)
    else:
        return
    named = replace(answer, sent_as=order.task_id)
    try:
        own = replace(order, task_id=make_substitute_id(order.task_id, order.owner))
        import_completed(db, replace(named, order=own))
    except ConflictError:
        own = replace(order, task_id=_append_digest(order.task_id, answer.worker))
        import_completed(db, replace(named, order=own))


def make_substitute_id(task_id: str, owner: str | None) -> str:
    """Return the substitute id of this owner's answer, for when another order has its task_id."""
    return _append_digest(task_id, f"{owner or ''}/{task_id}")


def _append_digest(task_id: str, text: str) -> str:
    """Append a digest of the text to the task_id, which is shortened to fit."""
    digest = _make_digest(text)
    return f"{task_id[: LONGEST_TASK_ID - len(digest) - 1]}:{digest}"


def _make_digest(text: str) -> str:
    """Return the first 12 hex digits of the text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _note_holder(db: Database, task_id: str) -> None:
    """Note in this machine's spool which order holds the task_id. Raises UnknownRequestError."""
    spool = open_spool(settings().home)
    holder = get_request(db, task_id)
    body = {"owner": holder.owner, "pipeline": holder.pipeline, "payload": holder.order() or {}}
    with spool.writing() as tx:
        note_holder(tx, task_id, body, spool.now)


def forget_order(spool: Spool, task_id: str) -> None:
    """Remove a deleted order's data from the spool: the holder of its task_id, and the bodies of its dead imports.

    Raises StateUnavailableError.
    """
    with spool.writing() as tx:
        note_holder(tx, task_id, None, spool.now)
        blank_dead(tx, TARGET, f"{task_id}/")


def ensure_task_id_available(spool: Spool, pipeline: Pipeline, job: DirectJob) -> None:
    """Raise ConflictError if this machine knows that the job's task_id belongs to another order.

    A spool that cannot be read is ignored.
    """
    with suppress(StateUnavailableError):
        # In this order: a delivery notes the holder before it removes the message.
        waiting = spool.find(TARGET, f"{job.task_id}/")
        with spool.using() as connection:
            holder = find_holder_of(connection, job.task_id)
        for body in (*([] if holder is None else [holder]), *(each.body for each in waiting)):
            if not _is_same_order(pipeline, job, body):
                raise ConflictError(job.task_id)


def _is_same_order(pipeline: Pipeline, job: DirectJob, body: Mapping[str, Any]) -> bool:
    """Return whether the body, of an import or a holder, is that of the job's order."""
    return (
        body.get("pipeline") == pipeline.name
        # An order of the command line has no owner, and matches every owner's.
        and (job.owner is None or body.get("owner") == job.owner)
        and pipeline.is_same_order(body.get("payload") or {}, job.payload)
    )


def _make_order(pipeline: Pipeline, body: Mapping[str, Any]) -> NewRequest:
    """Build the new request from the body of an import. Raises InvalidInputError."""
    return NewRequest(
        body["task_id"],
        body["payload"],
        pipeline=pipeline.name,
        source=SOURCE,
        same_order=pipeline.is_same_order,
        owner=body["owner"],
        unique_key=get_unique_key(pipeline, body["payload"]),
        shared=get_key_rules(pipeline).shared,
    )


def _make_done_stage(stage: Mapping[str, Any], now: float) -> DoneStage:
    """Build a stage of the answer from its entry in the import's body; `now` is in seconds since the epoch."""
    return DoneStage(
        stage["stage"],
        stage["result"],
        max(now - stage["began_at"], 0.0),
        max(now - stage["ended_at"], 0.0),
        [Purchase(**each) for each in stage["purchases"]],
    )
