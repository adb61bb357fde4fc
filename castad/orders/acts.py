"""Acts on orders, the same for every face: retry, redo, resolve, cover, pause, delete."""

import logging
import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from castad.orders.submit import StagePrice, list_prices
from pipeline_defs.capabilities import get_changeable, get_key_after_redo
from pipeline_defs.catalog import get_catalog
from pipeline_defs.fields import normalize_text
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError, PermanentError
from resources.contract.written_text import is_longer_than
from resources.files.artifacts import ArtifactStore
from resources.files.media import store_cover_frame
from resources.files.pictures import (
    list_files_in,
    list_picture_references,
    remove_fetched_picture,
    remove_stored_file,
)
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import (
    DuplicateOrderError,
    NotCompletedError,
    NoVideoError,
    UnknownRequestError,
)
from resources.ledger.queries.money import find_submission_in_doubt
from resources.ledger.queries.overview import ArtifactView, build_overview
from resources.ledger.queries.retention import find_owner_of_deleted, is_mentioned
from resources.ledger.queries.status import get_request
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.approval import choose_cover, ensure_cover_allowed
from resources.ledger.transitions.callbacks import attach_job, give_up_submission, resubmit_request
from resources.ledger.transitions.housekeeping import (
    delete_request,
    pause_provider,
    resume_provider,
)
from resources.ledger.transitions.orders import retry_request
from resources.ledger.transitions.redo import Change, build_order_after_redo, redo_stages
from resources.process.configure_logging import LOG_FIELDS
from resources.process.settings import Settings
from resources.providers.vendor import VENDORS

if TYPE_CHECKING:
    from dagster import DagsterInstance


def retry_order(
    db: Database,
    task_id: str,
    before: datetime | None = None,
    *,
    by: str | None = None,
    attempt: int | None = None,
) -> Request:
    """Make the order pending again; if another order makes or has made the same, take over its result.

    Parameters and errors are those of `transitions.orders.retry_request`.
    """
    over = get_catalog().product_reusing_pipelines
    again = partial(retry_request, db, task_id, before, by=by, attempt=attempt, taking_over=over)
    try:
        return again()
    except DuplicateOrderError:
        # Another request may have taken the key after it was looked up.
        return again()


def redo_order(
    db: Database,
    task_id: str,
    stage: str,
    changes: Mapping[str, Any],
    settings: Settings,
    by: str,
    generation: int | None = None,
) -> Request:
    """Make the order pending, to make the stage and those after it again, with these changed fields.

    `generation` is that of the stage which the person has seen; a repeated call with it changes nothing more.
    Raises UnknownRequestError, IllegalTransitionError, DuplicateOrderError, and InvalidInputError for an unknown
    stage or a field that a redo from this stage may not change.
    """
    pipeline = get_catalog().get_pipeline(get_request(db, task_id).pipeline)
    return redo_stages(
        db,
        task_id,
        stage,
        pipeline.stage_names,
        _make_change(pipeline, stage, changes, settings),
        partial(get_key_after_redo, pipeline, stage),
        by,
        generation=generation,
        asked=changes,
    )


def list_redo_prices(
    db: Database,
    task_id: str,
    stage: str,
    changes: Mapping[str, Any],
    settings: Settings,
    generation: int | None = None,
) -> list[StagePrice]:
    """List the price of each stage that such a redo would buy, without writing; raise what the redo raises."""
    pipeline = get_catalog().get_pipeline(get_request(db, task_id).pipeline)
    order = build_order_after_redo(
        db,
        task_id,
        stage,
        pipeline.stage_names,
        _make_change(pipeline, stage, changes, settings),
        partial(get_key_after_redo, pipeline, stage),
        generation=generation,
    )
    return list_prices(pipeline, order, settings)[pipeline.stage_names.index(stage) :]


