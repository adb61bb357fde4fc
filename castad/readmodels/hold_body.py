"""What an order that waits for a person shows: the stage, what may be changed in its product, and chosen of it."""

import logging
from collections.abc import Callable
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, Field

from castad.readmodels.snapshot import Snapshot
from pipeline_defs.fields import convert_to_json
from pipeline_defs.pipeline import Stage
from resources.ledger.request import Request, list_stages_to_approve
from resources.ledger.transitions.approval import CANCEL, CONTINUE
from resources.views.json_types import LedgerText, Timestamp
from resources.views.order_body import build_artifact_url

_log = logging.getLogger("castad.orders")
T = TypeVar("T")


class HoldBody(BaseModel):
    """Where an order waits for a person."""

    stages: list[LedgerText] = Field(description="The stages that need an approval")
    waiting: LedgerText | None = Field(
        description="The stage whose approval it waits for now, null where it waits for none"
    )
    until: Timestamp | None = Field(description="When the wait ends by itself; null without end")
    then: Literal["continue", "cancel"] | None = Field(description="What follows then")


class ChoiceBody(BaseModel):
    """One of what was paid for together; the first one is used."""

    id: LedgerText
    label: LedgerText
    url: str | None = Field(description="The path of its file")
    seconds: float | None = Field(description="How long it plays")


def hold_body(request: Request) -> HoldBody | None:
    """The hold of an order that has one."""
    stages, waiting = list(list_stages_to_approve(request.hold)), request.held_stage
    if not stages and waiting is None:
        return None
    until = request.not_before if waiting else None
    has_end = until is not None or request.hold_seconds is not None
    then = CONTINUE if request.hold_then == CONTINUE else CANCEL
    return HoldBody(stages=stages, waiting=waiting, until=until, then=then if has_end else None)


def choice_bodies(snapshot: Snapshot) -> list[ChoiceBody] | None:
    """The choices of the product that waits for its approval, where there are more than one."""
    bodies = _of_held(snapshot, lambda stage, product: _choices(snapshot, stage, product))
    return bodies if bodies and len(bodies) > 1 else None


def editable(snapshot: Snapshot) -> dict[str, Any] | None:
    """The fields of that product that a person may change, with their present values."""
    return _of_held(snapshot, _fields)


def _choices(snapshot: Snapshot, stage: Stage, product: Any) -> list[ChoiceBody] | None:
    if stage.choices is None:
        return None
    task_id = snapshot.request.task_id
    return [
        ChoiceBody(
            id=each.id,
            label=each.label,
            url=None if each.file is None else build_artifact_url(task_id, each.file),
            seconds=each.seconds,
        )
        for each in stage.choices.of(product)
    ]


def _fields(stage: Stage, product: Any) -> dict[str, Any] | None:
    if stage.revision is None:
        return None
    fields: dict[str, Any] = convert_to_json(stage.revision.get_editable_values(product))
    return fields


def _of_held(snapshot: Snapshot, show: Callable[[Stage, Any], T | None]) -> T | None:
    """What is shown of the product that waits for its approval; None where there is none, or it does not fit."""
    held = snapshot.request.held_stage
    stage = snapshot.pipeline.find_stage(held) if snapshot.pipeline and held else None
    results = [view.result for view in snapshot.overview.stages if view.stage == held]
    if stage is None or not results or results[0] is None:
        return None
    try:
        return show(stage, stage.product.model_validate(results[0]))
    except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
        name, kind = snapshot.request.pipeline, type(error).__name__
        _log.warning("product not shown: pipeline=%s stage=%s error=%s", name, held, kind)
        return None
