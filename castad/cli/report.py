"""`castad report`: the report of an hour, made here where there is none."""

from datetime import datetime, timedelta
from pathlib import Path

from castad.readmodels.report_body import report_body, report_csv
from castad.readmodels.report_page import report_page
from castad.readmodels.report_view import report_view
from castad.readmodels.report_words import ENGLISH, KOREAN
from castad.stack.output import print_json, print_line, print_result, print_status
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.statistics import HourlyReport, find_report
from resources.ledger.queries.status import read_clock
from resources.ledger.retention_rules import Part
from resources.ledger.schema.tables import Status
from resources.process.settings import settings
from sensors.hour_report import make_report, parse_hour


def show_report(
    hour: str, page: Path | None, *, as_csv: bool, as_json: bool, is_korean: bool
) -> None:
    """The hour's report was printed, and written as a page where a file is named."""
    if as_csv and as_json:
        raise InvalidInputError("--csv", "expected either --csv or --json")
    db = open_database(settings().ledger_url)
    report = _report_of(db, parse_hour(hour, read_clock(db)))
    words = KOREAN if is_korean else ENGLISH
    if page is not None:
        _write(page, report_page(report, words))
    if as_csv:
        print_line(report_csv(report).removesuffix("\n"))
    elif as_json:
        print_json(report_body(report).model_dump(mode="json"))
    else:
        print_result(report_view(report, words))


def _report_of(db: Database, hour: datetime) -> HourlyReport:
    """The stored report, which is made first where there is none."""
    found = find_report(db, hour)
    if found is None:
        _refuse_removed(hour, read_clock(db))
        make_report(db, hour, [*get_catalog().stage_names])
        found = find_report(db, hour)
    if found is None:
        raise InvalidInputError("hour", "expected one in which there were stages to report on")
    return found


def _refuse_removed(hour: datetime, now: datetime) -> None:
    """Return if all orders that ended in the hour are still here; raises InvalidInputError."""
    # Here and not above, because it loads Dagster.
    from sensors.retention_job import build_keep_times

    times = build_keep_times(settings())
    ends = (Status.COMPLETED, Status.DEAD)
    days = min(times.shortest(status, Part.REQUEST) for status in ends)
    if hour < now - timedelta(days=days):
        expected = f"expected one that has a report, or one of the last {days:g} days: older orders are removed"
        raise InvalidInputError("hour", expected)


def _write(path: Path, page: str) -> None:
    try:
        path.write_text(page, "utf-8")
    except OSError as error:
        expected = f"expected a file that can be written: {error.strerror}"
        raise InvalidInputError("--html", expected) from None
    print_status(f"written to {path}")
