"""Make the report of an hour: read its executions, compute the figures, and mark unusual ones."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median

import numpy as np
import pandas as pd

from resources.files.markup import escape_invisible
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
    list_reports,
)
from resources.ledger.queries.status import parse_object
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.housekeeping import save_report
from sensors.reports.values import list_baseline_hours

COLUMNS = ("pipeline", "stage", "outcome", "code", "retries", "seconds", "cost")
_LONGEST_NAME = 64
_LEAST_DAYS = 4
_LEAST_EXECUTIONS = 5
_SPREADS = 3.5
_NORMAL_SPREAD = 1.4826
_LEAST_SHARE = 0.1


def summarize(executions: pd.DataFrame, known: Iterable[tuple[str, str]]) -> list[StageFigures]:
    """Compute the figures of every stage: the known stages in their order, then any other stages by name.

    A row is one execution: pipeline, stage, outcome (completed, failed; charged for a submission's cost), code,
    retries (1 if a retry follows), seconds, cost in micro-dollars.
    """
    by_stage = {
        (str(pipeline), str(stage)): rows
        for (pipeline, stage), rows in executions.groupby(["pipeline", "stage"], sort=True)
    }
    known = list(dict.fromkeys(known))
    others = [stage for stage in by_stage if stage not in known]
    return [_compute_figures(stage, by_stage.get(stage)) for stage in [*known, *others]]


def _compute_figures(stage: tuple[str, str], executions: pd.DataFrame | None) -> StageFigures:
    """Compute the figures of one stage (pipeline, stage) from its executions; all zero if there are none."""
    if executions is None:
        return StageFigures(*stage)
    outcomes = executions["outcome"]
    failures = executions[outcomes == FAILED]
    seconds = executions.loc[outcomes == COMPLETED, "seconds"].dropna()
    p50, p95, longest = _compute_quantiles(seconds, (0.5, 0.95, 1.0))
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


def _compute_quantiles(values: pd.Series, shares: Sequence[float]) -> list[float | None]:
    """Compute the nearest-rank quantile for each share in [0, 1]; None for each if there are no values."""
    if values.empty:
        return [None for _ in shares]
    found = np.quantile(values.to_numpy("float64"), shares, method="inverted_cdf")
    return [float(value) for value in found]


@retry_transient
def read_executions(db: Database, hour: datetime) -> pd.DataFrame:
    """Read the executions that ended in the hour that begins at `hour`, in the columns that the figures need."""
    with db.reading() as tx:
        rows = pd.read_sql(HOUR_EXECUTIONS, tx, params=compute_hour_bounds(tx, hour))
    return _make_executions(rows)


def _make_executions(rows: pd.DataFrame) -> pd.DataFrame:
    """Convert the ledger's rows to executions, one row each."""
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
    failures = _select_failures(rows[rows["outcome"] == FAILED])
    found = pd.concat([frame[frame["outcome"] != FAILED], failures], ignore_index=True)
    # An operator's SQL may have stored anything; these become names in a report.
    return found.assign(**{name: found[name].map(_make_name) for name in ("pipeline", "stage")})


def _make_name(text: str) -> str:
    """Clean a stored name for the report: only visible characters, 64 at most."""
    return escape_invisible(text)[:_LONGEST_NAME]


def _select_failures(events: pd.DataFrame) -> pd.DataFrame:
    """Convert the failure events to executions; the stage is "" if no stage had begun."""
    found = []
    for event in events.to_dict("records"):
        data = parse_object(event["data"])
        failure = get_failure(event["type"], event["before"], event["after"], data)
        if failure is not None:
            stage, code = failure
            retries = int(event["after"] == Status.FAILED)
            found.append((event["pipeline"], stage or "", FAILED, code, retries, None, 0))
    return pd.DataFrame(found, columns=list(COLUMNS))


@dataclass(frozen=True)
class _Judged:
    """A figure that is compared with earlier days: its getter (None if the hour has none) and least spread."""

    value: Callable[[StageFigures], float | None]
    least_spread: float


def _get_failure_rate(figures: StageFigures) -> float | None:
    """Return the failure rate; None with fewer than five executions, which are too few to compare."""
    return figures.failure_rate if figures.count >= _LEAST_EXECUTIONS else None


_JUDGED: Mapping[str, _Judged] = {
    "count": _Judged(lambda figures: figures.count, 1),
    "failure_rate": _Judged(_get_failure_rate, 0.02),
    "retries": _Judged(lambda figures: figures.retries, 1),
    "p50": _Judged(lambda figures: figures.p50, 0.1),
    "p95": _Judged(lambda figures: figures.p95, 0.1),
    "cost": _Judged(lambda figures: figures.cost, 10_000),
}


def find_unusual(now: StageFigures, before: Sequence[StageFigures]) -> tuple[Unusual, ...]:
    """Find the figures that differ from the median of the days before by more than 3.5 usual spreads.

    The usual spread is the median absolute deviation, scaled as for normal values. It is at least a tenth of the
    median, and at least the figure's normal spread: seven equal days make no small change unusual. A figure is
    compared only if four days have it, a failure rate only with five executions. `before` has one entry per day.
    """
    found = []
    for name, judged in _JUDGED.items():
        value = judged.value(now)
        days = [day for day in map(judged.value, before) if day is not None]
        if value is None or len(days) < _LEAST_DAYS:
            continue
        usual, margin = _compute_usual(days, judged.least_spread)
        if abs(value - usual) > margin:
            found.append(Unusual(name, value, usual, margin, len(days)))
    return tuple(found)


def _compute_usual(days: Sequence[float], least_spread: float) -> tuple[float, float]:
    """Compute the median of the days, and the largest distance from it that is not unusual."""
    usual = median(days)
    deviation = median(abs(day - usual) for day in days)
    spread = max(_NORMAL_SPREAD * deviation, _LEAST_SHARE * abs(usual), least_spread)
    return usual, _SPREADS * spread


def make_report(
    db: Database, hour: datetime, known: Sequence[tuple[str, str]]
) -> list[StageFigures]:
    """Make and save the report of the hour; return the figures of at least the known (pipeline, stage) pairs."""
    before = list_reports(db, list_baseline_hours(hour)).values()
    figures = [
        replace(stage, unusual=find_unusual(stage, _collect_days(stage, before)))
        for stage in summarize(read_executions(db, hour), known)
    ]
    save_report(db, hour, figures)
    return figures


def _collect_days(
    stage: StageFigures, before: Iterable[Sequence[StageFigures]]
) -> list[StageFigures]:
    """Collect the stage's figures of each earlier report; a report without the stage counts as zero."""
    name = (stage.pipeline, stage.stage)
    return [
        next(
            (figures for figures in day if (figures.pipeline, figures.stage) == name),
            StageFigures(*name),
        )
        for day in before
    ]
