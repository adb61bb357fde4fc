"""An analysis as one HTML page. Pure."""

from markupsafe import Markup

from pipeline_defs.analysis.counting.found import CaseStatus
from pipeline_defs.analysis.measuring.files import LeftOut
from pipeline_defs.analysis.reading.members import MemberRemark
from pipeline_defs.analysis.report.analysis import Analysis, FrameworkCount
from pipeline_defs.analysis.report.report_words import (
    STATUS_COLOURS,
    ReportWords,
    percent,
    size,
    whole,
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


def html_page(analysis: Analysis, name: str, revision: str, words: ReportWords) -> str:
    """The page about the repository `name` at `revision`."""
    return build_page(
        name,
        words.html_language,
        build_note(revision, "revision"),
        _tiles(analysis, words),
        build_section(words.languages, _languages(analysis, words)),
        build_section(words.tests, _tests(analysis, words)),
        build_section(words.untested_folders, _untested(analysis, words)),
        build_section(words.largest_files, _largest(analysis, words)),
        build_section(words.left_out, _left_out(analysis, words)),
        build_section(words.remarks, _remarks(analysis, words)),
    )


def _tiles(analysis: Analysis, words: ReportWords) -> Markup:
    pairs = (
        (words.files, whole(analysis.files)),
        (words.size, size(analysis.bytes)),
        (words.code, whole(analysis.lines.code)),
        (words.comment, whole(analysis.lines.comment)),
        (words.blank, whole(analysis.lines.blank)),
        (words.tests, whole(analysis.test_count)),
        (words.test_files, whole(len(analysis.test_files))),
    )
    return build_tiles(pairs)


def _languages(analysis: Analysis, words: ReportWords) -> Markup:
    shares = analysis.languages
    label = ", ".join(f"{share.name} {percent(share.percent)}" for share in shares)
    total = sum(share.bytes for share in shares)
    rows = [
        (
            ("name", build_swatch(share.colour, share.name)),
            ("number", percent(share.percent)),
            ("number", size(share.bytes)),
            ("number", whole(share.files)),
            ("number", whole(share.lines.code)),
            ("number", whole(share.lines.comment)),
            ("number", whole(share.lines.blank)),
        )
        for share in shares
    ]
    heads = (words.language, words.share, words.size, words.files)
    shown = build_table((*heads, words.code, words.comment, words.blank), rows, words.nothing)
    whole_bar = build_bar([(share.bytes, share.colour) for share in shares], total, label, "all")
    return join_parts(whole_bar, shown) if shares else shown


def _tests(analysis: Analysis, words: ReportWords) -> Markup:
    most = max((count.tests for count in analysis.tests), default=0)
    rows = [
        (
            ("", count.framework),
            ("number", whole(count.files)),
            ("number", whole(count.tests)),
            ("drawn", _status_bar(count, most, words)),
        )
        for count in analysis.tests
    ]
    shown = build_table((words.framework, words.files, words.tests, ""), rows, words.nothing)
    totals = {
        status: sum(each.statuses.get(status, 0) for each in analysis.tests)
        for status in CaseStatus
    }
    colours = [
        (STATUS_COLOURS[status], f"{words.statuses[status]} {whole(number)}")
        for status, number in totals.items()
        if number
    ]
    return join_parts(shown, build_legend(colours)) if colours else shown


def _status_bar(count: FrameworkCount, most: int, words: ReportWords) -> Markup:
    numbers = [(status, count.statuses.get(status, 0)) for status in CaseStatus]
    label = ", ".join(
        f"{words.statuses[status]} {whole(number)}" for status, number in numbers if number
    )
    return build_bar([(number, STATUS_COLOURS[status]) for status, number in numbers], most, label)


def _untested(analysis: Analysis, words: ReportWords) -> Markup:
    most = max((folder.code_lines for folder in analysis.untested_folders), default=0)
    rows = [
        (
            ("path", folder.path),
            ("number", whole(folder.files)),
            ("number", whole(folder.code_lines)),
            (
                "drawn",
                build_bar([(folder.code_lines, _BAR_COLOUR)], most, whole(folder.code_lines)),
            ),
        )
        for folder in analysis.untested_folders
    ]
    shown = build_table((words.path, words.files, words.code, ""), rows, words.nothing)
    more = analysis.untested_folder_count - len(rows)
    return (
        join_parts(shown, build_note(words.and_more.format(count=whole(more)), "none"))
        if more
        else shown
    )


def _largest(analysis: Analysis, words: ReportWords) -> Markup:
    most = max((file.bytes for file in analysis.largest_files), default=0)
    rows = [
        (
            ("path", file.path),
            ("", file.language or ""),
            ("number", whole(file.lines)),
            ("number", size(file.bytes)),
            ("drawn", build_bar([(file.bytes, _BAR_COLOUR)], most, size(file.bytes))),
        )
        for file in analysis.largest_files
    ]
    return build_table(
        (words.path, words.language, words.lines, words.size, ""), rows, words.nothing
    )


def _left_out(analysis: Analysis, words: ReportWords) -> Markup:
    rows = [
        (
            ("", words.reasons[LeftOut(count.reason)]),
            ("number", whole(count.files)),
            ("number", size(count.bytes)),
        )
        for count in analysis.left_out
    ]
    return build_table((words.reason, words.files, words.size), rows, words.nothing)


def _remarks(analysis: Analysis, words: ReportWords) -> Markup:
    rows = [
        (
            ("", words.remark_names[MemberRemark(count.remark)]),
            ("number", whole(count.count)),
            ("path", ", ".join(count.examples)),
        )
        for count in analysis.remarks
    ]
    return build_table((words.remarks, words.count, words.examples), rows, words.nothing)
