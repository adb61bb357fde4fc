"""Build tables of an analysis for a terminal. Pure."""

from collections.abc import Sequence
from typing import Literal

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from pipeline_defs.analysis.counting.found import CaseStatus
from pipeline_defs.analysis.report.analysis import Analysis
from pipeline_defs.analysis.report.report_words import (
    STATUS_COLOURS,
    ReportWords,
    format_number,
    format_percent,
    format_size,
)
from resources.files.markup import escape_invisible

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
