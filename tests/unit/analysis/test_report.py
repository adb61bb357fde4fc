import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from pipeline_defs.analysis.counting.found import CaseStatus
from pipeline_defs.analysis.measuring.measured_files import LeftOut
from pipeline_defs.analysis.reading.members import MemberRemark
from pipeline_defs.analysis.report import rendering
from pipeline_defs.analysis.report.analysis import (
    Analysis,
    FileTests,
    FolderCount,
    FrameworkCount,
    LanguageShare,
    LargeFile,
    LeftOutCount,
    LineCounts,
    RemarkCount,
)
from pipeline_defs.analysis.report.rendering import (
    ENGLISH,
    KOREAN,
    ReportWords,
    build_html_page,
    build_terminal_report,
)
from pipeline_defs.analysis.report.schema import SCHEMA_FILE, build_schema_text
from resources.files.markup import escape_invisible
from tests.html_elements import ALLOWED, HOSTILE, Elements

LINES = LineCounts(code=1234, comment=2, blank=3)


def analysis_named(name: str) -> Analysis:
    """An analysis in which every text that comes from a repository is `name`."""
    statuses = {status.value: 1 for status in CaseStatus}
    return Analysis(
        files=3,
        bytes=1_234_567,
        lines=LINES,
        languages=(
            LanguageShare(name=name, colour="#123456", files=1, bytes=9, percent=100, lines=LINES),
        ),
        left_out=tuple(LeftOutCount(reason=reason, files=1, bytes=1) for reason in LeftOut),
        test_count=5,
        tests=(FrameworkCount(framework=name, files=1, tests=5, statuses=statuses),),
        test_files=(
            FileTests(path=name, framework=name, language=name, tests=5, statuses=statuses),
        ),
        largest_files=(LargeFile(path=name, bytes=9, lines=1, language=name),),
        untested_folder_count=7,
        untested_folders=(FolderCount(path=name, files=1, code_lines=1),),
        remarks=tuple(RemarkCount(remark=each, count=1, examples=(name,)) for each in MemberRemark),
    )


def printed(name: str, words: ReportWords = ENGLISH) -> str:
    console = Console(file=io.StringIO(), width=100, force_terminal=False)
    console.print(build_terminal_report(analysis_named(name), name, name, words))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("words", [ENGLISH, KOREAN])
@given(name=st.one_of(st.just(HOSTILE), st.text()))
def test_page_holds_its_own_elements_only(words, name):
    elements = Elements(build_html_page(analysis_named(name), name, name, words))
    assert elements.names <= ALLOWED
    assert not {
        each for each in elements.attributes if each.startswith("on") or each in ("href", "src")
    }


def test_page_shows_a_hostile_name_as_it_is_spelled():
    page = build_html_page(analysis_named(HOSTILE), HOSTILE, "", ENGLISH)
    assert escape_invisible(HOSTILE) in Elements(page).text


def test_page_closes_every_element():
    assert Elements(build_html_page(analysis_named("a"), "a", "b", ENGLISH)).open == []


def test_page_of_an_empty_repository_says_that_there_is_nothing():
    counts = dict.fromkeys(("files", "bytes", "test_count", "untested_folder_count"), 0)
    lists = dict.fromkeys(
        (
            "languages",
            "left_out",
            "tests",
            "test_files",
            "largest_files",
            "untested_folders",
            "remarks",
        ),
        (),
    )
    empty = Analysis.model_validate({**counts, **lists, "lines": LineCounts()})
    assert Elements(build_html_page(empty, "a", "b", ENGLISH)).text.count(ENGLISH["nothing"]) == 6


@given(name=st.one_of(st.just(HOSTILE), st.text()))
def test_terminal_report_prints_no_control_character(name):
    assert all(each == "\n" or escape_invisible(each) == each for each in printed(name))


def test_terminal_report_in_korean_has_korean_heads():
    assert KOREAN["largest_files"] in printed("a", KOREAN)


@pytest.mark.parametrize("words", [ENGLISH, KOREAN])
def test_words_name_every_status_reason_and_remark(words):
    named = (set(words["statuses"]), set(words["reasons"]), set(words["remark_names"]))
    assert named == (set(CaseStatus), set(LeftOut), set(MemberRemark))


def test_published_schema_is_that_of_the_model():
    assert SCHEMA_FILE.read_text("utf-8") == build_schema_text(), (
        "run `python -m pipeline_defs.analysis.report.schema`"
    )


def test_published_schema_allows_no_other_field():
    schema = json.loads(build_schema_text())
    models = [schema, *schema["$defs"].values()]
    assert all(model["additionalProperties"] is False for model in models)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1.0 kB"),
        (999_960, "1.0 MB"),
        (1_234_567, "1.2 MB"),
        (5 * 10**12, "5000.0 GB"),
    ],
)
def test_size_has_the_unit_that_fits(number, text):
    assert rendering.format_size(number) == text


@pytest.mark.parametrize(("share", "text"), [(0, "0.0 %"), (0.04, "< 0.1 %"), (99.94, "99.9 %")])
def test_percent_never_hides_a_share(share, text):
    assert rendering.format_percent(share) == text
