"""What may be made again or another way, with its price before it is bought."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from castad.api.state import Api
from castad.orders.acts import redo_prices
from castad.orders.submit import StagePrice, total_price
from castad.readmodels.snapshot import Snapshot
from castad.web.texts import Translator
from castad.web.work_view import Offer, redo_offers
from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import LedgerError
from resources.views.order_body import usd


@dataclass(frozen=True)
class PricedOffer(Offer):
    """A redo with its price in US dollars; `generation` is that of the stage which is shown."""

    usd: float = 0.0
    generation: int = 1


def priced_offers(
    api: Api, snapshot: Snapshot, brief: Mapping[str, Any] | None, translate: Translator
) -> list[PricedOffer]:
    """Every redo that may be bought now, with its price; what would give the same again is left out."""
    pipeline = snapshot.pipeline
    if pipeline is None or brief is None:
        return []
    found = [
        (offer, _prices(api, snapshot, offer)) for offer in redo_offers(pipeline, brief, translate)
    ]
    return [
        PricedOffer(
            **vars(offer),
            usd=usd(total_price(prices)),
            generation=generation_of(snapshot, offer.stage),
        )
        for offer, prices in found
        if prices is not None
    ]


def another_offer(
    api: Api, snapshot: Snapshot, stage: str, translate: Translator
) -> PricedOffer | None:
    """Another product of the stage that waits; it is approved before anything follows."""
    label = translate.find(f"another_{stage}", translate("another"))
    prices = _prices(api, snapshot, Offer(stage, label))
    if prices is None:
        return None
    price, generation = usd(prices[0].price), generation_of(snapshot, stage)
    return PricedOffer(stage, label, usd=price, generation=generation)


def generation_of(snapshot: Snapshot, stage: str) -> int:
    """Return the newest generation of the stage."""
    return next((each.generation for each in snapshot.stages if each.stage == stage), 1)


def _prices(api: Api, snapshot: Snapshot, offer: Offer) -> list[StagePrice] | None:
    """The prices of such a redo; None where it is refused, or nobody would be asked to make the stage."""
    changes = {offer.field: offer.value} if offer.field else {}
    try:
        prices = redo_prices(api.db, snapshot.request.task_id, offer.stage, changes, api.settings)
    except (InvalidInputError, LedgerError):
        return None
    return prices if prices and prices[0].provider else None
