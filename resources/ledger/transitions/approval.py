"""Approve, reject and revise what a request waits for, recognize repeated acts, and choose covers."""

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
    NotCompletedError,
    NotHeldError,
    NoVideoError,
)
from resources.ledger.queries.overview import ArtifactView
from resources.ledger.queries.status import parse_object
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
    INSERT_ARTIFACT,
    NOT_WAITING,
    UNLEASED,
    lock_request,
    transition,
    transition_each_request,
)

ChangeResult = Callable[[Request, Mapping[str, Any]], Mapping[str, Any]]
"""Builds the result that a person wants from the request and the present result; raises InvalidInputError."""
BY_TIME = "time"
"""The `by` of an approval or rejection at the end of its time."""
CONTINUE, CANCEL = "continue", "cancel"
"""The values of the column `hold_then`."""
REJECTED = "rejected"
MOST_COVERS = 100
_MOST_ENDED = 200
_PURCHASE_EVENT = "submission_intended"
_COVER_CHOSEN = "cover_chosen"


@dataclass(frozen=True)
class Act:
    """An act of a person on a request, which is recognized when it is repeated.

    `seen` is the generation or the attempt that the person has seen and named, None if none was named.
    `about` has further details that distinguish the act.
    """

    event_type: str
    seen: int | None
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """A hash of the act, equal for equal acts, which its event stores."""
        named = json.dumps([self.event_type, self.seen, self.about], sort_keys=True, default=str)
        return hashlib.sha256(named.encode()).hexdigest()[:32]


def is_act_done(tx: Connection, request: Request, act: Act) -> bool:
    """Return whether an event of the request shows that the act was done before."""
    return _find_last_event_of_act(tx, request, act) is not None


def ensure_no_paid_repeat(
    tx: Connection, request: Request, act: Act, *, of: str, newest: int, number: str
) -> None:
    """Raise ChangedMeanwhileError if the act may be an unintended repeat that would cost money again.

    That is if the person named no number, the same act was done before, and money was spent since. For the
    error's message, `of` is the stage or "order", `newest` the number to name, and `number` its kind
    ("generation" or "attempt").
    """
    done = None if act.seen is not None else _find_last_event_of_act(tx, request, act)
    if done is None:
        return
    bought = tx.execute(
        _DATA_AFTER, {"of_id": request.id, "of_type": _PURCHASE_EVENT, "of_seq": done}
    )
    if any(parse_object(data).get("cost") for _, data in bought):
        raise ChangedMeanwhileError(of, newest, None, number)


def _find_last_event_of_act(tx: Connection, request: Request, act: Act) -> int | None:
    """Return the seq of the newest event that shows the act, or None."""
    found = tx.execute(_DATA_AFTER, {"of_id": request.id, "of_type": act.event_type, "of_seq": 0})
    return max(
        (seq for seq, data in found if parse_object(data).get("act") == act.key), default=None
    )


def _find_generation_of_act(tx: Connection, request: Request, act: Act) -> int | None:
    """Return the generation that the named act has made; None if it was not done or names nothing."""
    if act.seen is None:
        return None
    found = tx.execute(_DATA_AFTER, {"of_id": request.id, "of_type": act.event_type, "of_seq": 0})
    made = [
        each for each in (parse_object(data) for _, data in found) if each.get("act") == act.key
    ]
    return made[-1].get("generation") if made else None


@dataclass(frozen=True)
class Revised:
    """A request, and the number of the newest generation of its revised stage."""

    request: Request
    generation: int


@retry_transient
def approve_stage(
    db: Database, task_id: str, stage: str | None, by: str, generation: int | None = None
) -> Request:
    """Approve the stage that the request waits for, in the name of the person `by`, and make the request due.

    If the named stage is approved already, the request is returned unchanged, so a caller who lost the answer
    may ask again. Raises UnknownRequestError, and NotHeldError if the request waits for no approval or for
    another stage's. Raises ChangedMeanwhileError if `generation` is not the newest, or if none is named and
    the same approval was paid for before.
    """
    with db.writing() as tx:
        request, _ = lock_request(tx, task_id)
        name = stage or request.held_stage or ""
        newest = _read_newest_generation(tx, request, name)
        is_done = newest is not None and newest.approved_at is not None
        is_repeated = name != request.held_stage and is_done
        if not is_repeated:
            _ensure_held(request, stage)
        _ensure_newest_generation(newest, generation)
        if is_repeated:
            return request
        act = Act("approved", generation, {"stage": stage})
        number = 1 if newest is None else newest.generation
        ensure_no_paid_repeat(tx, request, act, of=name, newest=number, number="generation")
        return _approve_locked_request(tx, request, newest, name, by, act.key)


