"""The report of an hour as one HTML page. Pure."""

from collections import Counter
from datetime import UTC

from markupsafe import Markup

from castad.readmodels.report_words import Words
from resources.files.markup import (
    build_bar,
    build_legend,
    build_note,
    build_page,
    build_section,
    build_swatch,
    build_table,
    build_tiles,
    join_parts,
)
from resources.ledger.queries.statistics import HourlyReport, StageFigures
from resources.process.configure_logging import format_utc
from sensors.hour_report import (
    COMPLETED_COLOUR,
    FAILED_COLOUR,
    HOUR,
    format_stage_name,
    format_unusual,
    format_value,
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
        build_section(words.unusual, _unusual(report, words)),
        build_section(words.stages, _stages(report, words)),
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


def _unusual(report: HourlyReport, words: Words) -> Markup:
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


def _stages(report: HourlyReport, words: Words) -> Markup:
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
