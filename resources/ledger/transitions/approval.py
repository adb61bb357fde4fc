"""Approve, reject, revise and choose what a request waits for."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, insert, literal_column, select, update

from resources.files.artifacts import StoredArtifact
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import (
    ChangedMeanwhileError,
    IllegalTransitionError,
    ManyCoversError,
    NotCompletedError,
    NotHeldError,
    NoVideoError,
)
from resources.ledger.queries.health import ArtifactView
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import (
    HELD,
    StageStatus,
    Status,
    artifacts,
    events,
    requests,
    stages,
)
from resources.ledger.transitions.core import (
    DUE_NOW,
    NOT_WAITING,
    UNLEASED,
    lock_task,
    transition,
    transition_each,
)

_BOUGHT = "submission_intended"


@dataclass(frozen=True)
class Act:
    """What a person does with a request.

    `seen` is the number, a generation or an attempt, that the person has seen and names; None where none is named.
    `about` holds the rest, which makes it another act.
    """

    event_type: str
    seen: int | None
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The same for the same act."""
        named = json.dumps([self.event_type, self.seen, self.about], sort_keys=True, default=str)
        return hashlib.sha256(named.encode()).hexdigest()[:32]


def was_done(tx: Connection, request: Request, act: Act) -> bool:
    """Return whether an event of the request says that this was done."""
    return _last_done(tx, request, act) is not None


def ensure_first(
    tx: Connection, request: Request, act: Act, *, of: str, newest: int, number: str
) -> None:
    """Refuse an act that names nothing where it was done before and money was spent since: it may be a repeat.

    `of` and `newest` say which number has to be named, `number` is its name. Raises ChangedMeanwhileError.
    """
    done = None if act.seen is not None else _last_done(tx, request, act)
    if done is None:
        return
    bought = tx.execute(_DATA_AFTER, {"of_id": request.id, "of_type": _BOUGHT, "of_seq": done})
    if any(_of(data).get("cost") for _, data in bought):
        raise ChangedMeanwhileError(of, newest, None, number)


def _last_done(tx: Connection, request: Request, act: Act) -> int | None:
    """The seq of the newest event that says that this was done."""
    found = tx.execute(_DATA_AFTER, {"of_id": request.id, "of_type": act.event_type, "of_seq": 0})
    return max((seq for seq, data in found if _of(data).get("act") == act.key), default=None)


def _of(data: str) -> Mapping[str, Any]:
    """An event's data; an operator may have written anything."""
    try:
        parsed = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


_DATA_AFTER = select(events.c.seq, events.c.data).where(
    events.c.request_id == bindparam("of_id"),
    events.c.type == bindparam("of_type"),
    events.c.seq > bindparam("of_seq"),
)


ChangeResult = Callable[[Request, Mapping[str, Any]], Mapping[str, Any]]
"""The result of a stage as a person wants it, by the request and the result as it is; raises InvalidInputError."""

BY_TIME = "time"
"""Who acts where nobody did in time."""
CONTINUE, CANCEL = "continue", "cancel"
"""What follows then, as the column `hold_then` has it."""
REJECTED = "rejected"
_MOST_ENDED = 200


@dataclass(frozen=True)
class Revised:
    """A request whose stage has this newest generation now."""

    request: Request
    generation: int


@retry_transient
def approve(
    db: Database, task_id: str, stage: str | None, by: str, generation: int | None = None
) -> Request:
    """The stage whose approval the request waits for is approved by this person, and the request is due.

    Where the named stage is approved already, nothing changes, so that who lost the answer may ask again. Raises
    UnknownRequestError, NotHeldError, and ChangedMeanwhileError where not the newest `generation` is meant, or
    none is named and the same approval was paid for before.
    """
    with db.writing() as tx:
        request, _ = lock_task(tx, task_id)
        name = stage or request.held_stage or ""
        newest = _newest(tx, request, name)
        is_done = newest is not None and newest.approved_at is not None
        is_repeated = name != request.held_stage and is_done
        if not is_repeated:
            _ensure_held(request, stage)
        _ensure_meant(newest, generation)
        if is_repeated:
            return request
        act = Act("approved", generation, {"stage": stage})
        number = 1 if newest is None else newest.generation
        ensure_first(tx, request, act, of=name, newest=number, number="generation")
        return _approve(tx, request, newest, name, by, act.key)


