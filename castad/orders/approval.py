"""Acts of a person on an order that waits for approval, and the options that make it wait."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from pipeline_defs.catalog import get_catalog
from pipeline_defs.fields import find_first_input_error, normalize_text
from pipeline_defs.pipeline import Brief, Pipeline, Revision, Stage
from resources.contract.errors import InvalidInputError
from resources.contract.written_text import is_longer_than
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import NotHeldError
from resources.ledger.queries.status import find_newest_result, get_request
from resources.ledger.request import Request
from resources.ledger.transitions.approval import (
    CANCEL,
    CONTINUE,
    Revised,
    approve_stage,
    reject_held_request,
    revise_stage,
)

LONGEST_REASON = 500

Change = Callable[[Brief, Any], Any]
"""Return the changed product, given the brief and the present product; raise InvalidInputError."""


@dataclass(frozen=True)
class Revisable:
    """The fields of a stage's product that a person may change, as they are in this generation."""

    stage: str
    generation: int
    fields: Mapping[str, Any]


def approve_order(
    db: Database, task_id: str, stage: str | None, by: str, generation: int | None = None
) -> Request:
    """Approve the stage that the order waits for, so that the order is due; a named one may be approved again.

    `generation` is that of the named stage which the person has seen. Raises InvalidInputError for a generation
    without a stage, UnknownRequestError, NotHeldError, ChangedMeanwhileError.
    """
    if stage is not None and not stage.isprintable():
        raise InvalidInputError("stage", "expected printable text")
    if generation is not None and stage is None:
        raise InvalidInputError("generation", "expected only with stage")
    return approve_stage(db, task_id, stage, by, generation)


def reject_order(db: Database, task_id: str, by: str, reason: Any = None) -> Request:
    """Cancel the order that waits for approval.

    Raises InvalidInputError for an invalid reason, UnknownRequestError, NotHeldError.
    """
    return reject_held_request(db, task_id, by, _check_reason(reason))


def revise_order(
    db: Database,
    task_id: str,
    stage: str,
    fields: Mapping[str, Any],
    by: str,
    generation: int | None = None,
) -> Revised:
    """Change these fields of the stage's product; the order still waits for the approval.

    Raises InvalidInputError that names the field, UnknownRequestError, NotHeldError, ChangedMeanwhileError.
    """
    request = get_request(db, task_id)
    found, revision = _get_revisable_stage(request, stage)
    pipeline = get_catalog().get_pipeline(request.pipeline)

    def change(brief: Brief, product: Any) -> Any:
        given = {**revision.get_editable_values(product), **fields}
        try:
            checked = revision.model.model_validate(given)
        except ValidationError as error:
            raise find_first_input_error(error, tuple(revision.model.model_fields)) from None
        return revision.apply(brief, product, checked)

    result = _make_result_change(pipeline, found, change)
    return revise_stage(
        db, task_id, stage, result, by, generation=generation, about={"fields": fields}
    )


def apply_choice(
    db: Database,
    task_id: str,
    stage: str | None,
    choice: Any,
    by: str,
    generation: int | None = None,
) -> Revised:
    """Use this choice of the stage's product; the order still waits for the approval.

    Without a stage, it is the one that the order waits for. Raises InvalidInputError, UnknownRequestError,
    NotHeldError, ChangedMeanwhileError.
    """
    request = get_request(db, task_id)
    name = stage or _get_held_stage(request)
    pipeline = get_catalog().get_pipeline(request.pipeline)
    found = pipeline.get_stage("stage", name)
    if found.choices is None:
        raise _make_stage_error(pipeline, "has choices", lambda each: each.choices is not None)
    choices = found.choices

    def change(brief: Brief, product: Any) -> Any:
        known = {each.id.casefold(): each.id for each in choices.of(product)}
        chosen = known.get(str(choice).strip().casefold())
        if chosen is None:
            raise InvalidInputError("choice", f"expected {' or '.join(sorted(known.values()))}")
        return choices.choose(product, chosen)

    result = _make_result_change(pipeline, found, change)
    return revise_stage(
        db,
        task_id,
        name,
        result,
        by,
        choice=str(choice),
        generation=generation,
        about={"choice": str(choice)},
    )


