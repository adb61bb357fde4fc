"""The price of an order, stage by stage, before it is submitted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline, Remark
from resources.process.settings import Settings


@dataclass(frozen=True)
class StagePrice:
    """The expected price of a stage in micro-dollars, at its provider; that is "" where no vendor is asked."""

    stage: str
    provider: str
    price: int


def prices_of(
    pipeline: Pipeline, payload: Mapping[str, Any], settings: Settings
) -> list[StagePrice]:
    """The price of each stage, in order."""
    prices = get_catalog().estimate_prices(pipeline, payload, settings)
    makers = get_catalog().choose_makers(pipeline, pipeline.parse(payload), settings)
    return [StagePrice(stage, makers[stage], prices[stage]) for stage in pipeline.stage_names]


def remarks_on(
    pipeline: Pipeline, payload: Mapping[str, Any], settings: Settings
) -> Sequence[Remark]:
    """Soft warnings about an order that can be fulfilled."""
    brief = pipeline.parse(payload)
    return pipeline.remarks(brief, get_catalog().choose_makers(pipeline, brief, settings))


def total_price(prices: Sequence[StagePrice]) -> int:
    """The price of these stages together, in micro-dollars."""
    return sum(each.price for each in prices)