@retry_transient
def reject(db: Database, task_id: str, by: str, reason: str | None = None) -> Request:
    """A request that waits for an approval is canceled by this person. Raises UnknownRequestError, NotHeldError.

    What has been made stays: a retry waits for the approval again. Where it is rejected already, nothing changes.
    """
    with db.writing() as tx:
        request, _ = lock_task(tx, task_id)
        if request.status is Status.CANCELED and request.error_code == REJECTED:
            return request
        return _reject(tx, request, _ensure_held(request, None), by, reason)


@retry_transient
def revise(
    db: Database,
    task_id: str,
    stage: str,
    change: ChangeResult,
    by: str,
    *,
    choice: str | None = None,
    generation: int | None = None,
) -> Revised:
    """The stage has a new generation with the changed result; the request waits for its approval as before.

    The former generation is kept, and its files are those of the new one. With `choice` the event says
    which one was chosen. A result that does not change is no transition. Raises UnknownRequestError, NotHeldError,
    ChangedMeanwhileError where another `generation` than the newest is meant, and what `change` raises.
    """
    with db.writing() as tx:
        request, _ = lock_task(tx, task_id)
        newest = _done(tx, request, _ensure_held(request, stage))
        _ensure_meant(newest, generation)
        result = change(request, json.loads(newest.result))
        text = json.dumps(result, ensure_ascii=False)
        if json.loads(text) == json.loads(newest.result):
            return Revised(request, newest.generation)
        made = newest.generation + 1
        row = {"request_id": request.id, "stage": stage, "generation": made, "result": text}
        tx.execute(_INSERT_REVISED, row)
        event_type = "revised" if choice is None else "chosen"
        detail = {"stage": stage, "generation": made, "choice": choice, "by": by}
        return Revised(transition(tx, request, event_type, **detail), made)


@retry_transient
def end_expired_holds(db: Database) -> list[Request]:
    """Requests that have waited for a person for as long as they should go on or are canceled, as ordered."""
    with db.writing() as tx:
        keys = tx.execute(_EXPIRED).scalars().all()
        return transition_each(tx, keys, lambda request: _end_by_time(tx, request)) if keys else []


def _end_by_time(tx: Connection, request: Request) -> Request:
    stage = _ensure_held(request, None)
    if request.hold_then == CONTINUE:
        return _approve(tx, request, _newest(tx, request, stage), stage, BY_TIME)
    return _reject(tx, request, stage, BY_TIME, "nobody approved it in time")


def _ensure_held(request: Request, stage: str | None) -> str:
    """The stage whose approval the request waits for: this one, if one is named. Raises NotHeldError."""
    held = request.held_stage
    if held is None or stage not in (None, held):
        raise NotHeldError(request.task_id, request.status, held, stage)
    return held


def _ensure_meant(newest: Row[Any] | None, generation: int | None) -> None:
    """Return if a person means this row, or says nothing of it; raises ChangedMeanwhileError."""
    if newest is not None and generation not in (None, newest.generation):
        raise ChangedMeanwhileError(newest.stage, newest.generation, int(generation or 0))


def _approve(
    tx: Connection,
    request: Request,
    newest: Row[Any] | None,
    stage: str,
    by: str,
    act: str | None = None,
) -> Request:
    # An operator may have deleted the stage: the next attempt makes it again, and meets the hold again.
    if newest is not None:
        tx.execute(_APPROVED, {"of_stage_id": newest.id, "approved_by": by})
    return transition(tx, request, "approved", DUE_NOW, stage=stage, by=by, act=act)


def _reject(tx: Connection, request: Request, stage: str, by: str, reason: str | None) -> Request:
    message = f"{stage}: rejected by {by}" + (f": {reason}" if reason else "")
    changes = {
        "status": Status.CANCELED,
        "not_before": None,
        "cancel_requested": False,
        "error_code": REJECTED,
        "error_message": message,
        **NOT_WAITING,
        **UNLEASED,
    }
    return transition(tx, request, "rejected", changes, stage=stage, by=by, message=message)


