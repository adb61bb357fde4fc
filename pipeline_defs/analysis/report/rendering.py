"""The words of a report, and what shows an analysis by them: an HTML page, and tables for a terminal. Pure."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from pipeline_defs.analysis.counting.found import CaseStatus
from pipeline_defs.analysis.report.analysis import Analysis, FrameworkCount
from resources.files.markup import escape_invisible, render_page

ReportWords = Mapping[str, Any]
"""Headings, labels and the names of every status, reason and remark."""
_TABLES = tomllib.loads(Path(__file__).with_name("report_words.toml").read_text("utf-8"))
ENGLISH: ReportWords = _TABLES["en"]
KOREAN: ReportWords = _TABLES["ko"]

STATUS_COLOURS = {
    CaseStatus.ACTIVE: "#2da44e",
    CaseStatus.SKIPPED: "#8c959f",
    CaseStatus.TODO: "#bf8700",
    CaseStatus.XFAIL: "#8250df",
    CaseStatus.FOCUSED: "#cf222e",
}
_UNITS = ("B", "kB", "MB", "GB")


def format_number(number: int) -> str:
    """Format 1234567 as 1,234,567."""
    return f"{number:,}"


def format_percent(share: float) -> str:
    """Format with one decimal; a positive share below 0.05 is "< 0.1 %"."""
    return "< 0.1 %" if 0 < share < 0.05 else f"{share:.1f} %"


def format_size(bytes_: int) -> str:
    """Format 1234567 as 1.2 MB."""
    value, unit = float(bytes_), _UNITS[0]
    for next_unit in _UNITS[1:]:
        if value < 999.95:
            break
        value, unit = value / 1000, next_unit
    return f"{bytes_} B" if unit == "B" else f"{value:.1f} {unit}"


def build_html_page(analysis: Analysis, name: str, revision: str, words: ReportWords) -> str:
    """Build the page about the repository `name` at `revision`."""

    def list_status_parts(count: FrameworkCount) -> list[tuple[int, str]]:
        return [(count.statuses.get(status, 0), STATUS_COLOURS[status]) for status in CaseStatus]

    def describe_statuses(count: FrameworkCount) -> str:
        numbers = [(status, count.statuses.get(status, 0)) for status in CaseStatus]
        shown = (
            f"{words['statuses'][status]} {format_number(each)}" for status, each in numbers if each
        )
        return ", ".join(shown)

    totals = {
        status: sum(each.statuses.get(status, 0) for each in analysis.tests)
        for status in CaseStatus
    }
    shares = analysis.languages
    return render_page(
        Path(__file__).with_name("analysis_page.html"),
        name,
        words["html_language"],
        analysis=analysis,
        revision=revision,
        words=words,
        shares=[(share.bytes, share.colour) for share in shares],
        shares_label=", ".join(f"{each.name} {format_percent(each.percent)}" for each in shares),
        status_parts=list_status_parts,
        status_label=describe_statuses,
        totals=[
            (STATUS_COLOURS[status], f"{words['statuses'][status]} {format_number(number)}")
            for status, number in totals.items()
            if number
        ],
        number=format_number,
        percent=format_percent,
        size=format_size,
    )


_MOST_ROWS = 8
_BAR_CELLS = 20
_Row = Sequence[str | Text]


def build_terminal_report(
    analysis: Analysis, name: str, revision: str, words: ReportWords
) -> RenderableType:
    """Build the tables about the repository `name` at `revision`."""
    parts: list[Text | Table] = [
        _build_title(analysis, name, revision, words),
        _build_languages(analysis, words),
    ]
    if analysis.tests:
        parts.append(_build_tests(analysis, words))
    if analysis.untested_folders:
        folders = [
            (each.path, format_number(each.files), format_number(each.code_lines))
            for each in analysis.untested_folders
        ]
        parts.append(_build_table(words, ("untested_folders", ">files", ">code"), folders))
    largest = [
        (each.path, each.language or "", format_number(each.lines), format_size(each.bytes))
        for each in analysis.largest_files
    ]
    parts.append(_build_table(words, ("largest_files", "language", ">lines", ">size"), largest))
    if analysis.remarks:
        remarks = [
            (words["remark_names"][each.remark], format_number(each.count), each.examples[0])
            for each in analysis.remarks
        ]
        parts.append(_build_table(words, ("remarks", ">count", "examples"), remarks))
    spaced: list[Text | Table] = [part for each in parts for part in (each, Text())]
    return Group(*spaced)


def _build_title(analysis: Analysis, name: str, revision: str, words: ReportWords) -> Text:
    facts = (
        f"{format_number(analysis.files)} {words['files']}",
        format_size(analysis.bytes),
        f"{words['code']} {format_number(analysis.lines.code)}",
        f"{words['tests']} {format_number(analysis.test_count)}",
    )
    return Text.assemble(
        (escape_invisible(name), "bold"),
        (f" {escape_invisible(revision)}\n", "dim"),
        "  ·  ".join(facts),
    )


def _build_languages(analysis: Analysis, words: ReportWords) -> Table:
    rows: list[_Row] = [
        (
            Text.assemble(("● ", share.colour), escape_invisible(share.name)),
            Text("█" * round(share.percent / 100 * _BAR_CELLS), share.colour),
            format_percent(share.percent),
            *map(format_number, (share.files, *share.lines.model_dump().values())),
        )
        for share in analysis.languages
    ]
    heads = ("languages", "", ">share", ">files", ">code", ">comment", ">blank")
    return _build_table(words, heads, rows)


def _build_tests(analysis: Analysis, words: ReportWords) -> Table:
    statuses = [
        each for each in CaseStatus if any(count.statuses.get(each) for count in analysis.tests)
    ]
    rows: list[_Row] = [
        (
            count.framework,
            format_number(count.files),
            format_number(count.tests),
            *(
                Text(format_number(count.statuses.get(status, 0)), STATUS_COLOURS[status])
                for status in statuses
            ),
        )
        for count in analysis.tests
    ]
    named = {**words, **words["statuses"]}
    heads = ("tests", ">files", ">tests", *(f">{status}" for status in statuses))
    return _build_table(named, heads, rows)


def _build_table(words: ReportWords, heads: Sequence[str], rows: Sequence[_Row]) -> Table:
    """Build a table of the first rows; a head names its word, and is aligned right after a `>`."""
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    for head in heads:
        name = head.removeprefix(">")
        justify: Literal["left", "right"] = "left" if name == head else "right"
        table.add_column(words[name] if name else "", justify=justify, overflow="fold")
    for row in rows[:_MOST_ROWS]:
        table.add_row(
            *(Text(escape_invisible(cell)) if isinstance(cell, str) else cell for cell in row)
        )
    if len(rows) > _MOST_ROWS:
        table.add_row(Text(f"… {len(rows) - _MOST_ROWS}", "dim"))
    return table