def _make_change(
    pipeline: Pipeline, stage: str, changes: Mapping[str, Any], settings: Settings
) -> Change | None:
    """Make the function that changes the order; return None if nothing is changed. Raises InvalidInputError."""
    first = pipeline.stages.index(pipeline.get_stage("from", stage))
    changeable = get_changeable(pipeline)
    for name in changes:
        concerned = changeable.get(name)
        if concerned is None:
            expected = ", ".join(changeable) or "no field of this order"
            raise InvalidInputError(name, f"cannot be changed by a redo; expected {expected}")
        if pipeline.stage_names.index(concerned) < first:
            raise InvalidInputError(name, f"is used from {concerned} on; redo from that stage")

    def change(order: Mapping[str, Any]) -> Mapping[str, Any]:
        checked = get_catalog().accept_order(pipeline, {**order, **changes}, settings)
        return {**order, **{name: checked[name] for name in changes}}

    return change if changes else None


Choice = Literal["attach", "resubmit", "give_up"]
_LONGEST_ID = 200
_WITHOUT_ID: dict[Choice, Callable[[Database, str, str, int | None], Request]] = {
    "resubmit": resubmit_request,
    "give_up": give_up_submission,
}


@dataclass(frozen=True)
class ResolvedSubmission:
    """The request after its submission was resolved; `remark` says what the vendor could not confirm."""

    request: Request
    remark: str | None = None


def resolve_submission(
    db: Database,
    task_id: str,
    choice: Choice,
    external_id: str | None,
    settings: Settings,
    by: str,
    *,
    field: str = "external_id",
    attempt: int | None = None,
) -> ResolvedSubmission:
    """Resolve the submission in doubt as the operator chose.

    `attempt` is the last one that the operator has seen. Raises InvalidInputError naming `field` (`job_unknown` if
    the provider has no such job), and the errors of the ledger and the provider.
    """
    if choice != "attach":
        if external_id:
            raise InvalidInputError(field, f"expected no id, because the choice is {choice}")
        return ResolvedSubmission(_WITHOUT_ID[choice](db, task_id, by, attempt))
    found = (external_id or "").strip()
    if not 0 < len(found) <= _LONGEST_ID or not found.isprintable():
        raise InvalidInputError(field, "expected the provider's id of the job")
    remark = _check_ownership(db, task_id, found, settings, field)
    return ResolvedSubmission(attach_job(db, task_id, found, by, attempt), remark)


def _check_ownership(
    db: Database, task_id: str, external_id: str, settings: Settings, field: str
) -> str | None:
    """Check that the job is this order's; return a remark if the provider cannot confirm it.

    Raises InvalidInputError if the provider has no such job or says that it is another order's.
    """
    request = get_request(db, task_id)
    doubt = find_submission_in_doubt(db, request)
    pipeline = get_catalog().find_pipeline(request.pipeline)
    if doubt is None or pipeline is None or pipeline.find_stage(doubt.stage) is None:
        return None
    provider = get_catalog().make_stage_provider(pipeline, doubt.stage, settings)
    if provider is None or provider.name != doubt.provider:
        return None
    try:
        owned = provider.owns(external_id, doubt.token)
    except PermanentError as error:
        expected = f"expected this order's job; {error.message}"
        raise InvalidInputError(field, expected, code=error.code) from None
    if owned is False:
        raise InvalidInputError(
            field,
            f"expected this order's job; {doubt.provider} says that {external_id} belongs to another",
        )
    if owned is None:
        return f"{doubt.provider} cannot confirm that {external_id} belongs to this order"
    return None


_FIELD = "seconds"
_FILMED = "video/mp4"


def parse_moment(value: Any) -> float:
    """Parse a moment of a video, in seconds, from outside; raise InvalidInputError naming `seconds`."""
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
    """Make the frame at this moment of the order's newest video its cover; return it small and in full size.

    Raises UnknownRequestError, NotCompletedError, NoVideoError, IllegalTransitionError, InvalidInputError naming
    `seconds`, and what `store_cover_frame` raises.
    """
    overview = build_overview(db, task_id)
    task_id = overview.request.task_id
    if overview.request.status is not Status.COMPLETED:
        raise NotCompletedError(task_id, overview.request.status)
    pipeline = get_catalog().find_pipeline(overview.request.pipeline)
    videos = [file for file in overview.artifacts if file.media_type == _FILMED]
    if pipeline is None or pipeline.cover is None or not videos:
        raise NoVideoError(task_id)
    cover, video = pipeline.cover, videos[-1]
    ensure_cover_allowed(db, overview.request)
    small, large = store_cover_frame(store, vars(video), seconds, task_id)
    named = (replace(small, name=f"{cover.small}.jpg"), replace(large, name=f"{cover.large}.jpg"))
    thumbnail, chosen = choose_cover(db, task_id, video, seconds, named, by)
    return thumbnail, chosen