def read_revisable(db: Database, task_id: str, stage: str | None) -> Revisable:
    """Read the fields that a person may change of the stage's product.

    Without a stage, it is the one that the order waits for. Raises InvalidInputError if the stage has made nothing
    yet or has no such fields, UnknownRequestError, NotHeldError.
    """
    request = get_request(db, task_id)
    found, revision = _get_revisable_stage(request, stage or _get_held_stage(request))
    newest = find_newest_result(db, task_id, found.name)
    if newest is None:
        raise InvalidInputError("stage", f"{found.name} is not made yet; expected one that is")
    generation, result = newest
    fields = revision.get_editable_values(found.product.model_validate(result))
    return Revisable(found.name, generation, fields)


def _get_revisable_stage(request: Request, name: str) -> tuple[Stage, Revision]:
    """Get the stage of this name and its revision; raise InvalidInputError if its product cannot be changed."""
    pipeline = get_catalog().get_pipeline(request.pipeline)
    found = pipeline.get_stage("stage", name)
    if found.revision is None:
        raise _make_stage_error(pipeline, "can be changed", lambda each: each.revision is not None)
    return found, found.revision


def _get_held_stage(request: Request) -> str:
    held = request.held_stage
    if held is None:
        raise NotHeldError(request.task_id, request.status, None, None)
    return held


def _make_stage_error(
    pipeline: Pipeline, what: str, has_it: Callable[[Stage], bool]
) -> InvalidInputError:
    able = [stage.name for stage in pipeline.stages if has_it(stage)]
    known = f": {', '.join(able)}" if able else f", and {pipeline.name} has none"
    return InvalidInputError("stage", f"expected a stage whose product {what}{known}")


def _make_result_change(
    pipeline: Pipeline, stage: Stage, change: Change
) -> Callable[[Request, Mapping[str, Any]], Mapping[str, Any]]:
    """Make the function that changes a stored result; it rewrites only the fields that differ."""

    def changed(request: Request, result: Mapping[str, Any]) -> Mapping[str, Any]:
        product = stage.product.model_validate(result)
        before = product.model_dump(mode="json")
        after = change(pipeline.parse(request.order() or {}), product).model_dump(mode="json")
        different = {name: value for name, value in after.items() if before[name] != value}
        return {**result, **different}

    return changed


def _check_reason(reason: Any) -> str | None:
    if reason is None:
        return None
    if not isinstance(reason, str) or is_longer_than(reason, LONGEST_REASON):
        raise InvalidInputError("reason", f"expected text of at most {LONGEST_REASON} characters")
    try:
        return " ".join(normalize_text(reason).split()) or None
    except ValueError as error:
        raise InvalidInputError("reason", str(error)) from None


HOLD, SECONDS, THEN = "hold", "hold_seconds", "hold_then"
SHORTEST_SECONDS, LONGEST_SECONDS = 60, 2_592_000


def parse_hold(field: str, given: Any) -> tuple[str, ...]:
    """Parse stage names from a list, or from a text with commas between them; raise InvalidInputError."""
    names = given.split(",") if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(isinstance(each, str) for each in names):
        raise InvalidInputError(field, "expected a list of stages")
    return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))


def parse_hold_then(field: str, given: Any) -> str:
    """Check whether the order continues or is canceled at the end of the wait; raise InvalidInputError."""
    if given not in (CONTINUE, CANCEL):
        raise InvalidInputError(field, f"expected {CONTINUE} or {CANCEL}")
    return str(given)


def check_hold(pipeline: Pipeline, options: Mapping[str, Any]) -> dict[str, Any]:
    """Check the hold options; return all options, with the stages as the ledger stores them.

    `hold_then` is filled in if `hold_seconds` is given. Raises InvalidInputError.
    """
    stages = options.get(HOLD) or ()
    pipeline.check_hold(stages)
    others = {name: value for name, value in options.items() if name != HOLD}
    for name in (SECONDS, THEN):
        if name in options and not stages:
            raise InvalidInputError(name, f"expected only with {HOLD}")
    if THEN in options and SECONDS not in options:
        raise InvalidInputError(THEN, f"expected only with {SECONDS}")
    then = {THEN: CANCEL} if SECONDS in options else {}
    return {**({HOLD: ",".join(stages)} if HOLD in options else {}), **then, **others}
