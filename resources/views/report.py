"""The report of an hour as one model, and that model as rows, CSV, Markdown and an HTML page."""

import csv
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field

from resources.files.markup import escape_invisible, render_page
from resources.ledger.queries.hours import HourlyReport, ReportedHour
from resources.views.order_body import to_dollars
from resources.views.text import LedgerText, Timestamp, example

HOUR = timedelta(hours=1)
FIGURES = (
    *("count", "failed", "failure_rate", "retries"),
    *("p50_seconds", "p95_seconds", "max_seconds", "cost_usd"),
)
"""The figures of a stage that every table shows, in their order."""
_CSV_COLUMNS = ("hour", "pipeline", "stage", "completed", *FIGURES[1:], "codes", "unusual")
_STORED = {"p50_seconds": "p50", "p95_seconds": "p95", "max_seconds": "longest", "cost_usd": "cost"}
"""The ledger's name of a figure, where it has another; its cost is in micro-dollars."""
_NAMES = {stored: name for name, stored in _STORED.items()}
_FOLDER = Path(__file__).parent
# A spreadsheet takes a text that begins so for a formula, some also where it is written in full width.
_FORMULA = ("=", "+", "-", "@")
_STAGE = {"pipeline": "song_video", "stage": "song", "count": 41, "completed": 40, "failed": 1}
_TIMES = {"p50_seconds": 148.0, "p95_seconds": 612.5, "max_seconds": 640.1, "cost_usd": 4.92}
_SLOW = {"figure": "p95_seconds", "value": 612.5, "usual": 190.4, "margin": 66.6, "days": 7}
_CODES = {"failure_rate": 0.02439, "retries": 1, "codes": {"timeout": 1}, "unusual": [_SLOW]}
_SUMS = {"hour": "2026-01-02T03", "count": 123, "failed": 1, "cost_usd": 4.92, "unusual": 1}
Language = Literal["en", "ko"]
Words = Mapping[str, str]


class UnusualFigure(BaseModel):
    """A figure that is farther from what is usual than the margin, judged by `days` of the last seven days."""

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

    @property
    def name(self) -> str:
        """The stage as `song_video/lyric`; only the pipeline if no stage had begun."""
        return escape_invisible("/".join(name for name in (self.pipeline, self.stage) if name))

    def format_row(self) -> list[str]:
        """Format the name, the value of each of FIGURES with its unit, and the codes, most frequent first."""
        values = {**vars(self), "cost_usd": self.cost_usd or None}
        codes = sorted(self.codes.items(), key=lambda code: (-code[1], code[0]))
        shown = ", ".join(f"{escape_invisible(code)} {count:,}" for code, count in codes)
        return [self.name, *(format_figure(name, values[name]) for name in FIGURES), shown]


class ReportBody(BaseModel):
    """The report of an hour, which is in UTC; the running hour is not `finished`."""

    model_config = example(
        hour="2026-01-02T03",
        made_at="2026-01-02T04:03:00.678Z",
        finished=True,
        stages=[{**_STAGE, **_TIMES, **_CODES}],
    )

    hour: str
    made_at: Timestamp
    finished: bool
    stages: list[ReportedStage]

    @property
    def totals(self) -> dict[str, float]:
        """The figures of all stages together."""
        names = ("count", "failed", "retries", "cost_usd")
        sums = {name: sum(getattr(each, name) for each in self.stages) for name in names}
        rate = round(sums["failed"] / sums["count"], 4) if sums["count"] else 0.0
        return {**sums, "failure_rate": rate}


class HourBody(BaseModel):
    """An hour that has a report; `unusual` is the number of stages with an unusual figure."""

    hour: str
    count: int
    failed: int
    cost_usd: float
    unusual: int


class HoursPage(BaseModel):
    """The hours that have a report, the newest first; `next` is the `before` of the next page."""

    model_config = example(hours=[_SUMS], next="2026-01-02T03")

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
    return f"{value:,.4f} USD" if name == "cost_usd" else f"{value:,.0f}"


@cache
def load_words(language: Language) -> Words:
    """Load the headings and labels of reports, and the names of figures, in one language."""
    texts = tomllib.loads((_FOLDER / "report.toml").read_text("utf-8"))
    return {name: text[language] for name, text in texts.items()}