def _newest(tx: Connection, request: Request, stage: str) -> Row[Any] | None:
    """The stage's newest generation."""
    return tx.execute(_NEWEST, {"of_id": request.id, "of_stage": stage}).one_or_none()


def _done(tx: Connection, request: Request, stage: str) -> Row[Any]:
    """The newest generation of a stage that is done; raises NotHeldError where an operator has removed it."""
    row = _newest(tx, request, stage)
    if row is None or row.status != StageStatus.COMPLETED:
        raise NotHeldError(request.task_id, request.status, None, stage)
    return row


_NEWEST = (
    select(stages)
    .where(stages.c.request_id == bindparam("of_id"), stages.c.stage == bindparam("of_stage"))
    .order_by(stages.c.generation.desc())
    .limit(1)
)
_APPROVED = update(stages).where(stages.c.id == bindparam("of_stage_id")).values(approved_at=now())
# Without a beginning: nothing was made that would have a duration.
_INSERT_REVISED = (
    insert(stages)
    .values(
        status=StageStatus.COMPLETED,
        attempts=0,
        retry_count=0,
        cost=0,
        completed_at=now(),
    )
    .inline()
)
# SQLite uses the partial index only where its condition is repeated verbatim.
_EXPIRED = (
    select(requests.c.id)
    .where(literal_column(HELD), requests.c.not_before <= now())
    .order_by(requests.c.not_before)
    .limit(_MOST_ENDED)
    .with_for_update(skip_locked=True)
)


MOST_COVERS = 100
_CHOSEN_COVER = "cover_chosen"


@retry_transient
def choose_cover(
    db: Database,
    task_id: str,
    video: ArtifactView,
    seconds: float,
    pictures: Sequence[StoredArtifact],
    by: str,
) -> list[ArtifactView]:
    """The pictures, which show this video at that moment, are artifacts of the request beside those before.

    Returns them: each has the number of the event after its name. Raises UnknownRequestError, NotCompletedError,
    NoVideoError where the files were removed, ManyCoversError, and IllegalTransitionError where another video has
    been made meanwhile.
    """
    with db.writing() as tx:
        request, _ = lock_task(tx, task_id)
        if request.status is not Status.COMPLETED:
            raise NotCompletedError(task_id, request.status)
        _refuse_too_many(tx, request)
        of = {"of_id": request.id, "of_type": video.media_type}
        newest = tx.execute(_NEWEST_FILES, of).scalar_one_or_none()
        if newest is None:
            raise NoVideoError(task_id)
        if newest != video.name:
            raise IllegalTransitionError(
                f"task_id: {task_id!r} has another video since; choose of that"
            )
        chosen = [_of_video(video, picture, request.seq + 1) for picture in pictures]
        for artifact in chosen:
            tx.execute(_ARTIFACT, {"request_id": request.id, **vars(artifact)})
        names = [artifact.name for artifact in chosen]
        about = {"files": names, "moment": seconds, "by": by}
        transition(tx, request, _CHOSEN_COVER, None, stage=video.stage, **about)
        return chosen


@retry_transient
def ensure_cover_free(db: Database, request: Request) -> None:
    """Return if another cover may be chosen, before its files are made; raises ManyCoversError."""
    with db.reading() as tx:
        _refuse_too_many(tx, request)


def _refuse_too_many(tx: Connection, request: Request) -> None:
    if tx.execute(_CHOSEN, {"of_id": request.id}).scalar_one() >= MOST_COVERS:
        raise ManyCoversError(request.task_id, MOST_COVERS)


def _of_video(video: ArtifactView, picture: StoredArtifact, number: int) -> ArtifactView:
    path = Path(picture.name)
    name = f"{path.stem}-{number}{path.suffix}"
    return ArtifactView(
        **{**vars(picture), "name": name}, stage=video.stage, generation=video.generation
    )


_NEWEST_FILES = (
    select(artifacts.c.name)
    .where(
        artifacts.c.request_id == bindparam("of_id"), artifacts.c.media_type == bindparam("of_type")
    )
    .order_by(artifacts.c.id.desc())
    .limit(1)
)
_CHOSEN = select(func.count()).where(
    events.c.request_id == bindparam("of_id"), events.c.type == _CHOSEN_COVER
)
_ARTIFACT = insert(artifacts).values(created_at=now()).inline()
