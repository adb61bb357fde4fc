"""A report as Markdown with a chart, for Dagster's catalog. Pure."""

from collections.abc import Sequence

from resources.files.html.chart import ChartRow, chart, data_uri
from resources.files.html.markup import Markup, visible
from resources.ledger.queries.event_text import as_markdown
from resources.ledger.queries.hourly_reports import StageFigures
from sensors.reports.values import codes_text, stage_name, unusual_text, value_text

COMPLETED_COLOUR, FAILED_COLOUR = "#2da44e", "#cf222e"
_HEADS = ("stage", "ended", "failed", "retries", "p50", "p95", "longest", "cost", "codes")
_TOGETHER = "\N{NO-BREAK SPACE}"
_UNUSUAL = "{value}, usually {usual} ± {margin} ({days} days)"


def report_markdown(stages: Sequence[StageFigures]) -> str:
    """The chart, the table, and what is unusual."""
    lines = [
        f"![chart]({data_uri(report_chart(stages))})",
        "",
        _line(_HEADS),
        _line(["---", *["---:"] * (len(_HEADS) - 2), "---"]),
        *(_line(_cells(figures)) for figures in stages),
    ]
    unusual = [
        f"- **{_escaped(stage_name(figures))}**, {each.figure}: {unusual_text(each, _UNUSUAL)}"
        for figures in stages
        for each in figures.unusual
    ]
    return "\n".join([*lines, *(["", "Unusual:", "", *unusual] if unusual else [])])


def report_chart(stages: Sequence[StageFigures]) -> Markup:
    """What was completed and what failed, by stage."""
    rows = [
        ChartRow(
            stage_name(figures),
            [(figures.completed, COMPLETED_COLOUR), (figures.failed, FAILED_COLOUR)],
            f"{figures.count:,}" + (f", {figures.failed:,} failed" if figures.failed else ""),
        )
        for figures in stages
    ]
    return chart(rows, "completed and failed executions by stage")


def _cells(figures: StageFigures) -> list[str]:
    seconds = [value_text(name, getattr(figures, name)) for name in ("p50", "p95", "longest")]
    rate = f" ({figures.failure_rate:.1%})" if figures.failed and figures.failure_rate else ""
    cost = value_text("cost", figures.cost) if figures.cost else ""
    counts = (f"{figures.count:,}", f"{figures.failed:,}{rate}", f"{figures.retries:,}")
    numbers = [text.replace(" ", _TOGETHER) for text in (*counts, *seconds, cost)]
    return [_escaped(stage_name(figures)), *numbers, _escaped(codes_text(figures.codes))]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    return as_markdown(visible(text))
