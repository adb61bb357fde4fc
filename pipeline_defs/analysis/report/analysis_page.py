"""Build an HTML page of an analysis. Pure."""

from pathlib import Path

from pipeline_defs.analysis.counting.found import CaseStatus
from pipeline_defs.analysis.report.analysis import Analysis, FrameworkCount
from pipeline_defs.analysis.report.report_words import (
    STATUS_COLOURS,
    ReportWords,
    format_number,
    format_percent,
    format_size,
)
from resources.files.markup import render_page


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
