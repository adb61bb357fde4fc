"""The hourly report: its asset, the job that makes it, and the schedule."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from dagster import (
    AssetKey,
    AssetMaterialization,
    DefaultScheduleStatus,
    MetadataValue,
    OpExecutionContext,
    ScheduleDefinition,
    in_process_executor,
    job,
    op,
)

from pipeline_defs.catalog import catalog
from pipeline_defs.config import LOGGERS
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.reads import clock
from resources.ledger.queries.reports import StageFigures, find_report, reported_hours
from resources.process.settings import settings
from resources.reports.hours import hour_text, hours_to_report
from resources.reports.markdown import report_markdown

REPORT_ASSET = AssetKey(["report"])
_HOURS_READ = 48
_MAX_SECONDS = "300"


def make_due_reports(db: Database) -> Iterator[tuple[datetime, Sequence[StageFigures]]]:
    """The reports of all due hours are on record; yields each that is new or changed."""
    # Here and not above, because it loads pandas.
    from resources.reports.make import make_report

    reported = {each.hour for each in reported_hours(db, limit=_HOURS_READ)}
    for hour in hours_to_report(clock(db), reported):
        before = find_report(db, hour)
        made = make_report(db, hour, [*catalog().stage_names])
        if before is None or before.stages != tuple(made):
            yield hour, made


def report_materialization(hour: datetime, stages: Sequence[StageFigures]) -> AssetMaterialization:
    """The report in Dagster's catalog, which plots its numbers over the hours."""
    count, failed = (sum(getattr(each, name) for each in stages) for name in ("count", "failed"))
    metadata: dict[str, Any] = {
        "hour": hour_text(hour),
        "report": MetadataValue.md(report_markdown(stages)),
        "executions": count,
        "failures": failed,
        "failure_rate": round(failed / count, 4) if count else 0.0,
        "retries": sum(each.retries for each in stages),
        "cost_usd": sum(each.cost for each in stages) / 1_000_000,
        "unusual": sum(len(each.unusual) for each in stages),
    }
    return AssetMaterialization(REPORT_ASSET, partition=hour_text(hour), metadata=metadata)


@op
def make_reports(context: OpExecutionContext) -> None:
    """Report on the last closed hour, on the two before it again, and on what is missing of the last 24."""
    for hour, stages in make_due_reports(open_database(settings().ledger_url)):
        context.log_event(report_materialization(hour, stages))


@job(
    name="report",
    description="The figures of each closed hour, by pipeline and stage",
    executor_def=in_process_executor,
    logger_defs=LOGGERS,
    # What it has missed the next hour makes up for. A run whose worker was lost ends by its time.
    tags={"dagster/max_retries": "0", "dagster/max_runtime": _MAX_SECONDS},
)
def report_job() -> None:
    """The job of the schedule; it may be started by hand too."""
    make_reports()


report_schedule = ScheduleDefinition(
    name="report",
    job=report_job,
    cron_schedule="3 * * * *",
    execution_timezone="UTC",
    default_status=DefaultScheduleStatus.RUNNING,
    description="Hourly, when what ended in the hour before is settled",
)
