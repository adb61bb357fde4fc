"""The report of an hour: as JSON, CSV, an HTML page and tables for a terminal."""

import csv
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from io import StringIO
from typing import Any

from markupsafe import Markup
from pydantic import BaseModel, ConfigDict, Field
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from resources.files.markup import (
    build_bar,
    build_legend,
    build_note,
    build_page,
    build_section,
    build_swatch,
    build_table,
    build_tiles,
    escape_invisible,
    join_parts,
)
from resources.ledger.queries.statistics import HourlyReport, ReportedHour, StageFigures, Unusual
from resources.process.configure_logging import format_utc
from resources.views.order_body import usd
from resources.views.text import LedgerText, Timestamp
from sensors.hour_report import (
    COMPLETED_COLOUR,
    FAILED_COLOUR,
    HOUR,
    format_codes,
    format_hour,
    format_stage_name,
    format_unusual,
    format_value,
)

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


@dataclass(frozen=True)
class Words:
    """Headings, labels, and the name of every figure that may be unusual."""

    html_language: str
    title: str
    made_at: str
    stages: str
    stage: str
    count: str
    completed: str
    failed: str
    failure_rate: str
    retries: str
    seconds: str
    p50: str
    p95: str
    longest: str
    cost: str
    codes: str
    code: str
    unusual: str
    value: str
    usual: str
    usual_range: str
    nothing: str

    @property
    def figures(self) -> Mapping[str, str]:
        """The names of the figures that may be unusual."""
        names = ("count", "failure_rate", "retries", "p50", "p95", "cost")
        return {name: getattr(self, name) for name in names}


ENGLISH = Words(
    html_language="en",
    title="Report of {date}, {begin}:00 to {end}:00 UTC",
    made_at="made at {at}",
    stages="Stages",
    stage="Stage",
    count="Ended",
    completed="Completed",
    failed="Failed",
    failure_rate="Failure rate",
    retries="Retries",
    seconds="Seconds per completed stage",
    p50="Half within",
    p95="95 % within",
    longest="Longest",
    cost="Cost",
    codes="Failures by code",
    code="Code",
    unusual="Unusual, beside the same hour of the last seven days",
    value="This hour",
    usual="Usual",
    usual_range="{usual} ± {margin} ({days} days)",
    nothing="None",
)

KOREAN = Words(
    html_language="ko",
    title="{date} {begin}시~{end}시 보고서 (UTC)",
    made_at="작성 {at}",
    stages="단계",
    stage="단계",
    count="종료",
    completed="완료",
    failed="실패",
    failure_rate="실패율",
    retries="재시도",
    seconds="완료된 단계의 소요 시간(초)",
    p50="중앙값",
    p95="95 %",
    longest="최대",
    cost="비용",
    codes="오류 코드별 실패",
    code="코드",
    unusual="지난 7일 같은 시간대와 다른 점",
    value="이번 시간",
    usual="평소",
    usual_range="{usual} ± {margin} ({days}일)",
    nothing="없음",
)


_SECONDS_COLOURS = ("#0969da", "#54aeff", "#b6e3ff")
_UNUSUAL_COLOUR = "#bf8700"


def report_title(report: HourlyReport, words: Words) -> str:
    """The hour, as a heading."""
    begin = report.hour.astimezone(UTC)
    hours = {"begin": f"{begin:%H}", "end": f"{begin + HOUR:%H}"}
    return words.title.format(date=f"{begin:%Y-%m-%d}", **hours)


def report_page(report: HourlyReport, words: Words) -> str:
    """The page of the report."""
    return build_page(
        report_title(report, words),
        words.html_language,
        build_note(words.made_at.format(at=format_utc(report.made_at)), "revision"),
        _tiles(report, words),
        build_section(words.unusual, _list_unusual(report, words)),
        build_section(words.stages, _tabulate_stages(report, words)),
        build_section(words.seconds, _seconds(report, words)),
        build_section(words.codes, _codes(report, words)),
    )


def _tiles(report: HourlyReport, words: Words) -> Markup:
    stages = report.stages
    count, failed = sum(each.count for each in stages), sum(each.failed for each in stages)
    return build_tiles(
        (
            (words.count, f"{count:,}"),
            (words.failed, f"{failed:,}"),
            (words.failure_rate, format_value("failure_rate", failed / count) if count else "–"),
            (words.retries, f"{sum(each.retries for each in stages):,}"),
            (f"{words.cost} (USD)", f"{sum(each.cost for each in stages) / 1_000_000:,.2f}"),
        )
    )


def _list_unusual(report: HourlyReport, words: Words) -> Markup:
    rows = [
        (
            ("name", build_swatch(_UNUSUAL_COLOUR, format_stage_name(figures))),
            ("", words.figures.get(each.figure, each.figure)),
            ("number", format_value(each.figure, each.value)),
            ("number", format_unusual(each, words.usual_range)),
        )
        for figures in report.stages
        for each in figures.unusual
    ]
    return build_table((words.stage, "", words.value, words.usual), rows, words.nothing)


