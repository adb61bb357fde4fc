"""An analysis in a process of its own."""

import io
import multiprocessing
import os
import threading
from collections.abc import Callable
from typing import BinaryIO, cast

import psutil
import pytest

from pipeline_defs.analysis.analysing import (
    CommittedTree,
    Progress,
    Source,
    Tarball,
    WorkTree,
    analyse,
)
from pipeline_defs.analysis.counting.count import serve
from pipeline_defs.analysis.isolated import analyse_isolated
from pipeline_defs.analysis.reading.git_tree import resolve_ref
from pipeline_defs.analysis.reading.members import AnalysisLimits, MemberRemark, RefusalCode
from pipeline_defs.analysis.report.analysis import Analysis
from resources.contract.errors import CastadError, TransientError
from tests.archives import members_of_tarball, tarball_of
from tests.children import find_children
from tests.eventually import eventually
from tests.git_repositories import new_repository

pytestmark = pytest.mark.processes

FILES = {"a.py": b"x = 1\n", "tests/test_a.py": b"def test_a():\n    pass\n"}
ARCHIVE = tarball_of(FILES)
UNSTOPPABLE = b"import XCTest\nclass ATests: XCTestCase {}\n" + b"#" * 80_000
"""Its grammar scans in quadratic time and never asks whether to go on."""
FLAT = Tarball(has_top_folder=False)


def isolated(
    source: Source, tarball: BinaryIO | None = None, limits: AnalysisLimits | None = None
) -> Analysis:
    bounds = limits or AnalysisLimits()
    return analyse_isolated(source, bounds, ignore, threading.Event(), tarball, grace_seconds=0)


def ignore(progress: Progress) -> None:
    pass


def as_stream(raw: io.RawIOBase) -> BinaryIO:
    return cast(BinaryIO, raw)


def code_of(tarball: BinaryIO, limits: AnalysisLimits | None = None) -> str:
    with pytest.raises(CastadError) as caught:
        isolated(FLAT, tarball, limits)
    return caught.value.code


class Endless(io.RawIOBase):
    """A stream that gives nothing; `then` is called when the process waits for its bytes."""

    def __init__(self, then: Callable[[], object]) -> None:
        self._then = then

    def read(self, size: int = -1) -> bytes:
        self._then()
        threading.Event().wait()
        return b""


class CallerError(Exception):
    """An error of who asked for the analysis."""


def children() -> list[psutil.Process]:
    return find_children(lambda words: "pipeline_defs.analysis.analysing_process" in words)


def test_analysis_is_the_same_as_in_this_process():
    here = analyse(members_of_tarball(ARCHIVE), AnalysisLimits(), ignore)
    assert isolated(FLAT, io.BytesIO(ARCHIVE)) == here


def test_commit_and_work_tree_are_analysed(tmp_path):
    new_repository(tmp_path, FILES).close()
    (tmp_path / "new.py").write_bytes(b"y = 2\n")
    sources = (CommittedTree(tmp_path, resolve_ref(tmp_path, "HEAD")), WorkTree(tmp_path))
    assert [isolated(source).files for source in sources] == [2, 3]


def test_refusal_comes_with_its_code():
    assert code_of(io.BytesIO(ARCHIVE[:-9])) == RefusalCode.ARCHIVE_BROKEN


def test_error_of_the_stream_is_raised_as_it_is():
    class Failing(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            raise TransientError("the line was cut", code="line_cut")

    assert code_of(as_stream(Failing())) == "line_cut"


def test_repository_that_needs_too_much_memory_is_refused():
    large = tarball_of({f"test_{at}.py": b"#" * 8_000_000 for at in range(20)})
    limits = AnalysisLimits(memory_bytes=150_000_000, ratio=10_000)
    assert code_of(io.BytesIO(large), limits) == RefusalCode.ANALYSIS_OUT_OF_MEMORY


def test_analysis_that_is_too_long_to_be_held_is_refused():
    limits = AnalysisLimits(answer_bytes=1_000)
    named = tarball_of({f"{'a' * 900}/test_a.py": b"def test_a(): ...\n"})
    assert code_of(io.BytesIO(named), limits) == RefusalCode.REPOSITORY_TOO_LARGE


def test_source_whose_grammar_cannot_be_stopped_is_passed_over_and_the_others_are_counted():
    files = {"a/ATests.swift": UNSTOPPABLE, "b/test_b.py": b"def test_b():\n    pass\n"}
    analysis = isolated(FLAT, io.BytesIO(tarball_of(files)))
    assert analysis.test_count == 1
    [remark] = [each for each in analysis.remarks if each.remark == MemberRemark.TESTS_NOT_COUNTED]
    assert list(remark.examples) == ["a/ATests.swift"]


def test_no_process_is_left_where_counting_is_stopped():
    stop = threading.Event()

    def stop_at_counting(progress: Progress) -> None:
        if progress.step == "counting":
            stop.set()

    archive = io.BytesIO(tarball_of({"a/ATests.swift": UNSTOPPABLE}))
    with pytest.raises(TransientError):
        analyse_isolated(FLAT, AnalysisLimits(), stop_at_counting, stop, archive)
    assert eventually(lambda: children() == [])


def test_counter_whose_parent_has_died_before_it_began_ends():
    forking = multiprocessing.get_context("fork")
    ours, theirs = forking.Pipe()
    counter = forking.Process(target=serve, args=(theirs, ours, os.getpid() + 1), daemon=True)
    counter.start()
    counter.join(60)
    assert counter.exitcode == 0


def test_process_that_does_not_end_in_time_is_killed():
    assert (
        code_of(as_stream(Endless(lambda: None)), AnalysisLimits(seconds=0))
        == RefusalCode.ANALYSIS_TIMED_OUT
    )


def test_analysis_stops_while_the_process_waits():
    stop = threading.Event()
    endless = as_stream(Endless(stop.set))
    with pytest.raises(TransientError) as caught:
        analyse_isolated(FLAT, AnalysisLimits(), ignore, stop, endless)
    assert (caught.value.code, children()) == (RefusalCode.ANALYSIS_STOPPED, [])


def test_no_process_is_left_after_an_error_of_the_caller():
    def fail(progress: Progress) -> None:
        raise CallerError

    files = tarball_of({f"{at}.py": b"" for at in range(400)})
    with pytest.raises(CallerError):
        analyse_isolated(FLAT, AnalysisLimits(), fail, threading.Event(), io.BytesIO(files))
    assert children() == []


def test_no_variable_of_this_process_reaches_that_of_the_analysis(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "x")
    stop, seen = threading.Event(), list[str]()

    def look() -> None:
        seen.extend(name for each in children() for name in each.environ())
        stop.set()

    with pytest.raises(TransientError):
        analyse_isolated(FLAT, AnalysisLimits(), ignore, stop, as_stream(Endless(look)))
    assert set(seen) == {"PYTHONPATH", "MALLOC_ARENA_MAX"}
