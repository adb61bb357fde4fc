"""Routes of the hourly reports. They read what is stored; the schedule makes it."""

from enum import StrEnum
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from castad.api.auth import AdminScopedKey
from castad.api.problems import ApiError, problem_responses
from castad.api.replies import json_reply
from castad.api.state import Api, ApiDep
from castad.readmodels.report import (
    ENGLISH,
    KOREAN,
    HourBody,
    HoursPage,
    ReportBody,
    report_body,
    report_csv,
    report_page,
)
from resources.files.markup import POLICY
from resources.ledger.queries.statistics import HourlyReport, find_report, list_reported_hours
from resources.ledger.queries.status import read_clock
from sensors.hour_report import format_hour, parse_hour

router = APIRouter(prefix="/reports", tags=["service"])
_NO_SNIFF = {"X-Content-Type-Options": "nosniff"}
_PAGE_HEADERS = {**_NO_SNIFF, "Content-Security-Policy": f"{POLICY}; sandbox"}


class ReportFormat(StrEnum):
    """How a report is returned."""

    JSON = "json"
    CSV = "csv"
    HTML = "html"


class ReportLanguage(StrEnum):
    """The language of a report's page."""

    ENGLISH = "en"
    KOREAN = "ko"


@router.get(
    "",
    response_model=HoursPage,
    responses=problem_responses(401, 403, 422, 429, 503),
    summary="List the hours that have a report",
)
def hours(
    api: ApiDep,
    key: AdminScopedKey,
    limit: Annotated[int, Query(ge=1, le=1000, description="Hours per page")] = 168,
    before: Annotated[
        str | None, Query(max_length=20, description="Only hours before this one")
    ] = None,
) -> Response:
    """A page of hours, the newest first."""
    until = None if before is None else parse_hour(before, read_clock(api.db))
    found = list_reported_hours(api.db, limit=limit + 1, before=until)
    more = format_hour(found[limit - 1].hour) if len(found) > limit else None
    return json_reply(HoursPage(hours=[HourBody.of(each) for each in found[:limit]], next=more))


@router.get(
    "/{hour}",
    response_model=ReportBody,
    responses={
        200: {
            "content": {
                "text/csv": {"schema": {"type": "string"}},
                "text/html": {"schema": {"type": "string"}},
            }
        },
        **problem_responses(401, 403, 404, 422, 429, 503),
    },
    summary="Read the report of an hour",
)
def report(
    hour: str,
    api: ApiDep,
    key: AdminScopedKey,
    format: Annotated[ReportFormat, Query(description="json, csv or html")] = ReportFormat.JSON,
    language: Annotated[
        ReportLanguage, Query(description="The language of the page: en or ko")
    ] = ReportLanguage.ENGLISH,
) -> Response:
    """The figures of a closed hour in UTC, such as 2026-01-31T14; -1 is the last one."""
    found = _find(api, hour)
    if format is ReportFormat.CSV:
        name = f"report-{found.hour:%Y%m%dT%H}.csv"
        headers = {**_NO_SNIFF, "Content-Disposition": f'attachment; filename="{name}"'}
        return Response(report_csv(found), headers=headers, media_type="text/csv")
    if format is ReportFormat.HTML:
        words = KOREAN if language is ReportLanguage.KOREAN else ENGLISH
        content = report_page(found, words)
        return Response(content, headers=_PAGE_HEADERS, media_type="text/html")
    return json_reply(report_body(found))


def _find(api: Api, hour: str) -> HourlyReport:
    begin = parse_hour(hour, read_clock(api.db))
    found = find_report(api.db, begin)
    if found is None:
        message = f"hour: there is no report of {format_hour(begin)}; GET /reports lists the hours that have one"
        raise ApiError(HTTPStatus.NOT_FOUND, "unknown_report", message, field="hour")
    return found
