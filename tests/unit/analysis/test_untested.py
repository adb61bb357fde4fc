import pytest

from pipeline_defs.analysis.report.summary import SourceFile, UntestedFolder, untested_folders
from tests.tables import rows_beside


@rows_beside
def test_folder_is_tested_from_within_or_by_name(source, test):
    assert untested_folders([SourceFile(source, 10)], [test]) == []


@pytest.mark.parametrize("test", ["tests/test_other.py", "src/b/test_x.py", "src/a/c/test_x.py"])
def test_folder_that_no_test_is_in_or_named_after_is_untested(test):
    assert untested_folders([SourceFile("src/a/b.py", 10)], [test]) == [
        UntestedFolder("src/a", 1, 10)
    ]


def test_untested_folders_come_longest_first():
    sources = [
        SourceFile("a/x.py", 1),
        SourceFile("b/y.py", 5),
        SourceFile("b/z.py", 5),
        SourceFile("w.py", 7),
    ]
    assert untested_folders(sources, []) == [
        UntestedFolder("b", 2, 10),
        UntestedFolder(".", 1, 7),
        UntestedFolder("a", 1, 1),
    ]