def _tabulate_stages(report: HourlyReport, words: Words) -> Markup:
    most = max((figures.count for figures in report.stages), default=0)
    rows = [
        (
            ("name", format_stage_name(figures)),
            ("number", f"{figures.completed:,}"),
            ("number", f"{figures.failed:,}"),
            ("number", format_value("failure_rate", figures.failure_rate)),
            ("number", f"{figures.retries:,}"),
            ("number", format_value("cost", figures.cost) if figures.cost else ""),
            ("drawn", _outcome_bar(figures, most, words)),
        )
        for figures in report.stages
    ]
    heads = (words.stage, words.completed, words.failed, words.failure_rate, words.retries)
    shown = build_table((*heads, words.cost, ""), rows, words.nothing)
    colours = ((COMPLETED_COLOUR, words.completed), (FAILED_COLOUR, words.failed))
    return join_parts(shown, build_legend(colours))


def _outcome_bar(figures: StageFigures, most: int, words: Words) -> Markup:
    label = f"{words.completed} {figures.completed:,}, {words.failed} {figures.failed:,}"
    parts = [(figures.completed, COMPLETED_COLOUR), (figures.failed, FAILED_COLOUR)]
    return build_bar(parts, most, label)


def _seconds(report: HourlyReport, words: Words) -> Markup:
    longest = max((figures.longest or 0.0 for figures in report.stages), default=0.0)
    rows = []
    for figures in report.stages:
        if figures.p50 is None or figures.p95 is None or figures.longest is None:
            continue
        names = ("p50", "p95", "longest")
        texts = [format_value(name, getattr(figures, name)) for name in names]
        steps = (figures.p50, figures.p95 - figures.p50, figures.longest - figures.p95)
        drawn = build_bar(
            list(zip(steps, _SECONDS_COLOURS, strict=True)), longest, ", ".join(texts)
        )
        rows.append(
            (
                ("name", format_stage_name(figures)),
                *(("number", text) for text in texts),
                ("drawn", drawn),
            )
        )
    labels = (words.p50, words.p95, words.longest)
    shown = build_table((words.stage, *labels, ""), rows, words.nothing)
    return (
        join_parts(shown, build_legend(zip(_SECONDS_COLOURS, labels, strict=True)))
        if rows
        else shown
    )


def _codes(report: HourlyReport, words: Words) -> Markup:
    counted: Counter[tuple[str, str]] = Counter()
    for figures in report.stages:
        for code, count in figures.codes.items():
            counted[code, format_stage_name(figures)] += count
    most = max(counted.values(), default=0)
    rows = [
        (
            ("path", code),
            ("name", stage),
            ("number", f"{count:,}"),
            ("drawn", build_bar([(count, FAILED_COLOUR)], most, f"{count:,}")),
        )
        for (code, stage), count in sorted(counted.items(), key=lambda each: (-each[1], each[0]))
    ]
    return build_table((words.code, words.stage, words.failed, ""), rows, words.nothing)


_BAR_CELLS = 20


def report_view(report: HourlyReport, words: Words) -> RenderableType:
    """The figures by stage, and below them what is unusual."""
    parts: list[RenderableType] = [Text(report_title(report, words), style="bold"), Text()]
    parts.append(_stages(report, words))
    if any(figures.unusual for figures in report.stages):
        parts += [Text(), Text(words.unusual, style="bold"), _describe_unusual(report, words)]
    return Group(*parts)


def _stages(report: HourlyReport, words: Words) -> Table:
    most = max((figures.count for figures in report.stages), default=0)
    heads = (words.count, words.failed, words.failure_rate, words.retries, words.p50, words.p95)
    numbers = (*heads, words.longest, words.cost)
    table = _table(words.stage, "", *(f">{head}" for head in numbers), words.code)
    for figures in report.stages:
        table.add_row(
            _plain(format_stage_name(figures)),
            _bar(figures, most),
            f"{figures.count:,}",
            Text(f"{figures.failed:,}", "red" if figures.failed else ""),
            format_value("failure_rate", figures.failure_rate),
            f"{figures.retries:,}",
            *(format_value(name, getattr(figures, name)) for name in ("p50", "p95", "longest")),
            format_value("cost", figures.cost) if figures.cost else "",
            _plain(format_codes(figures.codes)),
        )
    return table


def _bar(figures: StageFigures, most: int) -> Text:
    """At least one cell for what there is."""
    counts = ((figures.completed, "green"), (figures.failed, "red"))
    cells = [
        (max(1, round(count / most * _BAR_CELLS)) if count else 0, colour)
        for count, colour in counts
    ]
    return Text.assemble(*(("█" * number, colour) for number, colour in cells))


def _describe_unusual(report: HourlyReport, words: Words) -> Table:
    table = _table(words.stage, "", f">{words.value}", f">{words.usual}")
    for figures in report.stages:
        for each in figures.unusual:
            table.add_row(
                _plain(format_stage_name(figures)),
                words.figures.get(each.figure, each.figure),
                Text(format_value(each.figure, each.value), "yellow"),
                format_unusual(each, words.usual_range),
            )
    return table


def _table(*heads: str) -> Table:
    """A head that begins with `>` is over numbers."""
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    for head in heads:
        justify = "right" if head.startswith(">") else "left"
        table.add_column(head.removeprefix(">"), justify=justify, overflow="fold")  # type: ignore[arg-type]
    return table


def _plain(text: str) -> Text:
    return Text(escape_invisible(text))
