"""Build an HTML page of an analysis. Pure."""

from markupsafe import Markup

from pipeline_defs.analysis.counting.found import CaseStatus
from pipeline_defs.analysis.measuring.files import LeftOut
from pipeline_defs.analysis.reading.members import MemberRemark
from pipeline_defs.analysis.report.analysis import Analysis, FrameworkCount
from pipeline_defs.analysis.report.report_words import (
    STATUS_COLOURS,
    ReportWords,
    format_number,
    format_percent,
    format_size,
)
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

_BAR_COLOUR = "#0969da"


def build_html_page(analysis: Analysis, name: str, revision: str, words: ReportWords) -> str:
    """Build the page about the repository `name` at `revision`."""
    return build_page(
        name,
        words.html_language,
        build_note(revision, "revision"),
        _build_tiles(analysis, words),
        build_section(words.languages, _build_languages(analysis, words)),
        build_section(words.tests, _build_tests(analysis, words)),
        build_section(words.untested_folders, _build_untested(analysis, words)),
        build_section(words.largest_files, _build_largest(analysis, words)),
        build_section(words.left_out, _build_left_out(analysis, words)),
        build_section(words.remarks, _build_remarks(analysis, words)),
    )


def _build_tiles(analysis: Analysis, words: ReportWords) -> Markup:
    pairs = (
        (words.files, format_number(analysis.files)),
        (words.size, format_size(analysis.bytes)),
        (words.code, format_number(analysis.lines.code)),
        (words.comment, format_number(analysis.lines.comment)),
        (words.blank, format_number(analysis.lines.blank)),
        (words.tests, format_number(analysis.test_count)),
        (words.test_files, format_number(len(analysis.test_files))),
    )
    return build_tiles(pairs)


def _build_languages(analysis: Analysis, words: ReportWords) -> Markup:
    shares = analysis.languages
    label = ", ".join(f"{share.name} {format_percent(share.percent)}" for share in shares)
    total = sum(share.bytes for share in shares)
    rows = [
        (
            ("name", build_swatch(share.colour, share.name)),
            ("number", format_percent(share.percent)),
            ("number", format_size(share.bytes)),
            ("number", format_number(share.files)),
            ("number", format_number(share.lines.code)),
            ("number", format_number(share.lines.comment)),
            ("number", format_number(share.lines.blank)),
        )
        for share in shares
    ]
    heads = (words.language, words.share, words.size, words.files)
    shown = build_table((*heads, words.code, words.comment, words.blank), rows, words.nothing)
    whole_bar = build_bar([(share.bytes, share.colour) for share in shares], total, label, "all")
    return join_parts(whole_bar, shown) if shares else shown


def _build_tests(analysis: Analysis, words: ReportWords) -> Markup:
    most = max((count.tests for count in analysis.tests), default=0)
    rows = [
        (
            ("", count.framework),
            ("number", format_number(count.files)),
            ("number", format_number(count.tests)),
            ("drawn", _build_status_bar(count, most, words)),
        )
        for count in analysis.tests
    ]
    shown = build_table((words.framework, words.files, words.tests, ""), rows, words.nothing)
    totals = {
        status: sum(each.statuses.get(status, 0) for each in analysis.tests)
        for status in CaseStatus
    }
    colours = [
        (STATUS_COLOURS[status], f"{words.statuses[status]} {format_number(number)}")
        for status, number in totals.items()
        if number
    ]
    return join_parts(shown, build_legend(colours)) if colours else shown


def _build_status_bar(count: FrameworkCount, most: int, words: ReportWords) -> Markup:
    numbers = [(status, count.statuses.get(status, 0)) for status in CaseStatus]
    label = ", ".join(
        f"{words.statuses[status]} {format_number(number)}" for status, number in numbers if number
    )
    return build_bar([(number, STATUS_COLOURS[status]) for status, number in numbers], most, label)


def _build_untested(analysis: Analysis, words: ReportWords) -> Markup:
    most = max((folder.code_lines for folder in analysis.untested_folders), default=0)
    rows = [
        (
            ("path", folder.path),
            ("number", format_number(folder.files)),
            ("number", format_number(folder.code_lines)),
            (
                "drawn",
                build_bar(
                    [(folder.code_lines, _BAR_COLOUR)], most, format_number(folder.code_lines)
                ),
            ),
        )
        for folder in analysis.untested_folders
    ]
    shown = build_table((words.path, words.files, words.code, ""), rows, words.nothing)
    more = analysis.untested_folder_count - len(rows)
    return (
        join_parts(shown, build_note(words.and_more.format(count=format_number(more)), "none"))
        if more
        else shown
    )


def _build_largest(analysis: Analysis, words: ReportWords) -> Markup:
    most = max((file.bytes for file in analysis.largest_files), default=0)
    rows = [
        (
            ("path", file.path),
            ("", file.language or ""),
            ("number", format_number(file.lines)),
            ("number", format_size(file.bytes)),
            ("drawn", build_bar([(file.bytes, _BAR_COLOUR)], most, format_size(file.bytes))),
        )
        for file in analysis.largest_files
    ]
    return build_table(
        (words.path, words.language, words.lines, words.size, ""), rows, words.nothing
    )


def _build_left_out(analysis: Analysis, words: ReportWords) -> Markup:
    rows = [
        (
            ("", words.reasons[LeftOut(count.reason)]),
            ("number", format_number(count.files)),
            ("number", format_size(count.bytes)),
        )
        for count in analysis.left_out
    ]
    return build_table((words.reason, words.files, words.size), rows, words.nothing)


def _build_remarks(analysis: Analysis, words: ReportWords) -> Markup:
    rows = [
        (
            ("", words.remark_names[MemberRemark(count.remark)]),
            ("number", format_number(count.count)),
            ("path", ", ".join(count.examples)),
        )
        for count in analysis.remarks
    ]
    return build_table((words.remarks, words.count, words.examples), rows, words.nothing)
