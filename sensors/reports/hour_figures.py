"""The figures of an hour, from a frame of what ended in it. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median

import numpy as np
import pandas as pd

from resources.files.markup import visible
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.health import get_failure
from resources.ledger.queries.statistics import (
    CHARGED,
    COMPLETED,
    FAILED,
    HOUR_EXECUTIONS,
    StageFigures,
    Unusual,
    compute_hour_bounds,
    reports_of,
)
from resources.ledger.queries.status import parse_object
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.housekeeping import save_report
from sensors.reports.values import baseline_hours

COLUMNS = ("pipeline", "stage", "outcome", "code", "retries", "seconds", "cost")


def summarize(executions: pd.DataFrame, known: Iterable[tuple[str, str]]) -> list[StageFigures]:
    """The figures of every stage: the known ones in their order, then any other by name.

    A row is one execution: pipeline, stage, outcome (completed, failed; charged for a submission's cost), code,
    retries (1 where a retry follows), seconds, cost in micro-dollars.
    """
    by_stage = {
        (str(pipeline), str(stage)): rows
        for (pipeline, stage), rows in executions.groupby(["pipeline", "stage"], sort=True)
    }
    known = list(dict.fromkeys(known))
    others = [stage for stage in by_stage if stage not in known]
    return [_figures(stage, by_stage.get(stage)) for stage in [*known, *others]]


def _figures(stage: tuple[str, str], executions: pd.DataFrame | None) -> StageFigures:
    if executions is None:
        return StageFigures(*stage)
    outcomes = executions["outcome"]
    failures = executions[outcomes == FAILED]
    seconds = executions.loc[outcomes == COMPLETED, "seconds"].dropna()
    p50, p95, longest = _quantiles(seconds, (0.5, 0.95, 1.0))
    codes = failures["code"].value_counts()
    return StageFigures(
        *stage,
        completed=int((outcomes == COMPLETED).sum()),
        failed=len(failures),
        retries=int(failures["retries"].sum()),
        p50=p50,
        p95=p95,
        longest=longest,
        cost=int(executions.loc[outcomes == CHARGED, "cost"].sum()),
        codes={str(code): int(count) for code, count in sorted(codes.items())},
    )


def _quantiles(values: pd.Series, shares: Sequence[float]) -> list[float | None]:
    """For each share the least value that so many values do not exceed, as in the statistics."""
    if values.empty:
        return [None for _ in shares]
    found = np.quantile(values.to_numpy("float64"), shares, method="inverted_cdf")
    return [float(value) for value in found]


_LONGEST_NAME = 64


@retry_transient
def read_executions(db: Database, hour: datetime) -> pd.DataFrame:
    """What ended in the hour that begins then, as `summarize` takes it."""
    with db.reading() as tx:
        rows = pd.read_sql(HOUR_EXECUTIONS, tx, params=compute_hour_bounds(tx, hour))
    return _executions(rows)


def _executions(rows: pd.DataFrame) -> pd.DataFrame:
    started, ended = (
        pd.to_datetime(rows[name], utc=True) for name in ("started_at", "completed_at")
    )
    frame = pd.DataFrame(
        {
            "pipeline": rows["pipeline"],
            "stage": rows["stage"],
            "outcome": rows["outcome"],
            "code": None,
            "retries": 0,
            "seconds": (ended - started).dt.total_seconds().clip(lower=0.0),
            "cost": rows["cost"].astype("int64"),
        }
    )
    failures = _failures(rows[rows["outcome"] == FAILED])
    found = pd.concat([frame[frame["outcome"] != FAILED], failures], ignore_index=True)
    # An operator's SQL may have stored anything; these become names in a report.
    return found.assign(**{name: found[name].map(_as_name) for name in ("pipeline", "stage")})


def _as_name(text: str) -> str:
    return visible(text)[:_LONGEST_NAME]


def _failures(events: pd.DataFrame) -> pd.DataFrame:
    """The failures among the events; the stage is empty where none had begun."""
    found = []
    for event in events.to_dict("records"):
        data = parse_object(event["data"])
        failure = get_failure(event["type"], event["before"], event["after"], data)
        if failure is not None:
            stage, code = failure
            retries = int(event["after"] == Status.FAILED)
            found.append((event["pipeline"], stage or "", FAILED, code, retries, None, 0))
    return pd.DataFrame(found, columns=list(COLUMNS))


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


def make_report(
    db: Database, hour: datetime, known: Sequence[tuple[str, str]]
) -> list[StageFigures]:
    """The report of the hour that begins then is stored, with these stages at least; returns its figures."""
    before = reports_of(db, baseline_hours(hour)).values()
    figures = [
        replace(stage, unusual=unusual_figures(stage, _days_of(stage, before)))
        for stage in summarize(read_executions(db, hour), known)
    ]
    save_report(db, hour, figures)
    return figures


def _days_of(stage: StageFigures, before: Iterable[Sequence[StageFigures]]) -> list[StageFigures]:
    """The stage on each of the days: a day whose report has it not has seen nothing of it."""
    name = (stage.pipeline, stage.stage)
    return [
        next(
            (figures for figures in day if (figures.pipeline, figures.stage) == name),
            StageFigures(*name),
        )
        for day in before
    ]
