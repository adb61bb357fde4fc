"""Which figures of an hour are unusual, beside the same hour of the days before. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from resources.ledger.queries.hourly_reports import StageFigures, Unusual

_LEAST_DAYS = 4
_LEAST_EXECUTIONS = 5
_SPREADS = 3.5
_NORMAL_SPREAD = 1.4826
_LEAST_SHARE = 0.1


@dataclass(frozen=True)
class _Judged:
    """A figure, None where the hour has none, and the spread below which it varies by nature."""

    value: Callable[[StageFigures], float | None]
    least_spread: float


def _failure_rate(figures: StageFigures) -> float | None:
    return figures.failure_rate if figures.count >= _LEAST_EXECUTIONS else None


_JUDGED: Mapping[str, _Judged] = {
    "count": _Judged(lambda figures: figures.count, 1),
    "failure_rate": _Judged(_failure_rate, 0.02),
    "retries": _Judged(lambda figures: figures.retries, 1),
    "p50": _Judged(lambda figures: figures.p50, 0.1),
    "p95": _Judged(lambda figures: figures.p95, 0.1),
    "cost": _Judged(lambda figures: figures.cost, 10_000),
}


def unusual_figures(now: StageFigures, before: Sequence[StageFigures]) -> tuple[Unusual, ...]:
    """The figures that are farther from the median of the days before than 3.5 of their usual spreads.

    The usual spread is the median absolute deviation, scaled as for normal values; it is never below a tenth of
    the median, nor below what such a figure varies by nature: seven equal days make no small change unusual. No
    figure is judged with fewer than four days that have it, nor the failure rate of fewer than five executions.
    """
    found = []
    for name, judged in _JUDGED.items():
        value = judged.value(now)
        days = [day for day in map(judged.value, before) if day is not None]
        if value is None or len(days) < _LEAST_DAYS:
            continue
        usual, margin = _usual(days, judged.least_spread)
        if abs(value - usual) > margin:
            found.append(Unusual(name, value, usual, margin, len(days)))
    return tuple(found)


def _usual(days: Sequence[float], least_spread: float) -> tuple[float, float]:
    """The median, and how far from it a value may be."""
    usual = median(days)
    deviation = median(abs(day - usual) for day in days)
    spread = max(_NORMAL_SPREAD * deviation, _LEAST_SHARE * abs(usual), least_spread)
    return usual, _SPREADS * spread
