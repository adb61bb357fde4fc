"""The figures of an hour, from a frame of what ended in it. Pure."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from resources.ledger.queries.hour_executions import CHARGED, COMPLETED, FAILED
from resources.ledger.queries.hourly_reports import StageFigures

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
