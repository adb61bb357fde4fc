"""The report of an hour as JSON and as CSV. Pure."""

import csv
import unicodedata
from collections.abc import Sequence
from io import StringIO
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from resources.files.markup import escape_invisible
from resources.ledger.queries.statistics import HourlyReport, ReportedHour, StageFigures, Unusual
from resources.views.json_types import LedgerText, Timestamp
from resources.views.order_body import usd
from sensors.hour_report import format_codes, format_hour

_EXAMPLE: dict[str, Any] = {
    "hour": "2026-01-02T03",
    "made_at": "2026-01-02T04:03:00.678Z",
    "stages": [
        {
            **{"pipeline": "song_video", "stage": "song", "count": 41, "completed": 40},
            **{"failed": 1, "failure_rate": 0.024390, "retries": 1},
            **{"p50_seconds": 148.0, "p95_seconds": 612.5, "max_seconds": 640.1},
            **{"cost_usd": 4.92, "codes": {"provider_unavailable": 1}},
            "unusual": [
                {
                    **{"figure": "p95_seconds", "value": 612.5, "usual": 190.4},
                    **{"margin": 66.6, "days": 7},
                }
            ],
        }
    ],
}
_HOURS_EXAMPLE: dict[str, Any] = {
    "hours": [{"hour": "2026-01-02T03", "count": 123, "failed": 1, "cost_usd": 4.92, "unusual": 1}],
    "next": "2026-01-02T03",
}
_NAMES = {"p50": "p50_seconds", "p95": "p95_seconds", "cost": "cost_usd"}
_COLUMNS = (
    *("hour", "pipeline", "stage", "completed", "failed", "failure_rate", "retries"),
    *("p50_seconds", "p95_seconds", "max_seconds", "cost_usd", "codes", "unusual"),
)
# A spreadsheet takes a text that begins so for a formula, some also where it is written in full width.
_FORMULA = ("=", "+", "-", "@")


class UnusualFigure(BaseModel):
    """A figure that is farther from what is usual than the margin, judged by so many of the last seven days."""

    figure: str
    value: float
    usual: float
    margin: float
    days: int


class ReportedStage(BaseModel):
    """A stage in the hour; seconds are those of completed stages, from their first start to their end."""

    pipeline: LedgerText
    stage: LedgerText | None = Field(
        description="null for what failed before the first stage of its order"
    )
    count: int = Field(description="`completed` and `failed` together")
    completed: int
    failed: int = Field(description="Attempts that failed, also where a retry follows")
    failure_rate: float | None
    retries: int = Field(description="Failures that a retry follows")
    p50_seconds: float | None
    p95_seconds: float | None
    max_seconds: float | None
    cost_usd: float = Field(description="What the submissions made in the hour were charged")
    codes: dict[LedgerText, int] = Field(description="The failures by error code")
    unusual: list[UnusualFigure]


class ReportBody(BaseModel):
    """The report of an hour, which is in UTC."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    hour: str
    made_at: Timestamp
    stages: list[ReportedStage]


class HourBody(BaseModel):
    """An hour that has a report; `unusual` is the number of stages with an unusual figure."""

    hour: str
    count: int
    failed: int
    cost_usd: float
    unusual: int

    @classmethod
    def of(cls, reported: ReportedHour) -> "HourBody":
        """The body of a listed hour."""
        return cls(
            hour=format_hour(reported.hour),
            count=reported.count,
            failed=reported.failed,
            cost_usd=usd(reported.cost),
            unusual=reported.unusual,
        )


class HoursPage(BaseModel):
    """The hours that have a report, the newest first; `next` is the `before` of the next page."""

    model_config = ConfigDict(json_schema_extra={"examples": [_HOURS_EXAMPLE]})

    hours: list[HourBody]
    next: str | None


def report_body(report: HourlyReport) -> ReportBody:
    """The report as JSON."""
    return ReportBody(
        hour=format_hour(report.hour),
        made_at=report.made_at,
        stages=[_stage(figures) for figures in report.stages],
    )


def _stage(figures: StageFigures) -> ReportedStage:
    rate = figures.failure_rate
    return ReportedStage(
        pipeline=figures.pipeline,
        stage=figures.stage or None,
        count=figures.count,
        completed=figures.completed,
        failed=figures.failed,
        failure_rate=None if rate is None else round(rate, 6),
        retries=figures.retries,
        p50_seconds=figures.p50,
        p95_seconds=figures.p95,
        max_seconds=figures.longest,
        cost_usd=usd(figures.cost),
        codes=dict(figures.codes),
        unusual=[_unusual(each) for each in figures.unusual],
    )


def _unusual(unusual: Unusual) -> UnusualFigure:
    unit = 1_000_000 if unusual.figure == "cost" else 1
    return UnusualFigure(
        figure=_NAMES.get(unusual.figure, unusual.figure),
        value=unusual.value / unit,
        usual=unusual.usual / unit,
        margin=unusual.margin / unit,
        days=unusual.days,
    )


def report_csv(report: HourlyReport) -> str:
    """The report as CSV: a line for each stage, below the names of the columns."""
    text = StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(_COLUMNS)
    body = report_body(report)
    for stage, figures in zip(body.stages, report.stages, strict=True):
        values = {"hour": body.hour, **stage.model_dump()}
        values["codes"] = format_codes(figures.codes)
        values["unusual"] = ", ".join(each.figure for each in stage.unusual)
        lines.writerow(_cells([values[column] for column in _COLUMNS]))
    return text.getvalue()


def _cells(values: Sequence[Any]) -> list[Any]:
    return [_harmless(value) if isinstance(value, str) else value for value in values]


def _harmless(text: str) -> str:
    begins_formula = unicodedata.normalize("NFKC", text[:1]).startswith(_FORMULA)
    return f"'{escape_invisible(text)}" if begins_formula else escape_invisible(text)
