"""The report of an hour as one model, and that model as CSV, Markdown and an HTML page."""

import csv
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from resources.files.markup import escape_invisible, render_page
from resources.ledger.queries.hours import (
    HourlyReport,
    ReportedHour,
    StageFigures,
    Unusual,
)
from resources.process.configure_logging import format_utc
from resources.views.order_body import to_dollars
from resources.views.text import LedgerText, Timestamp, as_markdown

HOUR = timedelta(hours=1)
FIGURES = (
    *("count", "failed", "failure_rate", "retries"),
    *("p50_seconds", "p95_seconds", "max_seconds", "cost_usd"),
)
"""The figures of a stage that every table shows, in their order."""
_COLUMNS = (
    *("hour", "pipeline", "stage", "completed", "failed", "failure_rate", "retries"),
    *("p50_seconds", "p95_seconds", "max_seconds", "cost_usd", "codes", "unusual"),
)
_NAMES = {"p50": "p50_seconds", "p95": "p95_seconds", "cost": "cost_usd"}
_FOLDER = Path(__file__).parent
_NO_BREAK = "\N{NO-BREAK SPACE}"
# A spreadsheet takes a text that begins so for a formula, some also where it is written in full width.
_FORMULA = ("=", "+", "-", "@")
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
Language = Literal["en", "ko"]
Words = Mapping[str, str]


class UnusualFigure(BaseModel):
    """A figure that is farther from what is usual than the margin, judged by `days` of the last seven days."""

    figure: str
    value: float
    usual: float
    margin: float
    days: int

    @classmethod
    def of(cls, stored: Unusual) -> Self:
        """Build the figure from a stored one; money is stored in micro-dollars."""
        unit = 1_000_000 if stored.figure == "cost" else 1
        return cls(
            figure=_NAMES.get(stored.figure, stored.figure),
            value=stored.value / unit,
            usual=stored.usual / unit,
            margin=stored.margin / unit,
            days=stored.days,
        )

    def describe_usual(self, template: str) -> str:
        """Fill the template's fields `usual`, `margin` and `days`."""
        usual, margin = (format_figure(self.figure, each) for each in (self.usual, self.margin))
        return template.format(usual=usual, margin=margin, days=self.days)


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

    @classmethod
    def of(cls, figures: StageFigures) -> Self:
        """Build the stage from its stored figures."""
        rate = figures.failure_rate
        return cls(
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
            cost_usd=to_dollars(figures.cost),
            codes=dict(figures.codes),
            unusual=[UnusualFigure.of(each) for each in figures.unusual],
        )

    @property
    def name(self) -> str:
        """The stage as `song_video/lyric`; only the pipeline if no stage had begun."""
        return "/".join(name for name in (self.pipeline, self.stage) if name)

    def format_figures(self) -> list[str]:
        """Format the value of each of FIGURES with its unit."""
        return [self.format_figure(name) for name in FIGURES]

    def format_figure(self, name: str) -> str:
        """Format the value of this figure with its unit; "" where nothing was charged."""
        value = getattr(self, name)
        return "" if name == "cost_usd" and not value else format_figure(name, value)

    def format_codes(self) -> str:
        """Format the error codes with their counts, the most frequent first."""
        ordered = sorted(self.codes.items(), key=lambda code: (-code[1], code[0]))
        return ", ".join(f"{code} {count:,}" for code, count in ordered)


