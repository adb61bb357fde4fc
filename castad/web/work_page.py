"""What the page of one work shows, read from the ledger: one value per scene."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from castad.api.state import Api
from castad.orders.pricing import StagePrice, prices_of, total_price
from castad.orders.redo import redo_prices
from castad.readmodels.live_progress import LiveProgress, ProgressReader
from castad.readmodels.order_words import artifact_url
from castad.readmodels.snapshot import Snapshot
from castad.readmodels.status_body import StatusBody
from castad.readmodels.views import usd
from castad.web.form_fields import FormField, model_fields
from castad.web.pipeline_views import Values, own_template, view_values
from castad.web.remedies import (
    error_sentence,
    parked_provider,
    retry_sentence,
    waiting_sentence,
)
from castad.web.texts import Translator
from castad.web.work_view import (
    FileUrl,
    FileView,
    Offer,
    StageLine,
    file_views,
    redo_offers,
    stage_label,
    stage_lines,
)
from pipeline_defs.pipeline import Pipeline
from pipeline_defs.revision import Choice
from resources.contract.errors import InvalidInputError
from resources.ledger.errors import LedgerError


@dataclass(frozen=True)
class PricedOffer(Offer):
    """A redo with its price in US dollars."""

    usd: float = 0.0


@dataclass(frozen=True)
class Held:
    """A work that waits for a person; `again` is another suggestion, `follows` what an approval buys."""

    stage: str
    heading: str
    approve: str
    follows: float
    again: PricedOffer | None
    fields: Sequence[FormField]
    takes: Sequence[tuple[Choice, FileView | None]]
    until: datetime | None
    goes_on: bool
    view: Values | None
    template: str | None


@dataclass(frozen=True)
class Live:
    """A work that is being made, or waits for its turn."""

    stages: Sequence[StageLine]
    percent: int
    note: str
    expected: float | None
    waiting: str | None
    retry: str | None
    error: str | None
    parked: str | None
    limit: float | None


@dataclass(frozen=True)
class Finished:
    """A work that is done; `facts` are its result where the pipeline has no view of it."""

    files: Sequence[FileView]
    cover: FileView | None
    facts: Sequence[tuple[str, str]]
    offers: Sequence[PricedOffer]
    view: Values | None
    template: str | None

    def of_kind(self, kind: str) -> list[FileView]:
        """The files of this kind."""
        return [each for each in self.files if each.kind == kind]


def results_of(snapshot: Snapshot) -> dict[str, Mapping[str, Any]]:
    """The stored results by stage."""
    return {each.stage: each.result for each in snapshot.overview.stages if each.result is not None}


def held_of(api: Api, snapshot: Snapshot, status: StatusBody, translate: Translator) -> Held:
    """The work as it waits for the approval of a stage."""
    order, pipeline = snapshot.request, snapshot.pipeline
    name = order.held_stage or ""
    result = results_of(snapshot).get(name, {})
    files = {each.name: each for each in file_views(status.artifacts, _own_url(status), translate)}
    stage = None if pipeline is None else pipeline.find_stage(name)
    revision = None if stage is None else stage.revision
    view = held_view(pipeline, name, status.brief or {}, result)
    following = _following(pipeline, name)
    next_label = stage_label(pipeline, following, translate) if following else ""
    return Held(
        stage=name,
        heading=translate.find(
            f"held_{name}", translate("held", stage=stage_label(pipeline, name, translate))
        ),
        approve=translate.find(f"approve_{name}", translate("approve", stage=next_label)),
        follows=_price_after(api, snapshot, name),
        again=_another(api, snapshot, name, translate),
        fields=() if revision is None else model_fields(revision.model, translate, result, {}),
        takes=[(each, files.get(each.file or "")) for each in _choices(snapshot, name, result)],
        until=order.not_before,
        goes_on=order.hold_then != "cancel",
        view=view,
        template=own_template(pipeline, "held", view),
    )


def held_view(
    pipeline: Pipeline | None, stage: str, brief: Mapping[str, Any], result: Mapping[str, Any]
) -> Values | None:
    """What the pipeline shows of a product that waits for approval."""
    return view_values(pipeline, "held", stage, brief, result)


def _following(pipeline: Pipeline | None, stage: str) -> str | None:
    names = () if pipeline is None else pipeline.stage_names
    after = names[names.index(stage) + 1 :] if stage in names else ()
    return after[0] if after else None


def _choices(snapshot: Snapshot, name: str, result: Mapping[str, Any]) -> Sequence[Choice]:
    stage = None if snapshot.pipeline is None else snapshot.pipeline.find_stage(name)
    if stage is None or stage.choices is None:
        return ()
    return sorted(
        stage.choices.of(stage.product.model_validate(result)), key=lambda choice: choice.id
    )


def used_choice(snapshot: Snapshot, stage: str) -> str | None:
    """The id of the choice that is used now; None where there is none."""
    pipeline, result = snapshot.pipeline, results_of(snapshot).get(stage)
    found = None if pipeline is None else pipeline.find_stage(stage)
    if found is None or found.choices is None or result is None:
        return None
    return next((each.id for each in found.choices.of(found.product.model_validate(result))), None)


def _price_after(api: Api, snapshot: Snapshot, stage: str) -> float:
    pipeline, payload = snapshot.pipeline, snapshot.request.order()
    if pipeline is None or payload is None or stage not in pipeline.stage_names:
        return 0.0
    after = pipeline.stage_names.index(stage) + 1
    return usd(total_price(prices_of(pipeline, payload, api.settings)[after:]))


def _another(api: Api, snapshot: Snapshot, stage: str, translate: Translator) -> PricedOffer | None:
    """Another product of the stage that waits; it is approved before anything follows."""
    label = translate.find(f"another_{stage}", translate("another"))
    prices = _prices(api, snapshot, Offer(stage, label))
    return None if prices is None else PricedOffer(stage, label, usd=usd(prices[0].price))


def live_of(api: Api, snapshot: Snapshot, status: StatusBody, translate: Translator) -> Live:
    """The work as it is being made."""
    order = snapshot.request
    found: LiveProgress | None = ProgressReader(api.db).read({order.id}).get(order.id)
    return Live(
        stages=stage_lines(status, snapshot.pipeline, translate),
        percent=status.progress if found is None else found.percent,
        note="" if found is None else found.note,
        expected=status.expected_wait_seconds if found is None else found.expected_seconds,
        waiting=waiting_sentence(status, translate),
        retry=retry_sentence(status, translate),
        error=error_sentence(status, translate),
        parked=parked_provider(status),
        limit=api.settings.max_cost,
    )


def finished_of(
    snapshot: Snapshot,
    status: StatusBody,
    translate: Translator,
    *,
    url: FileUrl | None = None,
    offers: Sequence[PricedOffer] = (),
) -> Finished:
    """The finished work, with files at these addresses."""
    pipeline = snapshot.pipeline
    files = file_views(status.artifacts, url or _own_url(status), translate)
    view = view_values(pipeline, "result", status.brief or {}, results_of(snapshot))
    return Finished(
        files=files,
        cover=next(
            (each for each in files if artifact_url(status.task_id, each.name) == status.cover),
            None,
        ),
        facts=_facts(status.result, translate),
        offers=offers,
        view=view,
        template=own_template(pipeline, "result", view),
    )


def _own_url(status: StatusBody) -> FileUrl:
    addresses = {each.name: each.url for each in status.artifacts}
    return lambda name: addresses[name]


def _facts(result: Any, translate: Translator) -> list[tuple[str, str]]:
    """The result as label and text; what has parts is shown as JSON."""
    members = result.items() if isinstance(result, dict) else [("result", result)]
    return [
        (translate.find(f"result_{name}", name.replace("_", " ")), _fact(value))
        for name, value in members
        if value not in (None, "", [], {})
    ]


def _fact(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


def priced_offers(api: Api, snapshot: Snapshot, translate: Translator) -> list[PricedOffer]:
    """Every redo that may be bought now, with its price; what would give the same again is left out."""
    pipeline, brief = snapshot.pipeline, snapshot.request.order()
    if pipeline is None or brief is None:
        return []
    found = [
        (offer, _prices(api, snapshot, offer)) for offer in redo_offers(pipeline, brief, translate)
    ]
    return [
        PricedOffer(**vars(offer), usd=usd(total_price(prices)))
        for offer, prices in found
        if prices is not None
    ]


def _prices(api: Api, snapshot: Snapshot, offer: Offer) -> list[StagePrice] | None:
    """The prices of such a redo; None where it is refused, or nobody would be asked to make the stage."""
    changes = {offer.field: offer.value} if offer.field else {}
    try:
        prices = redo_prices(api.db, snapshot.request.task_id, offer.stage, changes, api.settings)
    except (InvalidInputError, LedgerError):
        return None
    return prices if prices and prices[0].provider else None
