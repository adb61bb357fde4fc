"""The price of an order, stage by stage, before it is submitted."""

from collections.abc import Mapping
from typing import Any

from pipeline_defs.song_video.brief import STAGES, check_brief
from pipeline_defs.song_video.estimate import estimate
from resources.process.settings import Settings
from resources.providers.registry import provider_for


def prices_of(payload: Mapping[str, Any], settings: Settings) -> Mapping[str, int]:
    """The price of each stage in micro-dollars, at its configured provider."""
    return estimate(check_brief(payload), lambda stage: provider_for(stage, settings))


def prices_from(stage: str, payload: Mapping[str, Any], settings: Settings) -> Mapping[str, int]:
    """The price of a stage and of each one after it, which a redo buys, in micro-dollars."""
    follows = STAGES[STAGES.index(stage) :]
    return {name: price for name, price in prices_of(payload, settings).items() if name in follows}


def total_price(payload: Mapping[str, Any], settings: Settings) -> int:
    """The price of all stages together, in micro-dollars."""
    return sum(prices_of(payload, settings).values())
