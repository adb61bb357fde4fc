from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.analysis.analysing import Progress, analyse
from pipeline_defs.analysis.measuring.languages import load_languages
from pipeline_defs.analysis.reading.members import (
    AnalysisLimits,
    Kind,
    Member,
    MemberRemark,
    RefusalCode,
)
from pipeline_defs.analysis.report.analysis import (
    Analysis,
    FolderCount,
    FrameworkCount,
    LineCounts,
    RemarkCount,
)
from resources.contract.errors import PermanentError

PYTHON = b"# a\nx = 1\n\n"
TESTS = b"import pytest\n\ndef test_a(): pass\n\n@pytest.mark.skip\ndef test_b(): pass\n"
FILES = {
    ".gitattributes": b"gen/* linguist-generated\n*.inc linguist-language=PHP\n",
    "src/a.py": PYTHON,
    "gen/b.py": PYTHON,
    "page.inc": b"<p>a</p>\n",
    "data.json": b"{}\n",
    "picture.png": b"\x89PNG\0",
    "docs/c.py": PYTHON,
    "node_modules/d.js": b"x\n",
    "odd.unreports": b"?\n",
    "tests/test_a.py": TESTS,
}


def member(path: str, content: bytes) -> Member:
    return Member(path, len(content), Kind.FILE, content)


def members(files: Mapping[str, bytes]) -> list[Member]:
    return [member(path, content) for path, content in files.items()]


def analysis_of(listed: Iterable[Member], limits: AnalysisLimits | None = None) -> Analysis:
    return analyse(listed, limits or AnalysisLimits(), lambda _: None)


def test_languages_are_shares_of_the_bytes_that_count():
    shares = {share.name: share.bytes for share in analysis_of(members(FILES)).languages}
    assert shares == {"Python": len(PYTHON) + len(TESTS), "PHP": len(FILES["page.inc"])}


def test_shares_add_up_to_a_hundred_percent():
    shares = [share.percent for share in analysis_of(members(FILES)).languages]
    assert sum(shares) == pytest.approx(100, abs=0.01 * len(shares))


def test_every_file_is_counted_or_left_out_for_one_reason():
    left_out = {count.reason: count.files for count in analysis_of(members(FILES)).left_out}
    assert left_out == {
        "vendored": 2,
        "documentation": 1,
        "generated": 1,
        "binary": 1,
        "unknown_language": 1,
        "data_or_prose": 1,
    }


def test_lines_are_of_the_files_that_count():
    assert analysis_of(members({"a.py": PYTHON, "docs/b.py": PYTHON})).lines == LineCounts(
        code=1, comment=1, blank=1
    )


def test_language_is_counted_in_its_group():
    found = analysis_of(members({"a.tsx": b"x\n", "b.ts": b"y\n"})).languages
    assert [(share.name, share.files) for share in found] == [("TypeScript", 2)]


def test_tests_are_counted_by_framework_and_status():
    [count] = analysis_of(members(FILES)).tests
    statuses = {"active": 1, "skipped": 1, "todo": 0, "xfail": 0, "focused": 0}
    assert count == FrameworkCount(framework="pytest", files=1, tests=2, statuses=statuses)


def test_folder_without_a_test_is_listed():
    found = analysis_of(members({"src/b.py": PYTHON, "tests/test_a.py": TESTS}))
    assert found.untested_folders == (FolderCount(path="src", files=1, code_lines=1),)


def test_largest_files_are_listed_whatever_they_are():
    large = replace(member("big.py", b""), size=10**9, remark=MemberRemark.LARGE_FILE)
    found = analysis_of([*members(FILES), large]).largest_files
    assert (found[0].path, found[0].bytes, found[0].language) == ("big.py", 10**9, "Python")


def test_remarks_are_counted_with_examples():
    links = [Member(f"link{at}", 0, Kind.SYMLINK, remark=MemberRemark.SYMLINK) for at in range(5)]
    assert analysis_of(links).remarks == (
        RemarkCount(remark="symlink", count=5, examples=("link0", "link1", "link2")),
    )


def test_tests_beyond_the_memory_for_them_are_a_remark():
    found = analysis_of(members(FILES), AnalysisLimits(held_bytes=100))
    assert (found.test_count, [each.remark for each in found.remarks]) == (0, ["tests_not_counted"])


def test_time_that_is_over_refuses_the_analysis():
    with pytest.raises(PermanentError) as caught:
        analysis_of(members(FILES), AnalysisLimits(seconds=-1))
    assert caught.value.code == RefusalCode.ANALYSIS_TIMED_OUT


def test_progress_says_what_is_read_and_what_is_counted():
    reports: list[Progress] = []
    analyse(
        members({f"{at}.py": b"" for at in range(400)} | FILES), AnalysisLimits(), reports.append
    )
    assert reports == [
        Progress("reading", 200),
        Progress("reading", 400),
        Progress("counting", 0, total=1),
    ]


def test_progress_counts_what_is_no_file_too():
    reports: list[Progress] = []
    links = [Member(f"{at}", 0, Kind.SYMLINK, remark=MemberRemark.SYMLINK) for at in range(201)]
    analyse(links, AnalysisLimits(), reports.append)
    assert reports == [Progress("reading", 200)]


def test_analysis_survives_its_json():
    found = analysis_of(members(FILES))
    assert Analysis.model_validate_json(found.model_dump_json()) == found


def test_empty_repository_has_an_analysis():
    assert analysis_of([]).files == 0


@given(st.permutations(list(FILES)))
def test_order_of_the_members_changes_nothing(paths):
    assert analysis_of(members({path: FILES[path] for path in paths})) == analysis_of(
        members(FILES)
    )


EXTENSIONS = sorted(load_languages().extensions)
SOURCES = st.one_of(
    st.binary(max_size=400),
    st.sampled_from(
        [b"(" * 20_000, b"[" * 20_000, b"def " * 5_000, b"<?php " * 3_000, b'"' * 20_000]
    ),
)


@given(st.lists(st.tuples(st.sampled_from(EXTENSIONS), SOURCES), max_size=4))
def test_any_source_has_an_analysis(listed):
    files = {f"tests/test_{at}{end}": source for at, (end, source) in enumerate(listed)}
    assert analysis_of(members(files)).files == len(files)
