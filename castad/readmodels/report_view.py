"""The report of an hour as tables for a terminal. Pure."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from castad.readmodels.report_page import report_title
from castad.readmodels.report_words import Words
from resources.files.markup import escape_invisible
from resources.ledger.queries.statistics import HourlyReport, StageFigures
from sensors.hour_report import format_codes, format_stage_name, format_unusual, format_value

_BAR_CELLS = 20


def report_view(report: HourlyReport, words: Words) -> RenderableType:
    """The figures by stage, and below them what is unusual."""
    parts: list[RenderableType] = [Text(report_title(report, words), style="bold"), Text()]
    parts.append(_stages(report, words))
    if any(figures.unusual for figures in report.stages):
        parts += [Text(), Text(words.unusual, style="bold"), _unusual(report, words)]
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


def _unusual(report: HourlyReport, words: Words) -> Table:
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
