"""Make the report of an hour. Loads pandas, so it is imported where a report is made and nowhere else."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from resources.ledger.db.database import Database
from resources.ledger.queries.hourly_reports import StageFigures, reports_of
from resources.ledger.transitions.reports import save_report
from sensors.reports.executions import read_executions
from sensors.reports.hour_figures import summarize
from sensors.reports.hours import baseline_hours
from sensors.reports.unusual import unusual_figures


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
