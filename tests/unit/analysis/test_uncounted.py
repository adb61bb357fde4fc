"""A file that looks like tests of a framework that is not counted is named with that framework."""

import pytest

from pipeline_defs.analysis.analysing import analyse
from pipeline_defs.analysis.reading.members import AnalysisLimits, Kind, Member
from pipeline_defs.analysis.report.analysis import Analysis
from tests.tables import rows_beside


def analysed(**files: str) -> Analysis:
    """The analysis of files of these contents."""
    members = [Member(path, len(text), Kind.FILE, text.encode()) for path, text in files.items()]
    return analyse(members, AnalysisLimits(), lambda progress: None)


def named(path: str, text: str) -> list[str]:
    """The framework that the file is said to be of."""
    analysis = analysed(**{path: text})
    assert analysis.test_count == 0
    return [
        example.removeprefix(f"{path} ")
        for each in analysis.remarks
        if each.remark == "framework_not_counted"
        for example in each.examples
    ]


@rows_beside
def test_file_of_a_framework_that_is_not_counted_is_named(path, text, framework):
    assert named(path, text) == [f"({framework})"]


@pytest.mark.parametrize(
    "path", ["node_modules/a/a_test.exs", "vendor/a/b.feature", "src/a.js", "lib/a.c", "docs/t.md"]
)
def test_file_that_is_no_test_of_the_project_is_not_named(path):
    assert named(path, "export const a = 1;\n") == []


def test_file_whose_tests_are_counted_is_not_named():
    analysis = analysed(**{"a.test.js": "import {test} from 'vitest';\ntest('a', () => {});\n"})
    assert (analysis.test_count, analysis.remarks) == (1, ())
