"""The transition by which a person chooses the cover of a completed request."""

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection, bindparam, func, insert, select

from resources.files.artifacts import StoredArtifact
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import (
    IllegalTransitionError,
    ManyCoversError,
    NotCompletedError,
    NoVideoError,
)
from resources.ledger.queries.overview import ArtifactView
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import Status, artifacts, events
from resources.ledger.transitions.core import lock_task, transition

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
        newest = tx.execute(_NEWEST, of).scalar_one_or_none()
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


_NEWEST = (
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
