"""Medians, percentiles, ratios, and whether a goal was reached. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that `share` (0 to 1) of all are at or below, interpolated between neighbours.

    Raises ValueError if there are no values. Source: definition 7 of Hyndman and Fan, Sample Quantiles
    in Statistical Packages, The American Statistician 50 (1996).
    """
    if not values:
        raise ValueError("expected at least one value")
    if not 0 <= share <= 1:
        raise ValueError(f"expected a share of 0 to 1, got {share:g}")
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = math.ceil(place)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def median(values: Sequence[float]) -> float:
    """Return the middle value; raise ValueError if there are no values."""
    return percentile(values, 0.5)


class Verdict(StrEnum):
    """How a figure stands to its goal."""

    AIM = "aim reached"
    FLOOR = "floor reached"
    MISSED = "MISSED"


@dataclass(frozen=True)
class Goal:
    """What a figure has to reach: `floor` at least, `aim` where we want to be. Less is better unless `more`."""

    floor: float
    aim: float
    more: bool = False

    def judge(self, figure: float | None) -> Verdict:
        """Judge the figure against floor and aim; None, not reached in time, has missed."""
        if figure is None or not self._holds(figure, self.floor):
            return Verdict.MISSED
        return Verdict.AIM if self._holds(figure, self.aim) else Verdict.FLOOR

    def _holds(self, figure: float, bound: float) -> bool:
        return figure >= bound if self.more else figure <= bound


def compute_times_better(ours: float, other: float, *, more: bool) -> float:
    """Return our advantage as a ratio, below 1 if we are worse; raise ValueError for a figure of 0 or less."""
    if ours <= 0 or other <= 0:
        raise ValueError(f"expected figures above 0, got {ours:g} and {other:g}")
    return ours / other if more else other / ours
