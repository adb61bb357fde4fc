"""A redo of an order, from a stage on, with changed fields: its price, and the redo itself."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from castad.orders.pricing import StagePrice, prices_of
from pipeline_defs.capabilities import get_changeable, get_key_after_redo
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database
from resources.ledger.queries.status import get_request
from resources.ledger.request import Request
from resources.ledger.transitions.redo import Change, build_order_after_redo, redo_stages
from resources.process.settings import Settings


def redo_from(
    db: Database,
    task_id: str,
    stage: str,
    changes: Mapping[str, Any],
    settings: Settings,
    by: str,
    generation: int | None = None,
) -> Request:
    """The order is pending, and the stage and those after it will be made again, with these changed fields.

    `generation` is that of the stage which the person has seen; the same redo again is the same one.
    Raises UnknownRequestError, IllegalTransitionError, DuplicateOrderError, and InvalidInputError for an unknown
    stage or a field that a redo from this stage may not change.
    """
    pipeline = get_catalog().get_pipeline(get_request(db, task_id).pipeline)
    change = _change(pipeline, stage, changes, settings)
    key_after = partial(get_key_after_redo, pipeline, stage)
    return redo_stages(
        db,
        task_id,
        stage,
        pipeline.stage_names,
        change,
        key_after,
        by,
        generation=generation,
        asked=changes,
    )


def redo_prices(
    db: Database,
    task_id: str,
    stage: str,
    changes: Mapping[str, Any],
    settings: Settings,
    generation: int | None = None,
) -> list[StagePrice]:
    """The price of each stage that such a redo would buy; nothing is written. Raises what the redo raises."""
    pipeline = get_catalog().get_pipeline(get_request(db, task_id).pipeline)
    change = _change(pipeline, stage, changes, settings)
    key_after = partial(get_key_after_redo, pipeline, stage)
    names = pipeline.stage_names
    order = build_order_after_redo(
        db, task_id, stage, names, change, key_after, generation=generation
    )
    return prices_of(pipeline, order, settings)[pipeline.stage_names.index(stage) :]


def _change(
    pipeline: Pipeline, stage: str, changes: Mapping[str, Any], settings: Settings
) -> Change | None:
    """What makes the changed order; None where nothing is changed. Raises InvalidInputError."""
    first = pipeline.stages.index(pipeline.get_stage("from", stage))
    for name in changes:
        _refuse_unchangeable(pipeline, first, name)

    def change(order: Mapping[str, Any]) -> Mapping[str, Any]:
        checked = get_catalog().accept_order(pipeline, {**order, **changes}, settings)
        return {**order, **{name: checked[name] for name in changes}}

    return change if changes else None


def _refuse_unchangeable(pipeline: Pipeline, first: int, name: str) -> None:
    changeable = get_changeable(pipeline)
    concerned = changeable.get(name)
    if concerned is None:
        expected = ", ".join(changeable) or "no field of this order"
        raise InvalidInputError(name, f"cannot be changed by a redo; expected {expected}")
    if pipeline.stage_names.index(concerned) < first:
        raise InvalidInputError(name, f"is used from {concerned} on; redo from that stage")
