"""Build tables of an analysis for a terminal. Pure."""

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from pipeline_defs.analysis.counting.found import CaseStatus
from pipeline_defs.analysis.reading.members import MemberRemark
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
        parts.append(_build_untested(analysis, words))
    parts.append(_build_largest(analysis, words))
    if analysis.remarks:
        parts.append(_build_remarks(analysis, words))
    spaced: list[Text | Table] = [part for each in parts for part in (each, Text())]
    return Group(*spaced)


def _build_title(analysis: Analysis, name: str, revision: str, words: ReportWords) -> Text:
    facts = (
        f"{format_number(analysis.files)} {words.files}",
        format_size(analysis.bytes),
        f"{words.code} {format_number(analysis.lines.code)}",
        f"{words.tests} {format_number(analysis.test_count)}",
    )
    return Text.assemble(
        (escape_invisible(name), "bold"),
        (f" {escape_invisible(revision)}\n", "dim"),
        "  ·  ".join(facts),
    )


def _build_languages(analysis: Analysis, words: ReportWords) -> Table:
    rows = [
        (
            Text.assemble(("● ", share.colour), escape_invisible(share.name)),
            Text("█" * round(share.percent / 100 * _BAR_CELLS), share.colour),
            format_percent(share.percent),
            format_number(share.files),
            format_number(share.lines.code),
            format_number(share.lines.comment),
            format_number(share.lines.blank),
        )
        for share in analysis.languages
    ]
    heads = ("", ">" + words.share, ">" + words.files)
    numbers = (">" + words.code, ">" + words.comment, ">" + words.blank)
    return _build_table((words.languages, *heads, *numbers), rows)


def _build_tests(analysis: Analysis, words: ReportWords) -> Table:
    statuses = [
        each for each in CaseStatus if any(count.statuses.get(each) for count in analysis.tests)
    ]
    rows: list[Sequence[str | Text]] = [
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
    heads = (words.tests, ">" + words.files, ">" + words.tests)
    return _build_table((*heads, *(">" + words.statuses[status] for status in statuses)), rows)


def _build_untested(analysis: Analysis, words: ReportWords) -> Table:
    rows = [
        (folder.path, format_number(folder.files), format_number(folder.code_lines))
        for folder in analysis.untested_folders
    ]
    return _build_table((words.untested_folders, ">" + words.files, ">" + words.code), rows)


def _build_largest(analysis: Analysis, words: ReportWords) -> Table:
    rows = [
        (file.path, file.language or "", format_number(file.lines), format_size(file.bytes))
        for file in analysis.largest_files
    ]
    return _build_table(
        (words.largest_files, words.language, ">" + words.lines, ">" + words.size), rows
    )


def _build_remarks(analysis: Analysis, words: ReportWords) -> Table:
    rows = [
        (
            words.remark_names[MemberRemark(count.remark)],
            format_number(count.count),
            count.examples[0],
        )
        for count in analysis.remarks
    ]
    return _build_table((words.remarks, ">" + words.count, words.examples), rows)


def _build_table(heads: Iterable[str], rows: Sequence[Iterable[str | Text]]) -> Table:
    """Build a table of the first rows; a head that begins with `>` is aligned right."""
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    for head in heads:
        is_number = head.startswith(">")
        table.add_column(
            head.removeprefix(">"), justify="right" if is_number else "left", overflow="fold"
        )
    for row in rows[:_MOST_ROWS]:
        table.add_row(
            *(Text(escape_invisible(cell)) if isinstance(cell, str) else cell for cell in row)
        )
    if len(rows) > _MOST_ROWS:
        table.add_row(Text(f"… {len(rows) - _MOST_ROWS}", "dim"))
    return table
