"""Report on an hour: compute its figures, and mark unusual ones.

The command line and the pages import this module, so that it imports pandas only when a report is made.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING

from resources.contract.errors import InvalidInputError
from resources.files.markup import escape_invisible
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.health import get_failure
from resources.ledger.queries.hours import (
    CHARGED,
    COMPLETED,
    FAILED,
    HOUR_EXECUTIONS,
    HourlyReport,
    StageFigures,
    Unusual,
    compute_hour_bounds,
    find_report,
    list_reports,
)
from resources.ledger.queries.status import parse_object, read_clock
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.housekeeping import save_report
from resources.views.report import HOUR

if TYPE_CHECKING:
    import pandas as pd

_MADE_UP, _AGAIN = 24, 2
_EXPECTED = "expected an hour in UTC such as 2030-01-31T09, `now`, or -1 for the last closed one"


def find_last_closed(now: datetime) -> datetime:
    """Return the begin of the last hour that is over at `now`, in UTC."""
    return now.astimezone(UTC).replace(minute=0, second=0, microsecond=0) - HOUR


def parse_hour(given: str, now: datetime) -> datetime:
    """Parse an hour such as 2030-01-31T09, `now`, or -1 for the last closed one, into its begin in UTC.

    Raises InvalidInputError for other text, or for an hour that has not begun at `now`.
    """
    running = find_last_closed(now) + HOUR
    found = running if given == "now" else None
    with suppress(ValueError, OverflowError):
        if re.fullmatch("-[1-9][0-9]{0,6}", given):
            found = running + HOUR * int(given)
        elif re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}", given):
            found = datetime.strptime(given, "%Y-%m-%dT%H").replace(tzinfo=UTC)
    if found is None or found.year < 1970 or found > running:
        raise InvalidInputError("hour", f"{_EXPECTED}, got {ascii(given)[:40]}")
    return found


def list_hours_to_report(now: datetime, reported: Collection[datetime]) -> list[datetime]:
    """List the last three closed hours and the unreported ones of the last 24, the oldest first.

    A stage that completes late changes the cost of an hour that has been reported on.
    """
    recent = [find_last_closed(now) - HOUR * back for back in reversed(range(_MADE_UP))]
    return [hour for hour in recent if hour >= recent[-1] - HOUR * _AGAIN or hour not in reported]


def list_baseline_hours(hour: datetime) -> list[datetime]:
    """List the same hour of each of the seven days before, the latest first."""
    return [hour - timedelta(days=day) for day in range(1, 8)]


COLUMNS = ("pipeline", "stage", "outcome", "code", "retries", "seconds", "cost")
_LONGEST_NAME = 64
_LEAST_DAYS = 4
_LEAST_EXECUTIONS = 5
_SPREADS = 3.5
_NORMAL_SPREAD = 1.4826
_LEAST_SHARE = 0.1
_LEAST_SPREADS = {
    **{"count": 1, "failure_rate": 0.02, "retries": 1},
    **{"p50": 0.1, "p95": 0.1, "cost": 10_000},
}
"""The figures that are compared with earlier days, with their least spread."""


def read_report(
    db: Database, hour: datetime, known: Sequence[tuple[str, str]]
) -> HourlyReport | None:
    """Return the stored report of the hour, None without one; that of the running hour is made each time."""
    now = read_clock(db)
    if now >= hour + HOUR:
        return find_report(db, hour)
    return HourlyReport(hour, now, tuple(summarize(read_executions(db, hour), known)))


def make_report(
    db: Database, hour: datetime, known: Sequence[tuple[str, str]]
) -> list[StageFigures]:
    """Make and save the report of the hour; return the figures of at least the known (pipeline, stage) pairs."""
    reports = list_reports(db, list_baseline_hours(hour)).values()
    days = [{(each.pipeline, each.stage): each for each in report} for report in reports]
    figures = []
    for stage in summarize(read_executions(db, hour), known):
        name = (stage.pipeline, stage.stage)
        # A report without the stage counts as zero.
        before = [day.get(name, StageFigures(*name)) for day in days]
        figures.append(replace(stage, unusual=find_unusual(stage, before)))
    save_report(db, hour, figures)
    return figures


@retry_transient
def read_executions(db: Database, hour: datetime) -> "pd.DataFrame":
    """Read the executions that ended in the hour that begins at `hour`, in COLUMNS.

    The stage of a failure is "" if no stage had begun.
    """
    # Imported here, because it takes half a second.
    import pandas as pd

    with db.reading() as tx:
        rows = pd.read_sql(HOUR_EXECUTIONS, tx, params=compute_hour_bounds(tx, hour))
    started, ended = (
        pd.to_datetime(rows[name], utc=True) for name in ("started_at", "completed_at")
    )
    rows["seconds"] = (ended - started).dt.total_seconds().clip(lower=0.0)
    failed = rows["outcome"] == FAILED
    events = rows.loc[failed, ["type", "before", "after", "data"]].values.tolist()
    failures = [
        get_failure(event[0], event[1], event[2], parse_object(event[3])) for event in events
    ]
    rows["code"] = None
    rows.loc[failed, "code"] = [each and each[1] for each in failures]
    rows.loc[failed, "stage"] = [each and (each[0] or "") for each in failures]
    rows["retries"] = (failed & (rows["after"] == Status.FAILED)).astype("int64")
    rows = rows[~failed | rows["code"].notna()]
    # An operator's SQL may have stored anything; these become names in a report.
    named = {name: rows[name].map(_make_name) for name in ("pipeline", "stage")}
    return rows.assign(**named, cost=rows["cost"].astype("int64"))[list(COLUMNS)]


def _make_name(text: str) -> str:
    """Clean a stored name for the report: only visible characters, 64 at most."""
    return escape_invisible(text)[:_LONGEST_NAME]


def summarize(executions: "pd.DataFrame", known: Iterable[tuple[str, str]]) -> list[StageFigures]:
    """Compute the figures of every stage: the known stages in their order, then any other stages by name.

    A row is one execution: pipeline, stage, outcome (completed, failed; charged for a submission's cost), code,
    retries (1 if a retry follows), seconds, cost in micro-dollars.
    """
    groups = executions.groupby(["pipeline", "stage"], sort=True)
    by_stage = {
        (str(pipeline), str(stage)): _compute_figures(str(pipeline), str(stage), rows)
        for (pipeline, stage), rows in groups
    }
    return [
        by_stage.get(stage, StageFigures(*stage)) for stage in dict.fromkeys([*known, *by_stage])
    ]


def _compute_figures(pipeline: str, stage: str, executions: "pd.DataFrame") -> StageFigures:
    import numpy as np

    completed, failed, charged = (
        executions[executions["outcome"] == outcome] for outcome in (COMPLETED, FAILED, CHARGED)
    )
    seconds = completed["seconds"].dropna().to_numpy("float64")
    p50 = p95 = longest = None
    if len(seconds):
        # The nearest ranks, so that each is the duration of an execution.
        p50, p95, longest = map(
            float, np.quantile(seconds, (0.5, 0.95, 1.0), method="inverted_cdf")
        )
    codes = {str(code): int(count) for code, count in failed["code"].value_counts().items()}
    return StageFigures(
        *(pipeline, stage, len(completed), len(failed), int(failed["retries"].sum())),
        *(p50, p95, longest, int(charged["cost"].sum()), dict(sorted(codes.items()))),
    )


def find_unusual(now: StageFigures, before: Sequence[StageFigures]) -> tuple[Unusual, ...]:
    """Find the figures that differ from the median of the days before by more than 3.5 usual spreads.

    The usual spread is the median absolute deviation, scaled as for normal values. It is at least a tenth of the
    median, and at least the figure's normal spread: seven equal days make no small change unusual. A figure is
    compared only if four days have it, a failure rate only with five executions. `before` has one entry per day.
    """
    found = []
    for name, least_spread in _LEAST_SPREADS.items():
        is_rate = name == "failure_rate"
        value, *earlier = (
            None if is_rate and each.count < _LEAST_EXECUTIONS else getattr(each, name)
            for each in (now, *before)
        )
        days = [day for day in earlier if day is not None]
        if value is None or len(days) < _LEAST_DAYS:
            continue
        usual = median(days)
        deviation = median(abs(day - usual) for day in days)
        spread = max(_NORMAL_SPREAD * deviation, _LEAST_SHARE * abs(usual), least_spread)
        if abs(value - usual) > _SPREADS * spread:
            found.append(Unusual(name, value, usual, _SPREADS * spread, len(days)))
    return tuple(found)
