import pytest

from pipeline_defs.analysis.report.analysis import FolderCount
from pipeline_defs.analysis.report.summary import SourceFile, find_untested_folders
from tests.tables import rows_beside


@rows_beside
def test_folder_is_tested_from_within_or_by_name(source, test):
    assert find_untested_folders([SourceFile(source, 10)], [test]) == []


@pytest.mark.parametrize("test", ["tests/test_other.py", "src/b/test_x.py", "src/a/c/test_x.py"])
def test_folder_that_no_test_is_in_or_named_after_is_untested(test):
    assert find_untested_folders([SourceFile("src/a/b.py", 10)], [test]) == [
        FolderCount(path="src/a", files=1, code_lines=10)
    ]


def test_untested_folders_come_longest_first():
    sources = [
        SourceFile("a/x.py", 1),
        SourceFile("b/y.py", 5),
        SourceFile("b/z.py", 5),
        SourceFile("w.py", 7),
    ]
    assert find_untested_folders(sources, []) == [
        FolderCount(path="b", files=2, code_lines=10),
        FolderCount(path=".", files=1, code_lines=7),
        FolderCount(path="a", files=1, code_lines=1),
    ]