def _approve_locked_request(
    tx: Connection,
    request: Request,
    newest: Row[Any] | None,
    stage: str,
    by: str,
    act: str | None = None,
) -> Request:
    """Store the approval of the stage, if the stage still exists, and make the locked request due; return it."""
    # An operator may have deleted the stage: the next attempt makes it, and is held again.
    if newest is not None:
        tx.execute(_SAVE_APPROVAL, {"of_stage_id": newest.id, "approved_by": by})
    return transition(tx, request, "approved", DUE_NOW, stage=stage, by=by, act=act)


@retry_transient
def reject_held_request(db: Database, task_id: str, by: str, reason: str | None = None) -> Request:
    """Cancel a request that waits for an approval, in the name of the person `by`; return it.

    Completed stages stay: a retry waits for the approval again. A rejected request is returned unchanged.
    Raises UnknownRequestError, and NotHeldError if the request waits for no approval.
    """
    with db.writing() as tx:
        request, _ = lock_request(tx, task_id)
        if request.status is Status.CANCELED and request.error_code == REJECTED:
            return request
        return _reject_locked_request(tx, request, _ensure_held(request, None), by, reason)


def _reject_locked_request(
    tx: Connection, request: Request, stage: str, by: str, reason: str | None
) -> Request:
    """Cancel the locked request with a message that names the stage, the person and the reason; return it."""
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


@retry_transient
def revise_stage(
    db: Database,
    task_id: str,
    stage: str,
    change: ChangeResult,
    by: str,
    *,
    choice: str | None = None,
    generation: int | None = None,
    about: Mapping[str, Any],
) -> Revised:
    """Store a changed result as a new generation of the stage; the request still waits for its approval.

    `change` builds the result from the present one. The former generation is kept, and the new one has its
    files. With `choice` the event names what was chosen. An equal result changes nothing, nor does a repeated
    act: `about` are the changes that tell acts of one generation apart. Raises
    UnknownRequestError, NotHeldError, ChangedMeanwhileError if `generation` is not the newest, and what
    `change` raises.
    """
    with db.writing() as tx:
        request, _ = lock_request(tx, task_id)
        newest = _read_newest_generation(tx, request, stage)
        act = Act("revised" if choice is None else "chosen", generation, {"stage": stage, **about})
        if newest is not None and _find_generation_of_act(tx, request, act) == newest.generation:
            return Revised(request, newest.generation)
        _ensure_held(request, stage)
        # An operator may have removed it.
        if newest is None or newest.status != StageStatus.COMPLETED:
            raise NotHeldError(request.task_id, request.status, None, stage)
        _ensure_newest_generation(newest, generation)
        result = change(request, json.loads(newest.result))
        text = json.dumps(result, ensure_ascii=False)
        if json.loads(text) == json.loads(newest.result):
            return Revised(request, newest.generation)
        made = newest.generation + 1
        row = {"request_id": request.id, "stage": stage, "generation": made, "result": text}
        tx.execute(_INSERT_REVISED, row)
        detail = {"stage": stage, "generation": made, "choice": choice, "by": by, "act": act.key}
        return Revised(transition(tx, request, act.event_type, **detail), made)


@retry_transient
def end_expired_holds(db: Database) -> list[Request]:
    """End the holds whose time is over; return the requests.

    Each is continued as if approved, or canceled, as its column `hold_then` says.
    """
    with db.writing() as tx:
        keys = tx.execute(_EXPIRED).scalars().all()
        return (
            transition_each_request(tx, keys, lambda request: _end_expired_hold(tx, request))
            if keys
            else []
        )


def _end_expired_hold(tx: Connection, request: Request) -> Request:
    """Approve or reject the held request, as its column `hold_then` says; return it."""
    stage = _ensure_held(request, None)
    if request.hold_then == CONTINUE:
        return _approve_locked_request(
            tx, request, _read_newest_generation(tx, request, stage), stage, BY_TIME
        )
    return _reject_locked_request(tx, request, stage, BY_TIME, "nobody approved it in time")


