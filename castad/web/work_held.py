"""What the page of a work shows that waits for a person: the product, what may be changed, and what follows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from castad.api.state import Api
from castad.orders.submit import list_prices, sum_prices
from castad.views.snapshot import Snapshot
from castad.views.status_body import StatusBody
from castad.web.forms import FormField, build_model_fields
from castad.web.words import Refusal, Translator
from castad.web.work_acts import read_edited_fields
from castad.web.work_view import (
    FileView,
    PricedOffer,
    Values,
    build_another_offer,
    build_file_views,
    call_view,
    find_own_template,
    find_stage_label,
    get_own_url,
    read_results,
)
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.ledger.transitions.approval import CANCEL
from resources.views.order_body import to_dollars


@dataclass(frozen=True)
class Take:
    """One of what was paid for together; without an `id` it is the only one."""

    id: str
    label: str
    file: FileView | None


@dataclass(frozen=True)
class Held:
    """A work that waits for a person; `again` is another suggestion, `generation` the product's that is shown.

    `follows` is what an approval buys, in US dollars; None where the order can no longer be used.
    """

    stage: str
    generation: int
    heading: str
    approve: str
    follows: float | None
    again: PricedOffer | None
    fields: Sequence[FormField]
    used: str
    takes: Sequence[Take]
    until: datetime | None
    goes_on: bool
    view: Values | None
    template: str | None


def build_held(
    api: Api,
    snapshot: Snapshot,
    status: StatusBody,
    translate: Translator,
    given: Mapping[str, str],
    errors: Mapping[str, Sequence[Refusal]],
) -> Held:
    """Build the view of a work that waits for the approval of a stage."""
    order, pipeline = snapshot.request, snapshot.pipeline
    name = order.held_stage or ""
    result = read_results(snapshot).get(name, {})
    edited = read_edited_fields(pipeline, name, given)
    view = build_held_view(pipeline, name, status.brief or {}, {**result, **edited})
    heading = translate("held", stage=find_stage_label(pipeline, name, translate))
    takes = _list_takes(
        status, name, build_file_views(status.artifacts, get_own_url(status), translate)
    )
    return Held(
        stage=name,
        generation=status.stages[name].generation if name in status.stages else 1,
        heading=translate.find(f"held_{name}", heading),
        approve=_build_approve_label(pipeline, name, translate),
        follows=_compute_price_after(api, snapshot, name),
        again=build_another_offer(api, snapshot, name, translate),
        fields=_build_fields(pipeline, name, translate, {**result, **given}, errors),
        used=given.get("choice") or (status.choices[0].id if status.choices else ""),
        takes=takes,
        until=order.not_before,
        goes_on=order.hold_then != CANCEL,
        view=view,
        template=find_own_template(pipeline, "held", view),
    )


def _build_approve_label(pipeline: Pipeline | None, stage: str, translate: Translator) -> str:
    names = () if pipeline is None else pipeline.stage_names
    after = names[names.index(stage) + 1 :] if stage in names else ()
    label = find_stage_label(pipeline, after[0], translate) if after else ""
    return translate.find(f"approve_{stage}", translate("approve", stage=label))


def _build_fields(
    pipeline: Pipeline | None,
    stage: str,
    translate: Translator,
    given: Mapping[str, Any],
    errors: Mapping[str, Sequence[Refusal]],
) -> list[FormField]:
    """Build the form fields for what may be changed in the stage's product."""
    found = None if pipeline is None else pipeline.find_stage(stage)
    if found is None or found.revision is None:
        return []
    return build_model_fields(found.revision.model, translate, given, errors)


def list_stored_fields(
    snapshot: Snapshot, translate: Translator, given: Mapping[str, str]
) -> list[FormField]:
    """List the stored fields of the held product whose values differ from the given ones."""
    stage = snapshot.request.held_stage or ""
    stored = read_results(snapshot).get(stage, {})
    return [
        each
        for each in _build_fields(snapshot.pipeline, stage, translate, stored, {})
        if given.get(each.name, each.value).replace("\r\n", "\n") != each.value
    ]


def build_held_view(
    pipeline: Pipeline | None, stage: str, brief: Mapping[str, Any], result: Mapping[str, Any]
) -> Values | None:
    """Return the pipeline's view of a product that waits for approval."""
    return call_view(pipeline, "held", stage, brief, result)


def _list_takes(status: StatusBody, stage: str, files: Iterable[FileView]) -> list[Take]:
    """List the choices, or the stage's only audio file."""
    if status.choices:
        by_url = {each.url: each for each in files}
        takes = [Take(each.id, each.label, by_url.get(each.url or "")) for each in status.choices]
        return sorted(takes, key=lambda take: take.id)
    sounds = [each for each in files if each.stage == stage and each.kind == "audio"]
    return [Take("", each.label, each) for each in sounds[:1]]


def _compute_price_after(api: Api, snapshot: Snapshot, stage: str) -> float | None:
    pipeline, payload = snapshot.pipeline, snapshot.request.order()
    if pipeline is None or payload is None or stage not in pipeline.stage_names:
        return None
    after = pipeline.stage_names.index(stage) + 1
    try:
        return to_dollars(sum_prices(list_prices(pipeline, payload, api.settings)[after:]))
    except InvalidInputError:
        return None
