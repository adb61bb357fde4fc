"""The hourly report at the command line and over HTTP."""

import csv
import io
import json

import pytest

from pipeline_defs.catalog import get_catalog
from resources.files.markup import POLICY
from resources.ledger.db.database import open_database
from resources.ledger.queries.hours import StageFigures
from resources.ledger.queries.status import read_clock
from resources.ledger.transitions.housekeeping import save_report
from resources.process.settings import settings
from resources.views.report import HOUR, format_hour
from sensors.hour_report import find_last_closed
from tests.command_line import castad

USUAL = StageFigures("song_video", "lyric", completed=3, failed=1, codes={"timeout": 1})


@pytest.mark.usefixtures("sqlite_ledger_url")
def test_command_makes_the_report_that_nobody_has_made():
    done = castad("report", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    names = [name for pipeline in get_catalog() for name in pipeline.stage_names]
    assert [stage["stage"] for stage in told["stages"]] == names
    assert castad("report", told["hour"], "--json").stdout == done.stdout


@pytest.mark.usefixtures("sqlite_ledger_url")
def test_command_shows_what_is_stored_in_every_form(tmp_path):
    db = open_database(settings().ledger_url)
    hour = find_last_closed(read_clock(db)) - HOUR
    save_report(db, hour, [USUAL])
    page = tmp_path / "report.html"
    table = castad("report", format_hour(hour), "--html", str(page), "--korean")
    assert (table.returncode, table.stderr) == (0, f"written to {page}\n")
    assert "timeout 1" in table.stdout
    assert '<html lang="ko">' in page.read_text()
    [line] = csv.DictReader(io.StringIO(castad("report", format_hour(hour), "--csv").stdout))
    assert (line["hour"], line["completed"], line["failure_rate"]) == (
        format_hour(hour),
        "3",
        "0.25",
    )


@pytest.mark.usefixtures("sqlite_ledger_url")
@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("--csv", "--json"), "--csv"),
        (("tomorrow",), "hour"),
        (("-0",), "hour"),
        (("2020-01-31T09",), "hour"),
        (("--html", "."), "--html"),
    ],
)
def test_command_refuses_in_one_sentence(arguments, field):
    done = castad("report", *arguments)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"castad: {field}: expected")


def test_api_lists_the_hours_and_pages_through_them(house):
    last = find_last_closed(read_clock(house.db))
    for back in range(3):
        save_report(house.db, last - HOUR * back, [USUAL])
    admin = house.admin()
    first = admin.get("/v1/reports", params={"limit": 2}).json()
    assert [each["hour"] for each in first["hours"]] == [
        format_hour(last),
        format_hour(last - HOUR),
    ]
    assert first["hours"][0] == {
        **{"hour": format_hour(last), "count": 4, "failed": 1, "cost_usd": 0.0, "unusual": 0}
    }
    rest = admin.get("/v1/reports", params={"before": first["next"]}).json()
    assert ([each["hour"] for each in rest["hours"]], rest["next"]) == (
        [format_hour(last - 2 * HOUR)],
        None,
    )


def test_api_returns_a_report_as_json_csv_and_page(house):
    last = find_last_closed(read_clock(house.db))
    save_report(house.db, last, [USUAL])
    admin, path = house.admin(), f"/v1/reports/{format_hour(last)}"
    assert admin.get(path).json()["stages"][0]["codes"] == {"timeout": 1}
    as_csv = admin.get(path, params={"format": "csv"})
    assert as_csv.headers["content-disposition"].startswith('attachment; filename="report-')
    assert as_csv.text.count("\n") == 2
    page = admin.get(path, params={"format": "html", "language": "ko"})
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["content-security-policy"] == f"{POLICY}; sandbox"
    assert '<html lang="ko">' in page.text


def test_running_hour_is_read_alike_over_http_and_at_the_command_line(house):
    read = house.admin().get("/v1/reports/now").json()
    assert not read["finished"]
    assert [each["stage"] for each in read["stages"]] == [
        name for pipeline in get_catalog() for name in pipeline.stage_names
    ]
    printed = json.loads(castad("report", "now", "--json").stdout)
    assert (printed["finished"], printed["stages"]) == (False, read["stages"])


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [("-1", 404, "unknown_report"), ("-99", 404, "unknown_report"), ("soon", 422, "invalid_input")],
)
def test_api_says_which_hour_has_no_report(house, path, status, code):
    answer = house.admin().get(f"/v1/reports/{path}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["field"] == "hour"


def test_api_shows_reports_to_admins_only(house):
    for path in ("/v1/reports", "/v1/reports/-1"):
        assert house.as_("shop").get(path).json()["code"] == "missing_scope"
