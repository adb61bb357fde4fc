"""The page in Markdown, and tables and bars on the terminal."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from bench.engine.figures import Row
from bench.engine.outcome import Judged, Outcome, compare
from bench.engine.statistics import Verdict
from bench.engine.words import format_amount, format_cell, format_ratio
from bench.scan.figures import PUBLISHED, ROWS, judge
from bench.scan.side import SOURCE

_PAGE = Path(__file__).with_name("page.md")
_STYLES = {Verdict.AIM: "green", Verdict.FLOOR: "yellow", Verdict.MISSED: "bold red"}
_BARS = ("reward_0", "overhead_0", "rate_800", "broker_each", "memory_each")
_WIDTH = 40


@dataclass(frozen=True)
class Size:
    """How much was asked: scans alone, streams at once, threads of each of the source's workers."""

    scans: int
    streams: int
    slots: int


@dataclass(frozen=True)
class Report:
    """A whole run."""

    measured: str
    minutes: float
    machine: Mapping[str, str]
    broker: str
    size: Size
    outcomes: Sequence[Outcome]

    def as_json(self) -> dict[str, Any]:
        """Return all results as JSON values."""
        goals = [
            {"row": one.row.key, "system": one.outcome.name, "verdict": one.verdict.value}
            for one in judge(self.outcomes)
        ]
        return {**asdict(self), "published": PUBLISHED, "goals": goals}


def format_page(report: Report) -> str:
    """Format the page as Markdown."""
    failures = [
        (one.title, trouble.partition("\n")[0])
        for one in report.outcomes
        for trouble in one.troubles
    ]
    loads = [f"{one.title} {one.load[0]:.1f} → {one.load[1]:.1f}" for one in report.outcomes]
    return _PAGE.read_text().format(
        figures=_format_markdown(_build_head(report.outcomes), build_figure_rows(report.outcomes)),
        goals=_format_markdown(_GOALS, [_format_goal(one) for one in judge(report.outcomes)]),
        ratios=_format_markdown(
            ["", f"times better than the {SOURCE} design"], build_ratio_rows(report.outcomes)
        ),
        machine=_format_markdown(
            ["", ""], [[name, value] for name, value in report.machine.items()]
        ),
        troubles="".join(f"\n\n**{title} failed: {trouble}**" for title, trouble in failures),
        loads=", ".join(loads),
        broker=report.broker,
        **asdict(report.size),
        measured=report.measured,
        minutes=report.minutes,
    )


_GOALS = ["", "system", "measured", "floor", "aim", ""]


def _build_head(outcomes: Sequence[Outcome]) -> list[str]:
    return ["", *(one.title for one in outcomes), "published by the source"]


def build_figure_rows(outcomes: Sequence[Outcome]) -> list[list[str]]:
    """Build one line a row: the figure of each system, and the published one."""
    return [
        [
            row.title,
            *(format_cell(row, one.figures.get(row.key)) for one in outcomes),
            PUBLISHED.get(row.key, ""),
        ]
        for row in ROWS
    ]


def build_ratio_rows(outcomes: Sequence[Outcome]) -> list[list[str]]:
    """Build our ratios to the source design, for the rows in which both have a figure."""
    source = next((one for one in outcomes if one.name == SOURCE), None)
    if source is None:
        return []
    return [
        [f"{row.title}: {mine.title}", format_ratio(compared)]
        for row in ROWS
        for mine in outcomes
        if mine is not source and (compared := compare(row, mine, source)) is not None
    ]


def _format_goal(one: Judged) -> list[str]:
    of = f" ({one.figure.of})" if one.figure and one.figure.of else ""
    bounds = [format_amount(bound, one.row.unit) for bound in (one.goal.floor, one.goal.aim)]
    measured = format_cell(one.row, one.figure) + of
    return [one.row.title, one.outcome.title, measured, *bounds, one.verdict.value]


def _format_markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return "Nothing to compare."
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def build_tables(report: Report) -> list[Table]:
    """Build the figures, the ratios and the goals as terminal tables."""
    figures = Table(
        *_build_head(report.outcomes),
        title=f"{report.size.scans} scans, {report.size.streams} streams",
    )
    for line in build_figure_rows(report.outcomes):
        figures.add_row(*line)
    ratios = Table("", "", title="how many times better than the source design")
    for line in build_ratio_rows(report.outcomes):
        ratios.add_row(*line)
    goals = Table(*_GOALS, title="goals")
    for one in judge(report.outcomes):
        *cells, verdict = _format_goal(one)
        goals.add_row(*cells, f"[{_STYLES[one.verdict]}]{verdict}[/]")
    return [table for table in (figures, ratios, goals) if table.row_count]


def draw_bars(outcomes: Sequence[Outcome]) -> list[Text]:
    """Draw some rows as bars, one a system; castad's is coloured."""
    lines = []
    for row in ROWS:
        values = [(one, figure.value) for one in outcomes if (figure := one.figures.get(row.key))]
        known = [(one, value) for one, value in values if value is not None]
        if row.key in _BARS and known:
            lines += [Text(f"\n{_name_direction(row)}"), *_draw_row(row, known)]
    return lines


def _name_direction(row: Row) -> str:
    return f"{row.title} ({'more' if row.more else 'less'} is better)"


def _draw_row(row: Row, values: Sequence[tuple[Outcome, float]]) -> list[Text]:
    most = max(value for _, value in values)
    return [
        Text.assemble(
            f"  {one.title:<26}",
            (draw_bar(value, most), "dim" if one.name == SOURCE else "red"),
            f" {format_amount(value, row.unit)}",
        )
        for one, value in values
    ]


def draw_bar(value: float, most: float) -> str:
    """Draw a bar whose length is relative to `most`; any positive value is visible."""
    if value <= 0 or most <= 0:
        return ""
    return "█" * max(1, round(_WIDTH * value / most))