def _ensure_held(request: Request, stage: str | None) -> str:
    """Return the stage whose approval the request waits for.

    Raises NotHeldError if it waits for none, or for another one than `stage`.
    """
    held = request.held_stage
    if held is None or stage not in (None, held):
        raise NotHeldError(request.task_id, request.status, held, stage)
    return held


def _ensure_newest_generation(newest: Row[Any] | None, generation: int | None) -> None:
    """Raise ChangedMeanwhileError if the person has named another generation than the newest one."""
    if newest is not None and generation not in (None, newest.generation):
        raise ChangedMeanwhileError(newest.stage, newest.generation, int(generation or 0))


def _read_newest_generation(tx: Connection, request: Request, stage: str) -> Row[Any] | None:
    """Read the row of the stage's newest generation; None if the stage was not begun."""
    return tx.execute(_NEWEST, {"of_id": request.id, "of_stage": stage}).one_or_none()


@retry_transient
def choose_cover(
    db: Database,
    task_id: str,
    video: ArtifactView,
    seconds: float,
    pictures: Sequence[StoredArtifact],
    by: str,
) -> list[ArtifactView]:
    """Add covers to the request's artifacts, and return them.

    `pictures` are stored files that show the video at `seconds` from its start. The name of each gets the
    number of the event. Raises UnknownRequestError, NotCompletedError, NoVideoError if the files were
    removed, and IllegalTransitionError if another video has been made meanwhile or no more covers may be
    chosen.
    """
    with db.writing() as tx:
        request, _ = lock_request(tx, task_id)
        if request.status is not Status.COMPLETED:
            raise NotCompletedError(task_id, request.status)
        _ensure_covers_below_limit(tx, request)
        of = {"of_id": request.id, "of_type": video.media_type}
        newest = tx.execute(_NEWEST_FILE, of).scalar_one_or_none()
        if newest is None:
            raise NoVideoError(task_id)
        if newest != video.name:
            raise IllegalTransitionError(
                f"task_id: {task_id!r} has another video since; choose of that"
            )
        chosen = [_name_cover(video, picture, request.seq + 1) for picture in pictures]
        for artifact in chosen:
            tx.execute(INSERT_ARTIFACT, {"request_id": request.id, **vars(artifact)})
        names = [artifact.name for artifact in chosen]
        about = {"files": names, "moment": seconds, "by": by}
        transition(tx, request, _COVER_CHOSEN, None, stage=video.stage, **about)
        return chosen


@retry_transient
def ensure_cover_allowed(db: Database, request: Request) -> None:
    """Raise IllegalTransitionError if no other cover may be chosen for the request.

    Called before the files of a cover are made.
    """
    with db.reading() as tx:
        _ensure_covers_below_limit(tx, request)


def _ensure_covers_below_limit(tx: Connection, request: Request) -> None:
    if tx.execute(_COUNT_CHOSEN, {"of_id": request.id}).scalar_one() >= MOST_COVERS:
        raise IllegalTransitionError(
            f"task_id: {request.task_id!r} has had {MOST_COVERS} covers chosen, and each is kept; expected fewer",
            code="many_covers",
        )


def _name_cover(video: ArtifactView, picture: StoredArtifact, number: int) -> ArtifactView:
    path = Path(picture.name)
    name = f"{path.stem}-{number}{path.suffix}"
    return ArtifactView(
        **{**vars(picture), "name": name}, stage=video.stage, generation=video.generation
    )


_DATA_AFTER = select(events.c.seq, events.c.data).where(
    events.c.request_id == bindparam("of_id"),
    events.c.type == bindparam("of_type"),
    events.c.seq > bindparam("of_seq"),
)
_NEWEST = (
    select(stages)
    .where(stages.c.request_id == bindparam("of_id"), stages.c.stage == bindparam("of_stage"))
    .order_by(stages.c.generation.desc())
    .limit(1)
)
_SAVE_APPROVAL = (
    update(stages).where(stages.c.id == bindparam("of_stage_id")).values(approved_at=now())
)
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
_NEWEST_FILE = (
    select(artifacts.c.name)
    .where(
        artifacts.c.request_id == bindparam("of_id"), artifacts.c.media_type == bindparam("of_type")
    )
    .order_by(artifacts.c.id.desc())
    .limit(1)
)
_COUNT_CHOSEN = select(func.count()).where(
    events.c.request_id == bindparam("of_id"), events.c.type == _COVER_CHOSEN
)
