"""The page and the table on the terminal."""

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from bench.engine.figures import POSTGRES, ROWS, SQLITE
from bench.engine.outcome import Judged, Outcome, Result, compare
from bench.engine.rush import format_thousand_section
from bench.engine.statistics import Verdict
from bench.engine.words import format_amount, format_cell, format_ratio

_PAGE = Path(__file__).with_name("page.md")
_STYLES = {Verdict.AIM: "green", Verdict.FLOOR: "yellow", Verdict.MISSED: "bold red"}


def format_page(result: Result) -> str:
    """Format the page as Markdown."""
    loads = ", ".join(
        f"{one.title} {one.load[0]:.1f} → {one.load[1]:.1f}" for one in result.outcomes
    )
    machine = _format_markdown(["", ""], [[name, told] for name, told in result.machine.items()])
    return _PAGE.read_text().format(
        figures=_format_figures(result),
        goals=_format_goals(result.judge()),
        ratios=_format_ratios(result),
        thousand=format_thousand_section(),
        machine=machine,
        measured=result.measured,
        minutes=result.minutes,
        loads=loads,
    )


def _format_figures(result: Result) -> str:
    head = ["", *(outcome.title for outcome in result.outcomes)]
    rows = [
        [
            row.title,
            *(format_cell(row, outcome.figures.get(row.key)) for outcome in result.outcomes),
        ]
        for row in ROWS
    ]
    return _format_markdown(head, rows)


def _format_goals(judged: Sequence[Judged]) -> str:
    return _format_markdown(
        ["", "system", "measured", "floor", "aim", ""], [_format_goal(one) for one in judged]
    )


def _format_goal(one: Judged) -> list[str]:
    told = one.figure
    details = ", ".join(part for part in (told.of, told.note) if part) if told else ""
    measured = format_cell(one.row, told) + (
        f" ({details})" if told and told.value is not None else ""
    )
    bounds = [format_amount(bound, one.row.unit) for bound in (one.goal.floor, one.goal.aim)]
    return [one.row.title, one.outcome.title, measured, *bounds, one.verdict.value]


def _format_ratios(result: Result) -> str:
    ours = [one for one in result.outcomes if one.name in (POSTGRES, SQLITE)]
    others = [one for one in result.outcomes if one not in ours]
    rows = [
        [
            f"{row.title}: {mine.title}",
            *(format_ratio(compare(row, mine, other)) for other in others),
        ]
        for row in ROWS
        for mine in ours
        if any(compare(row, mine, other) for other in others)
    ]
    return _format_markdown(["", *(other.title for other in others)], rows)


def _format_markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def build_figures_table(result: Result) -> Table:
    """Build the figures as a terminal table."""
    table = Table(title="medians")
    table.add_column("")
    for outcome in result.outcomes:
        table.add_column(outcome.title, justify="right")
    for row in ROWS:
        table.add_row(
            row.title, *(format_cell(row, one.figures.get(row.key)) for one in result.outcomes)
        )
    return table


def build_goals_table(judged: Sequence[Judged]) -> Table:
    """Build the goals and what was reached as a terminal table."""
    table = Table("", "system", "measured", "floor", "aim", "", title="goals")
    for one in judged:
        *cells, verdict = _format_goal(one)
        table.add_row(*cells, f"[{_STYLES[one.verdict]}]{verdict}[/]")
    return table


def build_ratios_table(result: Result) -> Table | None:
    """Build our ratios to the other systems as a terminal table; return None if nothing can be compared."""
    ours = [one for one in result.outcomes if one.name in (POSTGRES, SQLITE)]
    others: list[Outcome] = [one for one in result.outcomes if one not in ours]
    if not ours or not others:
        return None
    table = Table("", *(other.title for other in others), title="how many times better")
    for row in ROWS:
        for mine in ours:
            told = [compare(row, mine, other) for other in others]
            if any(told):
                table.add_row(f"{row.title}: {mine.title}", *map(format_ratio, told))
    return table