USUAL_PAUSE = "1h"
LONGEST_REASON = 200
_PAUSE = re.compile(r"([1-9][0-9]{0,3})([mhd])")
_SECONDS = {"m": 60, "h": 3600, "d": 86_400}
_MOST_SECONDS = 30 * 86_400
_log = logging.getLogger("castad.pause")


def parse_pause_seconds(field: str, text: str) -> int:
    """Parse a text such as `30m`, `1h` or `2d` to seconds; raise InvalidInputError naming `field`."""
    found = _PAUSE.fullmatch(text)
    seconds = int(found[1]) * _SECONDS[found[2]] if found else 0
    if not 0 < seconds <= _MOST_SECONDS:
        raise InvalidInputError(field, "expected a time such as 30m, 1h or 2d, up to 30d")
    return seconds


def pause_by_hand(db: Database, provider: str, seconds: int, by: str, reason: str = "") -> None:
    """Pause the provider for this long, or longer if it is paused already; orders wait meanwhile.

    Raises InvalidInputError.
    """
    if provider not in VENDORS:
        raise InvalidInputError("provider", f"expected one of {', '.join(VENDORS)}")
    try:
        why = " ".join(normalize_text(reason).split())
    except ValueError as error:
        raise InvalidInputError("reason", str(error)) from None
    if is_longer_than(why, LONGEST_REASON):
        raise InvalidInputError("reason", f"expected text of at most {LONGEST_REASON} characters")
    pause_provider(db, provider, f"paused by {by}" + (f": {why}" if why else ""), seconds)
    _log.info("paused", extra={LOG_FIELDS: {"provider": provider, "by": by, "seconds": seconds}})


def resume_by_hand(db: Database, provider: str, by: str) -> bool:
    """Resume the provider at once; return False if it was not paused."""
    was_paused = resume_provider(db, provider)
    if was_paused:
        _log.info("resumed", extra={LOG_FIELDS: {"provider": provider, "by": by}})
    return was_paused


def delete_order(
    db: Database, store: ArtifactStore, instance: "DagsterInstance", task_id: str, deleted_by: str
) -> None:
    """Delete all of the ended order except its costs and the note that it was deleted.

    A repeated call finishes a deletion that was interrupted. Raises UnknownRequestError, IllegalTransitionError.
    """
    from sensors.event_mirror import mirror_events
    from sensors.retention_job import delete_log

    began = time.time()
    try:
        get_request(db, task_id)
    except UnknownRequestError:
        if find_owner_of_deleted(db, task_id) is None:
            raise
    else:
        # What is mirrored after the deletion would stay.
        while mirror_events(instance):
            pass
        deleted = delete_request(db, task_id, deleted_by)
        for file in deleted.files:
            remove_stored_file(store, file.where, older_than=began)
        _remove_pictures(db, store, deleted.request, began)
    for where, _, _ in list_files_in(store, task_id):
        remove_stored_file(store, where, older_than=began)
    delete_log(instance, task_id)


def _remove_pictures(db: Database, store: ArtifactStore, request: Request, began: float) -> None:
    """Remove the pictures that were uploaded or fetched for this order, unless another order has them."""
    pipeline, order = get_catalog().find_pipeline(request.pipeline), request.order()
    if pipeline is None or order is None:
        return
    fields = [
        name
        for name in pipeline.uploads
        if isinstance(order.get(name), list) and all(isinstance(each, str) for each in order[name])
    ]
    for reference in list_picture_references(order, fields, request.task_id):
        if "url" in reference:
            remove_fetched_picture(store, reference)
        elif not is_mentioned(db, reference["where"].rpartition("/")[2]):
            remove_stored_file(store, reference["where"], older_than=began)
