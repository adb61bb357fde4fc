"""What an order will cost, stage by stage, before anything is ordered."""

from collections.abc import Mapping
from typing import Any

from pipeline_defs.song_video.brief import STAGES, check_brief
from pipeline_defs.song_video.estimate import estimate
from resources.process.settings import Settings
from resources.providers.registry import provider_for


def prices_of(payload: Mapping[str, Any], settings: Settings) -> Mapping[str, int]:
    """The price of each stage in micro-dollars, by whoever is set to make it."""
    return estimate(check_brief(payload), lambda stage: provider_for(stage, settings))


def prices_from(stage: str, payload: Mapping[str, Any], settings: Settings) -> Mapping[str, int]:
    """The same for a stage and what follows it, as a redo buys them."""
    follows = STAGES[STAGES.index(stage) :]
    return {name: price for name, price in prices_of(payload, settings).items() if name in follows}


def total_price(payload: Mapping[str, Any], settings: Settings) -> int:
    """The price of all stages together, in micro-dollars."""
    return sum(prices_of(payload, settings).values())