def build_report(stored: HourlyReport) -> ReportBody:
    """Build the report that every face shows from the ledger's."""
    stages = []
    for each in stored.stages:
        figures = {name: getattr(each, _STORED.get(name, name)) for name in FIGURES}
        figures |= {"failure_rate": each.failure_rate and round(each.failure_rate, 6)}
        figures |= {"cost_usd": to_dollars(each.cost), "completed": each.completed}
        unusual = []
        for found in each.unusual:
            unit = 1_000_000 if found.figure == "cost" else 1
            amounts = {name: getattr(found, name) / unit for name in ("value", "usual", "margin")}
            name = _NAMES.get(found.figure, found.figure)
            unusual.append(UnusualFigure(figure=name, days=found.days, **amounts))
        named = {"pipeline": each.pipeline, "stage": each.stage or None, "codes": dict(each.codes)}
        stages.append(ReportedStage(**named, **figures, unusual=unusual))
    is_finished = stored.made_at >= stored.hour + HOUR
    return ReportBody(
        hour=format_hour(stored.hour), made_at=stored.made_at, finished=is_finished, stages=stages
    )


def build_hours_page(found: Sequence[ReportedHour], limit: int) -> HoursPage:
    """Build a page of `limit` hours from one hour more, if there is one."""
    hours = [
        HourBody(**{**vars(each), "hour": format_hour(each.hour)}, cost_usd=to_dollars(each.cost))
        for each in found[:limit]
    ]
    return HoursPage(hours=hours, next=hours[-1].hour if len(found) > limit else None)


def format_title(report: ReportBody, words: Words) -> str:
    """Format the title, which names the hour."""
    date, _, begin = report.hour.partition("T")
    return words["title"].format(date=date, begin=begin, end=f"{(int(begin) + 1) % 24:02}")


def describe_time(report: ReportBody, words: Words) -> str:
    """Describe when the report was made, and that the hour is not finished if it is not."""
    at = f"{report.made_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return words["made_at" if report.finished else "unfinished"].format(at=at)


def list_heads(words: Words) -> list[str]:
    """List the heads of the columns of `format_row`."""
    return [words[name] for name in ("stage", *FIGURES, "codes")]


def describe_unusual(report: ReportBody, words: Words) -> list[str]:
    """Describe each unusual figure in a line: the stage, the value, and how usual it would be."""
    lines = []
    pairs = [(stage, each) for stage in report.stages for each in stage.unusual]
    for stage, each in pairs:
        value, usual, margin = (
            format_figure(each.figure, amount) for amount in (each.value, each.usual, each.margin)
        )
        shown = words["usual_range"].format(usual=usual, margin=margin, days=each.days)
        lines.append(f"{stage.name}, {words.get(each.figure, each.figure)}: {value}, {shown}")
    return lines


def format_csv(report: ReportBody) -> str:
    """Format the report as CSV: a line for each stage, below the names of the columns."""
    text = StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(_CSV_COLUMNS)
    for stage in report.stages:
        unusual = ", ".join(each.figure for each in stage.unusual)
        texts = {"hour": report.hour, "codes": stage.format_row()[-1], "unusual": unusual}
        values = {**stage.model_dump(), **texts}
        lines.writerow(_escape_cell(values[column]) for column in _CSV_COLUMNS)
    return text.getvalue()


def _escape_cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    begins_formula = unicodedata.normalize("NFKC", value[:1]).startswith(_FORMULA)
    return f"'{escape_invisible(value)}" if begins_formula else escape_invisible(value)


def list_page_values(report: ReportBody, language: Language) -> dict[str, Any]:
    """List what the template `report.html` shows."""
    words = load_words(language)
    values = {"report": report, "words": words, "heads": list_heads(words)}
    values |= {"unusual": describe_unusual(report, words), "made_at": describe_time(report, words)}
    return {**values, "format_figure": format_figure}


def render_report(report: ReportBody, language: Language) -> str:
    """Render the report as an HTML page that needs no other file."""
    values = list_page_values(report, language)
    title = format_title(report, values["words"])
    return render_page(_FOLDER / "report.html", title, language, **values)
