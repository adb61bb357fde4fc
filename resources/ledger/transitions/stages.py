"""Begin and complete the stages of a claimed request, and find another request that makes the same order."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sqlalchemy import (
    Connection,
    Integer,
    Row,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from resources.contract.errors import InvalidInputError
from resources.contract.protocol import InProgress
from resources.files.artifacts import StoredArtifact
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import (
    DuplicateOrderError,
    HeldError,
    NoSlotError,
    SameOrderError,
)
from resources.ledger.limits import FINAL_STATUS_PREFIX, SLOT_PREFIX, format_wait, parse_wait
from resources.ledger.queries.status import find_key_holder, is_key_taken
from resources.ledger.request import ProjectionChange, Request, SettledKey, list_stages_to_approve
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import (
    StageStatus,
    Status,
    metadata,
    provider_jobs,
    requests,
    stages,
)
from resources.ledger.transitions.access import grant_shared_access
from resources.ledger.transitions.core import (
    INSERT_ARTIFACT,
    NO_ERROR,
    NO_PROGRESS,
    NO_SLOT_OR_PERMIT,
    NOT_WAITING,
    UNLEASED,
    Lease,
    build_upsert,
    end_open_attempt,
    ensure_unique_key_free,
    lock_leased_request,
    set_bookkeeping_columns,
    transition,
    transition_leased_request,
)
from resources.ledger.transitions.dispatch import has_room, lock_limit

RUNNING = "running"
_LONGEST_NAME = 64
_RESET_FOR_NEXT_STAGE: Mapping[str, Any] = {
    "deaths": 0,
    "retry_count": 0,
    **NO_SLOT_OR_PERMIT,
    **NOT_WAITING,
}


@dataclass(frozen=True)
class StageEntry:
    """A stage of a request, in its newest generation; `result` is set if the stage is completed."""

    stage: str
    generation: int
    result: Mapping[str, Any] | None


@dataclass(frozen=True)
class Made:
    """What a stage has made: its result, its files, and its cost in micro-dollars."""

    result: Mapping[str, Any]
    files: Sequence[StoredArtifact]
    cost: int


@retry_transient
def begin_stage(
    db: Database,
    lease: Lease,
    stage: str,
    pipeline_stages: Sequence[str],
    slots: int | None = None,
    projection: ProjectionChange | None = None,
) -> StageEntry:
    """Set the stage processing; if it is completed, change nothing and return it with its result.

    With `slots` the stage takes one of that many slots. With `projection` the request's projection is opened.
    Raises HeldError if a person has to approve another stage first, and InvalidInputError if the column
    `hold` names a stage that cannot be approved. Raises NoSlotError if no slot is free, and LeaseLostError.
    """
    of = {"of_id": lease.request_id, "of_stage": stage}
    with db.writing() as tx:
        row = tx.execute(_NEWEST, of).one_or_none()
        newest = None if row is None else row.generation
        generation = newest or 1
        if row is not None and row.status == StageStatus.COMPLETED:
            lock_leased_request(tx, lease)
            return StageEntry(stage, generation, json.loads(row.result))
        if row is not None and row.hold is not None:
            _ensure_stages_approved(tx, lease, row, pipeline_stages)
        detail = {"stage": stage, "generation": generation}
        changes: Mapping[str, Any] = {"stage": stage, "slot": None, "not_before": None}
        if row is not None and slots is not None:
            changes = _build_slot_columns(tx, lease, f"stage:{row.pipeline}.{stage}", slots)
        request = transition_leased_request(tx, lease, "stage_started", changes, **detail)
        if projection is not None:
            open_projection(tx, request, projection)
        counted = {"retry_count": request.retry_count}
        if newest is None:
            tx.execute(_INSERT_STAGE, {"request_id": lease.request_id, "stage": stage, **counted})
        else:
            # A run that only polls again for a vendor's final status is no new try.
            tries = 0 if parse_wait(FINAL_STATUS_PREFIX, request.waits_for) else 1
            of_this = {**of, "of_generation": generation, "tries": tries}
            tx.execute(_RESTART_STAGE, {**of_this, **counted})
        return StageEntry(stage, generation, None)


def _ensure_stages_approved(
    tx: Connection, lease: Lease, hold: Row[Any], pipeline_stages: Sequence[str]
) -> None:
    """Raise HeldError if a completed stage still needs an approval.

    `hold` is a row with the columns `hold` and `hold_seconds`. The check comes before the slot, because a
    request that waits for a person needs none. Raises InvalidInputError if `hold` names a stage that cannot
    be approved.
    """
    to_approve = list_stages_to_approve(hold.hold)
    known = pipeline_stages[:-1]
    for name in to_approve:
        # An operator's slip must not skip an approval.
        if name not in known:
            expected = f"expected stages before the last one: {', '.join(known)}"
            raise InvalidInputError("hold", f"{expected}, got {ascii(name)[:_LONGEST_NAME]}")
    newest = {each.stage: each for each in tx.execute(_STATUSES, {"of_id": lease.request_id})}
    for stage in to_approve:
        found = newest.get(stage)
        if found is None or found.status != StageStatus.COMPLETED:
            continue
        if found.approved_at is None:
            # An attempt that has lost its request must not wait for a person in its name.
            lock_leased_request(tx, lease)
            raise HeldError(stage, hold.hold_seconds)


def _build_slot_columns(tx: Connection, lease: Lease, limit: str, slots: int) -> Mapping[str, Any]:
    """Build the column changes of a request that takes a slot of the stage.

    A request that waits for a vendor's permit keeps its `waits_for`. Raises NoSlotError unless the request
    holds a slot of the stage or may take a free one.
    """
    stage = limit.partition(".")[2]
    # Two concurrent transactions would both take the last slot.
    lock_limit(tx, limit)
    if not has_room(tx, lease.request_id, limit, slots):
        raise NoSlotError(stage, slots)
    waited = requests.c.waits_for == format_wait(SLOT_PREFIX, stage)
    return {
        "stage": stage,
        "slot": stage,
        "not_before": None,
        "asked_at": case((waited, None), else_=requests.c.asked_at),
        "waits_for": case((waited, None), else_=requests.c.waits_for),
    }


@retry_transient
def save_progress(db: Database, lease: Lease, entry: StageEntry, report: InProgress) -> None:
    """Store the progress of a processing stage for display, without an event; do nothing if the lease is void."""
    reported = {"progress": report.progress, "progress_note": report.note}
    of_this = {**_build_stage_parameters(lease, entry), "of_fence": lease.fence}
    with db.writing() as tx:
        tx.execute(_SAVE_PROGRESS, {**of_this, **reported})


@retry_transient
def complete_stage(
    db: Database,
    lease: Lease,
    entry: StageEntry,
    *,
    result: Mapping[str, Any],
    cost: int,
    token: str | None,
    files: Sequence[StoredArtifact],
    pipeline_stages: Sequence[str],
    settled: SettledKey | None = None,
) -> Request:
    """Complete the stage for good, and the request if all its stages are completed; return the request.

    Retries and deaths are counted from 0 for the next stage. `cost`, in micro-dollars, is the final cost of
    the submission with this `token` (None if nothing was bought). `settled` is the unique key to store. If
    another request holds the key and the key is shared, that request keeps it and the owner of this one may
    read it (`find_reusable_request`); otherwise raises DuplicateOrderError. Raises LeaseLostError.
    """
    made = Made(result, files, cost)

    def complete() -> Request:
        with db.writing() as tx:
            changes: dict[str, Any] = {}
            if settled is not None and not _share_key_holder(tx, lease, settled):
                changes["unique_key"] = settled.key
                ensure_unique_key_free(tx, lock_leased_request(tx, lease)[0], changes)
            request = _complete_stage(tx, lease, entry, made, pipeline_stages, changes)
            if token is not None:
                tx.execute(_CORRECT_COST, {"of_token": token, "cost": cost})
            return _complete_request_if_done(tx, request, pipeline_stages)

    try:
        return complete()
    except DuplicateOrderError:
        # Another request may have taken the key after it was looked up.
        return complete()


def _share_key_holder(tx: Connection, lease: Lease, settled: SettledKey) -> bool:
    """Let the owner of the leased request read the holder of the shared key; return whether there is a holder.

    Returns False if the key is not shared.
    """
    if not settled.is_shared:
        return False
    request, _ = lock_leased_request(tx, lease)
    holder = find_key_holder(tx, request.pipeline, settled.key)
    if holder is None:
        return False
    grant_shared_access(tx, holder, request.owner)
    return True


@retry_transient
def complete_request(db: Database, lease: Lease, pipeline_stages: Sequence[str]) -> Request:
    """Complete the request if all its stages are completed; else return it unchanged. Raises LeaseLostError."""
    with db.writing() as tx:
        return _complete_request_if_done(tx, lock_leased_request(tx, lease)[0], pipeline_stages)


@retry_transient
def complete_with_other_results(
    db: Database,
    lease: Lease,
    results: Mapping[str, tuple[Mapping[str, Any], Sequence[StoredArtifact]]],
    pipeline_stages: Sequence[str],
    same_as: str,
    projection_table: str | None = None,
) -> Request:
    """Complete the request and its stages with the results of another completed request, `same_as` (a task_id).

    `results` has the result and the files of each stage, in order. The request's row in `projection_table` is
    deleted, because the other request has the projection. Raises LeaseLostError.
    """
    with db.writing() as tx:
        for stage, (result, files) in results.items():
            row = tx.execute(_NEWEST, {"of_id": lease.request_id, "of_stage": stage}).one()
            if row.generation is None:
                first = {"request_id": lease.request_id, "stage": stage, "retry_count": 0}
                tx.execute(_INSERT_STAGE, first)
            entry = StageEntry(stage, row.generation or 1, None)
            made = Made(result, files, 0)
            _complete_stage(tx, lease, entry, made, pipeline_stages, {}, same_as=same_as)
            # It took no time here, so figures of the stage's duration must not count it.
            tries = {"tries": 0 if row.generation is None else row.attempts}
            tx.execute(_CLEAR_START, {**_build_stage_parameters(lease, entry), **tries})
        if projection_table is not None:
            projection = metadata.tables[projection_table]
            tx.execute(delete(projection).where(projection.c.request_id == lease.request_id))
        return _complete_request_if_done(tx, lock_leased_request(tx, lease)[0], pipeline_stages)


def _complete_stage(
    tx: Connection,
    lease: Lease,
    entry: StageEntry,
    made: Made,
    pipeline_stages: Sequence[str],
    changes: Mapping[str, Any],
    **detail: str,
) -> Request:
    """Complete the stage with what it has made, and write its event; return the request.

    `changes` are further column values of the request, `detail` further data of the event. A later attempt
    needs a slot of the stage that follows.
    """
    follows = [after for before, after in pairwise(pipeline_stages) if before == entry.stage]
    changes = {**_RESET_FOR_NEXT_STAGE, **({"stage": follows[0]} if follows else {}), **changes}
    of_stage = {"stage": entry.stage, "generation": entry.generation}
    about = {**of_stage, "cost": made.cost, **detail}
    request = transition_leased_request(tx, lease, "stage_completed", changes, **about)
    stored = {"result": json.dumps(made.result, ensure_ascii=False), "cost": made.cost}
    tx.execute(_COMPLETE_STAGE, {**_build_stage_parameters(lease, entry), **stored})
    for file in made.files:
        tx.execute(INSERT_ARTIFACT, {"request_id": request.id, **of_stage, **vars(file)})
    return request


def _build_stage_parameters(lease: Lease, entry: StageEntry) -> Mapping[str, Any]:
    """Build the parameters that identify a generation of a stage."""
    of_request = {"of_id": lease.request_id}
    return {**of_request, "of_stage": entry.stage, "of_generation": entry.generation}


def _complete_request_if_done(
    tx: Connection, request: Request, pipeline_stages: Sequence[str]
) -> Request:
    """Complete the request if the newest generation of every stage is completed; otherwise return it unchanged.

    The event holds the total cost.
    """
    rows = tx.execute(_STATUSES, {"of_id": request.id})
    statuses = {row.stage: row.status for row in rows}
    if any(statuses.get(stage) != StageStatus.COMPLETED for stage in pipeline_stages):
        return request
    end_open_attempt(tx, request.id)
    in_all = int(tx.execute(_COST_IN_ALL, {"of_id": request.id}).scalar() or 0)
    done = {"status": Status.COMPLETED, "completed_at": now(), "cancel_requested": False}
    return transition(tx, request, "completed", {**done, **NO_ERROR, **UNLEASED}, cost=in_all)


@retry_transient
def find_reusable_request(db: Database, lease: Lease, key: str) -> Request | None:
    """Find the completed request whose result the leased request, an order with the unique key `key`, can reuse.

    Returns None if the leased request has to make the order itself: it then holds the key, also if the former
    holder has died or has not begun. Otherwise the owner of the leased request may read the holder. Raises
    LeaseLostError, and SameOrderError while the holder makes the order.
    """
    try:
        with db.writing() as tx:
            holder = _find_other_key_holder(tx, lease, key)
    except IntegrityError as error:
        if not is_key_taken(error):
            raise
        return find_reusable_request(db, lease, key)
    if holder is None or holder.status is Status.COMPLETED:
        return holder
    raise SameOrderError(holder.task_id)


def _find_other_key_holder(tx: Connection, lease: Lease, key: str) -> Request | None:
    """Return the other request that holds the key; None after the leased request has taken the key.

    Lets the owner of the leased request read the holder. Raises LeaseLostError.
    """
    request, _ = lock_leased_request(tx, lease)
    holder = find_key_holder(tx, request.pipeline, key)
    if holder is not None and holder.id == request.id:
        return None
    if holder is not None and not _release_unique_key(tx, holder):
        grant_shared_access(tx, holder, request.owner)
        return holder
    set_bookkeeping_columns(tx, requests.c.id == request.id, unique_key=key)
    return None


def _release_unique_key(tx: Connection, holder: Request) -> bool:
    """Remove the key of a request that has not begun, and may be due much later; return whether it had the key."""
    has_not_begun = (
        requests.c.id == holder.id,
        requests.c.unique_key == holder.unique_key,
        requests.c.status == Status.PENDING,
        requests.c.stage.is_(None),
    )
    return set_bookkeeping_columns(tx, *has_not_begun, unique_key=None) > 0


def open_projection(tx: Connection, request: Request, change: ProjectionChange) -> None:
    """Insert or update the request's row in the projection's table as running, with these values.

    An existing row keeps its start time.
    """
    opened = {"status": RUNNING, "finished_at": None, **change.values}
    first = {"id": request.task_id, "request_id": request.id, "started_at": now()}
    statement = build_upsert(tx, metadata.tables[change.table]).values({**first, **opened})
    tx.execute(statement.on_conflict_do_update(index_elements=["request_id"], set_=opened))


_OF_STAGE = (stages.c.request_id == bindparam("of_id"), stages.c.stage == bindparam("of_stage"))
_NEWEST = (
    select(stages, requests.c.pipeline, requests.c.hold, requests.c.hold_seconds)
    .select_from(
        requests.outerjoin(
            stages,
            and_(stages.c.request_id == requests.c.id, stages.c.stage == bindparam("of_stage")),
        )
    )
    .where(requests.c.id == bindparam("of_id"))
    .order_by(stages.c.generation.desc())
    .limit(1)
)
_STATUSES = (
    select(stages.c.stage, stages.c.status, stages.c.approved_at)
    .where(stages.c.request_id == bindparam("of_id"))
    .order_by(stages.c.generation)
)
_INSERT_STAGE = (
    insert(stages)
    .values(generation=1, cost=0, attempts=1, status=StageStatus.PROCESSING, started_at=now())
    .inline()
)
_OF_GENERATION = update(stages).where(*_OF_STAGE, stages.c.generation == bindparam("of_generation"))
_TRIES = bindparam("tries", type_=Integer)
_SAVE_PROGRESS = _OF_GENERATION.where(
    stages.c.status == StageStatus.PROCESSING,
    exists().where(requests.c.id == stages.c.request_id, requests.c.fence == bindparam("of_fence")),
).values(progress=bindparam("progress"), progress_note=bindparam("progress_note"))
_RESTART_STAGE = _OF_GENERATION.values(
    status=StageStatus.PROCESSING,
    attempts=stages.c.attempts + _TRIES,
    # A new try starts from 0; a submission that is only polled again continues.
    progress=case((_TRIES == 0, stages.c.progress)),
    progress_note=case((_TRIES == 0, stages.c.progress_note)),
    retry_count=bindparam("retry_count"),
    started_at=func.coalesce(stages.c.started_at, now()),
    **NO_ERROR,
)
_COMPLETE_STAGE = _OF_GENERATION.values(
    status=StageStatus.COMPLETED, completed_at=now(), **NO_ERROR, **NO_PROGRESS
)
_CLEAR_START = _OF_GENERATION.values(started_at=None, attempts=_TRIES)
_CORRECT_COST = (
    update(provider_jobs)
    .where(provider_jobs.c.token == bindparam("of_token"))
    .values(cost=bindparam("cost"))
)
_COST_IN_ALL = select(func.sum(provider_jobs.c.cost)).where(
    provider_jobs.c.request_id == bindparam("of_id")
)
