"""What an archive leaves out of its commit, and what a partial clone has not fetched, is said by name."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from threading import Event

import pytest

from pipeline_defs.analysis.analysing import CommittedTree, Tarball
from pipeline_defs.analysis.isolated import analyse_isolated
from pipeline_defs.analysis.reading.git_tree import resolve_ref, write_listing
from pipeline_defs.analysis.reading.members import AnalysisLimits
from pipeline_defs.analysis.report.analysis import Analysis
from tests.archives import file_entry, tarball
from tests.git_repositories import new_repository

TESTS = {"a.py": b"A = 1\n", "tests/test_a.py": b"def test_it():\n    pass\n"}


def remarks_of(analysis: Analysis) -> dict[str, tuple[str, ...]]:
    """The first paths of each remark."""
    return {each.remark: each.examples for each in analysis.remarks}


def analysed_archive(tmp_path: Path, listed: Mapping[str, int], **more: bool) -> Analysis:
    """The analysis of an archive with the one file `a.py`, whose commit has these."""
    listing, archive = tmp_path / "listing.json", tmp_path / "archive"
    write_listing(listing, listed, ["linked"], is_cut=more.get("is_cut", False))
    archive.write_bytes(tarball([file_entry("top/a.py", TESTS["a.py"])]))
    source = Tarball(listing=listing)
    with archive.open("rb") as stream:
        return analyse_isolated(source, AnalysisLimits(), lambda progress: None, Event(), stream)


def test_file_that_the_archive_leaves_out_is_remarked_by_name(tmp_path):
    analysis = analysed_archive(tmp_path, {path: len(TESTS[path]) for path in TESTS})
    assert remarks_of(analysis) == {
        "not_in_archive": ("tests/test_a.py",),
        "submodule": ("linked",),
    }
    assert (analysis.files, analysis.test_count) == (1, 0)


def test_list_that_is_cut_is_remarked(tmp_path):
    assert "listing_cut" in remarks_of(analysed_archive(tmp_path, {"a.py": 6}, is_cut=True))


def git(folder: Path, *arguments: str) -> None:
    """Run git there."""
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize(
    ("kept", "absent"),
    [("blob:none", {"a.py", "tests/test_a.py"}), ("tree:1", {"a.py", "tests"}), ("tree:0", {"."})],
)
def test_file_that_a_partial_clone_has_not_fetched_is_remarked_by_name(tmp_path, kept, absent):
    origin = new_repository(tmp_path / "origin", TESTS)
    git(tmp_path / "origin", "config", "uploadpack.allowFilter", "true")
    url = f"file://{origin.path}"
    git(tmp_path, "clone", "-q", "--no-checkout", f"--filter={kept}", url, "clone")
    clone = tmp_path / "clone"
    source = CommittedTree(clone, resolve_ref(clone, "HEAD"))
    analysis = analyse_isolated(source, AnalysisLimits(), lambda progress: None, Event())
    assert set(remarks_of(analysis)["not_fetched"]) == absent
