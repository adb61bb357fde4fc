"""A person chooses the cover of a completed order: a frame of its video. Nothing is made again or bought."""

import math
from dataclasses import replace
from typing import Any

from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Cover
from resources.contract.errors import InvalidInputError
from resources.files.artifacts import ArtifactStore
from resources.files.media import store_cover_frame
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import NotCompletedError, NoVideoError
from resources.ledger.queries.health import ArtifactView, Overview, build_overview
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.approval import choose_cover, ensure_cover_allowed

_FIELD = "seconds"
_FILMED = "video/mp4"


def moment(value: Any) -> float:
    """The moment of a video, in seconds, by a value from outside; raises InvalidInputError `seconds`."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    try:
        seconds = float(value) if is_number else math.nan
    except OverflowError:
        seconds = math.nan
    if not math.isfinite(seconds) or seconds < 0:
        raise InvalidInputError(_FIELD, "expected a number of seconds, 0 or more, such as 3.2")
    return seconds


def choose_frame(
    db: Database, store: ArtifactStore, task_id: str, seconds: float, by: str
) -> tuple[ArtifactView, ArtifactView]:
    """The frame at this moment of the order's newest video is its cover; returns it small and in full size.

    Raises UnknownRequestError, NotCompletedError, NoVideoError, IllegalTransitionError,
    InvalidInputError `seconds`, and what `store_cover_frame` raises.
    """
    overview = build_overview(db, task_id)
    task_id = overview.request.task_id
    if overview.request.status is not Status.COMPLETED:
        raise NotCompletedError(task_id, overview.request.status)
    cover, video = _filmed(overview)
    ensure_cover_allowed(db, overview.request)
    small, large = store_cover_frame(store, vars(video), seconds, task_id)
    named = (replace(small, name=f"{cover.small}.jpg"), replace(large, name=f"{cover.large}.jpg"))
    thumbnail, chosen = choose_cover(db, task_id, video, seconds, named, by)
    return thumbnail, chosen


def _filmed(overview: Overview) -> tuple[Cover, ArtifactView]:
    """How the order's covers are called, and its newest video; raises NoVideoError."""
    pipeline = get_catalog().find_pipeline(overview.request.pipeline)
    videos = [file for file in overview.artifacts if file.media_type == _FILMED]
    if pipeline is None or pipeline.cover is None or not videos:
        raise NoVideoError(overview.request.task_id)
    return pipeline.cover, videos[-1]