class ReportBody(BaseModel):
    """The report of an hour, which is in UTC."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    hour: str
    made_at: Timestamp
    stages: list[ReportedStage]

    def format_title(self, words: Words) -> str:
        """Format the title, which names the hour."""
        date, _, begin = self.hour.partition("T")
        return words["title"].format(date=date, begin=begin, end=f"{(int(begin) + 1) % 24:02}")


class HourBody(BaseModel):
    """An hour that has a report; `unusual` is the number of stages with an unusual figure."""

    hour: str
    count: int
    failed: int
    cost_usd: float
    unusual: int

    @classmethod
    def of(cls, reported: ReportedHour) -> Self:
        """Build the body of a listed hour."""
        return cls(
            hour=format_hour(reported.hour),
            count=reported.count,
            failed=reported.failed,
            cost_usd=to_dollars(reported.cost),
            unusual=reported.unusual,
        )


class HoursPage(BaseModel):
    """The hours that have a report, the newest first; `next` is the `before` of the next page."""

    model_config = ConfigDict(json_schema_extra={"examples": [_HOURS_EXAMPLE]})

    hours: list[HourBody]
    next: str | None


def format_hour(hour: datetime) -> str:
    """Format the hour in UTC as 2030-01-31T09."""
    return hour.astimezone(UTC).strftime("%Y-%m-%dT%H")


def format_figure(name: str, value: float | None) -> str:
    """Format the value of a figure such as `p50_seconds` with its unit; "" for None."""
    if value is None:
        return ""
    if name.endswith("_seconds"):
        return f"{value:,.1f} s"
    if name == "failure_rate":
        return f"{value:.1%}"
    if name == "cost_usd":
        return f"{value:,.4f} USD"
    return f"{value:,.0f}"


@cache
def load_words(language: Language) -> Words:
    """Load the headings and labels of reports, and the names of figures, in one language."""
    words: Words = tomllib.loads((_FOLDER / "report.toml").read_text("utf-8"))[language]
    return words


def build_report(report: HourlyReport) -> ReportBody:
    """Build the report that every face shows from the stored one."""
    return ReportBody(
        hour=format_hour(report.hour),
        made_at=report.made_at,
        stages=[ReportedStage.of(each) for each in report.stages],
    )


def list_unusual(stages: Sequence[ReportedStage]) -> list[tuple[ReportedStage, UnusualFigure]]:
    """List each unusual figure with its stage."""
    return [(stage, figure) for stage in stages for figure in stage.unusual]


def format_csv(report: ReportBody) -> str:
    """Format the report as CSV: a line for each stage, below the names of the columns."""
    text = StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(_COLUMNS)
    for stage in report.stages:
        values = {"hour": report.hour, **stage.model_dump(), "codes": stage.format_codes()}
        values["unusual"] = ", ".join(each.figure for each in stage.unusual)
        cells = [values[column] for column in _COLUMNS]
        lines.writerow([_escape_cell(each) if isinstance(each, str) else each for each in cells])
    return text.getvalue()


def _escape_cell(text: str) -> str:
    begins_formula = unicodedata.normalize("NFKC", text[:1]).startswith(_FORMULA)
    return f"'{escape_invisible(text)}" if begins_formula else escape_invisible(text)


def format_markdown(stages: Sequence[ReportedStage]) -> str:
    """Format the stages of a report as a Markdown table, and the unusual figures as a list below it."""
    rows = [
        ("stage", *(name.replace("_", " ") for name in FIGURES), "codes"),
        ("---", *("---:" for _ in FIGURES), "---"),
    ]
    for stage in stages:
        figures = (each.replace(" ", _NO_BREAK) for each in stage.format_figures())
        rows.append((_escape(stage.name), *figures, _escape(stage.format_codes())))
    usual = "usually {usual} ± {margin} ({days} days)"
    unusual = [
        f"- **{_escape(stage.name)}**, {figure.figure}: {format_figure(figure.figure, figure.value)}, "
        f"{figure.describe_usual(usual)}"
        for stage, figure in list_unusual(stages)
    ]
    return "\n".join([*(f"| {' | '.join(row)} |" for row in rows), "", *unusual]).rstrip()


def _escape(text: str) -> str:
    """Escape the text for a Markdown table, without invisible characters."""
    return as_markdown(escape_invisible(text))


def render_report(report: ReportBody, language: Language) -> str:
    """Render the report as an HTML page."""
    words = load_words(language)
    counts = [
        (count, code, stage.name) for stage in report.stages for code, count in stage.codes.items()
    ]
    return render_page(
        _FOLDER / "report.html",
        report.format_title(words),
        language,
        report=report,
        unusual=list_unusual(report.stages),
        words=words,
        made_at=format_utc(report.made_at),
        codes=sorted(counts, key=lambda each: (-each[0], *each[1:])),
        format_figure=format_figure,
    )
