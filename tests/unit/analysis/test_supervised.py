"""An analysis that a stage supervises ends with its stage."""

import threading
from pathlib import Path

import pytest

from pipeline_defs.analysis.analysing import CommittedTree, Progress
from pipeline_defs.analysis.isolated import analyse_supervised, build_note, compute_share
from pipeline_defs.analysis.reading.git_tree import resolve_ref
from pipeline_defs.analysis.reading.members import AnalysisLimits
from resources.contract.errors import PermanentError, TransientError
from tests.git_repositories import new_repository


def committed(path: Path) -> CommittedTree:
    new_repository(path, {"test_a.py": b"def test_it():\n    pass\n"})
    return CommittedTree(path, resolve_ref(path, "HEAD"))


def test_supervised_analysis_is_reported_and_made(tmp_path):
    notes: list[str] = []
    report = lambda progress, note="": notes.append(note)  # noqa: E731
    analysis = analyse_supervised(committed(tmp_path), AnalysisLimits(), report)
    assert (analysis.files, analysis.test_count) == (1, 1)
    assert notes[0] == "reading: 0 files"


def test_analysis_whose_attempt_has_to_stop_has_ended(tmp_path):
    def stop(progress: float | None, note: str = "") -> None:
        raise TransientError("the worker stops")

    before = threading.active_count()
    with pytest.raises(TransientError, match="the worker stops"):
        analyse_supervised(committed(tmp_path), AnalysisLimits(), stop)
    assert (
        threading.active_count() <= before + 1
    )  # the feeder of the killed process may still see its end


def test_refusal_of_the_analysis_is_that_of_the_stage(tmp_path):
    source = CommittedTree(committed(tmp_path).path, 40 * "0")
    with pytest.raises(PermanentError) as refused:
        analyse_supervised(source, AnalysisLimits(), lambda progress, note="": None)
    assert refused.value.code in ("ref_not_found", "repository_broken")


def test_progress_is_unknown_while_it_reads_and_then_the_second_half():
    shares = [compute_share(Progress("counting", done, 200)) for done in (0, 100, 200)]
    assert [compute_share(Progress("reading", 5)), *shares] == [None, 0.5, 0.75, 1.0]
    assert build_note(Progress("counting", 1, 200)) == "counting: 1 of 200 files"
