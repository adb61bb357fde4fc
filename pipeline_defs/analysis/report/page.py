"""An analysis as one HTML page: no script, nothing from elsewhere, readable in light and dark. Pure."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from pipeline_defs.analysis.counting.found import Status
from pipeline_defs.analysis.measuring.files import LeftOut
from pipeline_defs.analysis.reading.members import Remark
from pipeline_defs.analysis.report.analysis import Analysis, FrameworkCount
from pipeline_defs.analysis.report.bars import bar, swatch
from pipeline_defs.analysis.report.figures import STATUS_COLOURS, percent, size, whole
from pipeline_defs.analysis.report.markup import Markup, element, joined
from pipeline_defs.analysis.report.words import Words

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_BAR_COLOUR = "#0969da"

Cell = tuple[str, str]
"""A class and the content."""


def html_page(analysis: Analysis, name: str, revision: str, words: Words) -> str:
    """The page about the repository `name` at `revision`."""
    head = joined(
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        element("title", name),
        element("style", _style()),
    )
    body = element(
        "body",
        element("h1", name),
        element("p", revision, class_="revision"),
        _tiles(analysis, words),
        _section(words.languages, _languages(analysis, words)),
        _section(words.tests, _tests(analysis, words)),
        _section(words.untested_folders, _untested(analysis, words)),
        _section(words.largest_files, _largest(analysis, words)),
        _section(words.left_out, _left_out(analysis, words)),
        _section(words.remarks, _remarks(analysis, words)),
    )
    page = element("html", element("head", head), body, lang=words.html_language)
    return f"<!doctype html>\n{page}\n"


@cache
def _style() -> Markup:
    return Markup(Path(__file__).with_name("report.css").read_text("utf-8"))


def _section(title: str, content: Markup) -> Markup:
    return element("section", element("h2", title), content)


def _tiles(analysis: Analysis, words: Words) -> Markup:
    tiles = (
        (words.files, whole(analysis.files)),
        (words.size, size(analysis.bytes)),
        (words.code, whole(analysis.lines.code)),
        (words.comment, whole(analysis.lines.comment)),
        (words.blank, whole(analysis.lines.blank)),
        (words.tests, whole(analysis.test_count)),
        (words.test_files, whole(len(analysis.test_files))),
    )
    pairs = [element("div", element("dt", label), element("dd", value)) for label, value in tiles]
    return element("dl", *pairs, class_="tiles")


def _languages(analysis: Analysis, words: Words) -> Markup:
    shares = analysis.languages
    label = ", ".join(f"{share.name} {percent(share.percent)}" for share in shares)
    total = sum(share.bytes for share in shares)
    rows = [
        (
            ("name", joined(swatch(share.colour), share.name)),
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
    table = _table((*heads, words.code, words.comment, words.blank), rows, words)
    whole_bar = bar([(share.bytes, share.colour) for share in shares], total, label, "all")
    return joined(whole_bar, table) if shares else table


def _tests(analysis: Analysis, words: Words) -> Markup:
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
    table = _table((words.framework, words.files, words.tests, ""), rows, words)
    totals = {
        status: sum(each.statuses.get(status, 0) for each in analysis.tests) for status in Status
    }
    legend = [
        element("li", swatch(STATUS_COLOURS[status]), f"{words.statuses[status]} {whole(number)}")
        for status, number in totals.items()
        if number
    ]
    return joined(table, element("ul", *legend, class_="legend")) if legend else table


def _status_bar(count: FrameworkCount, most: int, words: Words) -> Markup:
    numbers = [(status, count.statuses.get(status, 0)) for status in Status]
    label = ", ".join(
        f"{words.statuses[status]} {whole(number)}" for status, number in numbers if number
    )
    return bar([(number, STATUS_COLOURS[status]) for status, number in numbers], most, label)


def _untested(analysis: Analysis, words: Words) -> Markup:
    most = max((folder.code_lines for folder in analysis.untested_folders), default=0)
    rows = [
        (
            ("path", folder.path),
            ("number", whole(folder.files)),
            ("number", whole(folder.code_lines)),
            ("drawn", bar([(folder.code_lines, _BAR_COLOUR)], most, whole(folder.code_lines))),
        )
        for folder in analysis.untested_folders
    ]
    table = _table((words.path, words.files, words.code, ""), rows, words)
    more = analysis.untested_folder_count - len(rows)
    note = element("p", words.and_more.format(count=whole(more)), class_="none")
    return joined(table, note) if more else table


def _largest(analysis: Analysis, words: Words) -> Markup:
    most = max((file.bytes for file in analysis.largest_files), default=0)
    rows = [
        (
            ("path", file.path),
            ("", file.language or ""),
            ("number", whole(file.lines)),
            ("number", size(file.bytes)),
            ("drawn", bar([(file.bytes, _BAR_COLOUR)], most, size(file.bytes))),
        )
        for file in analysis.largest_files
    ]
    return _table((words.path, words.language, words.lines, words.size, ""), rows, words)


def _left_out(analysis: Analysis, words: Words) -> Markup:
    rows = [
        (
            ("", words.reasons[LeftOut(count.reason)]),
            ("number", whole(count.files)),
            ("number", size(count.bytes)),
        )
        for count in analysis.left_out
    ]
    return _table((words.reason, words.files, words.size), rows, words)


def _remarks(analysis: Analysis, words: Words) -> Markup:
    rows = [
        (
            ("", words.remark_names[Remark(count.remark)]),
            ("number", whole(count.count)),
            ("path", ", ".join(count.examples)),
        )
        for count in analysis.remarks
    ]
    return _table((words.remarks, words.count, words.examples), rows, words)


def _table(heads: Sequence[str], rows: Sequence[Sequence[Cell]], words: Words) -> Markup:
    if not rows:
        return element("p", words.nothing, class_="none")
    kinds = [kind for kind, _ in rows[0]]
    head = [
        element("th", title, scope="col", class_=kind)
        for kind, title in zip(kinds, heads, strict=True)
    ]
    table = element(
        "table",
        element("thead", element("tr", *head)),
        element("tbody", *(element("tr", *_cells(row)) for row in rows)),
    )
    return element("div", table, class_="wide")


def _cells(row: Iterable[Cell]) -> Iterable[Markup]:
    return [element("td", content, class_=kind) for kind, content in row]
