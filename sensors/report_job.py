"""Report on each hour: the job, its schedule, and the report in Dagster's catalog."""

from typing import Any

from dagster import (
    AssetKey,
    AssetMaterialization,
    DefaultScheduleStatus,
    Failure,
    MetadataValue,
    OpExecutionContext,
    ScheduleDefinition,
    TableRecord,
    op,
)

from pipeline_defs.build import make_periodic_job
from pipeline_defs.catalog import get_catalog
from resources.ledger.db.database import open_database
from resources.ledger.queries.hours import HourlyReport, find_report, list_reported_hours
from resources.ledger.queries.status import read_clock
from resources.process.configure_logging import log_traceback
from resources.process.settings import settings
from resources.views.report import (
    build_report,
    describe_unusual,
    format_hour,
    list_heads,
    load_words,
)
from sensors.hour_report import list_hours_to_report, make_report

REPORT_ASSET = AssetKey(["report"])
_HOURS_READ = 48


@op
def make_reports(context: OpExecutionContext) -> None:
    """Report on the last three closed hours, and on missing hours of the last 24.

    Raises Failure naming the hours whose report failed, after the others were made.
    """
    db = open_database(settings().ledger_url)
    now, words = read_clock(db), load_words("en")
    reported = {each.hour for each in list_reported_hours(db, limit=_HOURS_READ)}
    failed = []
    # The newest comes last: Dagster shows the last materialization as the latest.
    for hour in sorted(list_hours_to_report(now, reported)):
        try:
            before = find_report(db, hour)
            made = tuple(make_report(db, hour, [*get_catalog().stage_names]))
        except Exception as error:  # noqa: BLE001 - one hour must not hide the others
            failed.append(f"{format_hour(hour)} ({type(error).__name__}, {log_traceback(error)})")
            continue
        if before is None or before.stages != made:
            report = build_report(HourlyReport(hour, now, made))
            rows = [
                dict(zip(list_heads(words), each.format_row(), strict=True))
                for each in report.stages
            ]
            unusual = describe_unusual(report, words)
            # Dagster's catalog plots the numbers over time.
            metadata: dict[str, Any] = {
                **{"hour": report.hour, **report.totals, "unusual": len(unusual)},
                "report": MetadataValue.table([*map(TableRecord, rows)]),
                "unusual_figures": "\n".join(unusual),
            }
            context.log_event(
                AssetMaterialization(REPORT_ASSET, partition=report.hour, metadata=metadata)
            )
    if failed:
        raise Failure(f"hours without a new report: {', '.join(failed)}", allow_retries=False)


report_job = make_periodic_job(
    "report", make_reports, 300, "The figures of each closed hour, by pipeline and stage"
)
report_schedule = ScheduleDefinition(
    name="report",
    job=report_job,
    cron_schedule="3 * * * *",
    execution_timezone="UTC",
    default_status=DefaultScheduleStatus.RUNNING,
    description="Hourly, when what ended in the hour before is settled",
)
