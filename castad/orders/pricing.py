"""The price of an order, stage by stage, before it is submitted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline_defs.catalog import catalog
from pipeline_defs.pipeline import Pipeline
from resources.process.settings import Settings


@dataclass(frozen=True)
class StagePrice:
    """The expected price of a stage in micro-dollars, at its provider; that is "" on this machine."""

    stage: str
    provider: str
    price: int


def prices_of(
    pipeline: Pipeline, payload: Mapping[str, Any], settings: Settings
) -> list[StagePrice]:
    """The price of each stage, in order."""
    prices = catalog().prices(pipeline, payload, settings)
    return [
        StagePrice(stage.name, stage.maker, prices[stage.name])
        for stage in catalog().stages(pipeline, settings)
    ]


def total_price(prices: Sequence[StagePrice]) -> int:
    """The price of these stages together, in micro-dollars."""
    return sum(each.price for each in prices)
