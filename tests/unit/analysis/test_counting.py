"""Tests are counted as the frameworks' own runners count them, in small sources of each."""

from collections import Counter

import pytest

from pipeline_defs.analysis.analysing import analyse
from pipeline_defs.analysis.counting.count import Configs, count_tests, read_configs
from pipeline_defs.analysis.counting.found import TABLES, TestFile
from pipeline_defs.analysis.reading.members import AnalysisLimits, Kind, Member
from pipeline_defs.analysis.report.summary import summarize
from tests.tables import read_beside, rows_beside

MSTEST_DERIVED = read_beside(__file__)["MSTEST_DERIVED"]


def counted(path: str, source: str, configs: Configs | None = None) -> TestFile:
    """Return what is found in a file that is one of a framework."""
    found = count_tests(path, source.encode(), configs or Configs())
    assert found is not None
    return found


def statuses(path: str, source: str) -> dict[str, str]:
    """Return the tests' names, each with its status."""
    return {test.name: test.status.value for test in counted(path, source).tests}


def first_source(law: str) -> tuple[str, str]:
    """Return the file's name and the source of the law's first row."""
    path, source, _ = read_beside(__file__)["tests_of_a_source_are_counted"][law][0]
    return path, source


def configured(files: dict[str, str]) -> Configs:
    return read_configs({path: content.encode() for path, content in files.items()})


@rows_beside
def test_tests_of_a_source_are_counted(path, source, expected):
    assert statuses(path, source) == expected


@rows_beside
def test_framework_is_known_and_counted(path, source, framework, expected):
    assert counted(path, source).framework == framework
    assert statuses(path, source) == expected


@rows_beside
def test_framework_is_found(path, source, configs, framework):
    assert counted(path, source, configured(configs)).framework == framework


@rows_beside
def test_file_of_two_frameworks_has_the_tests_of_both_each_once(path, source, frameworks):
    analysis = summarize([], [counted(path, source)], {})
    assert {each.framework: each.tests for each in analysis.tests} == frameworks


@rows_beside
def test_kotest_leaves_are_tests_in_every_style(style, leaves, expected):
    for spec in (f": {style}({{ {leaves} }})", f": {style}() {{ init {{ {leaves} }} }}"):
        source = f"import io.kotest.core.spec.style.{style}\nclass NumbersTest {spec}"
        assert statuses("NumbersTest.kt", source) == expected


def test_lines_count_from_one():
    pytest_source = first_source("pytest functions and methods are tests")
    assert [test.line for test in counted(*pytest_source).tests][:2] == [3, 6]


@pytest.mark.parametrize("framework", ["nunit", "xunit", "mstest"])
def test_cases_that_are_written_as_attributes_count_each(framework):
    found = counted(*first_source(f"{framework} methods are tests"))
    assert Counter(test.name for test in found.tests)["Cases"] == 2


def test_derived_attributes_of_mstest_are_tests():
    found = counted("ATests.cs", MSTEST_DERIVED).tests
    names = ["Plain", "OfOneThread", "OfTheSurface", "Derived", "WithRows", "WithRows"]
    assert [test.name for test in found] == names


def test_attribute_that_another_file_derives_is_one_of_tests():
    derives = (
        b"public sealed class SlowAttribute(int n) : Microsoft.X.TestMethodAttribute(n) { }\n"
        b"class OtherAttribute : Attribute { }\n"
    )
    uses = (
        b"using Microsoft.VisualStudio.TestTools.UnitTesting;\n"
        b"class A { [Slow(3)] public void One() {} [Other] public void None() {} }\n"
    )
    files = {"src/SlowAttribute.cs": derives, "ATests.cs": uses}
    members = [Member(path, len(text), Kind.FILE, text) for path, text in files.items()]
    analysis = analyse(members, AnalysisLimits(), lambda progress: None)
    assert {each.framework: each.tests for each in analysis.tests} == {"mstest": 1}


@pytest.mark.parametrize("call", ["ruleTester.run('rule', rule, {})", "defineTest(dir, 'name')"])
def test_cases_that_are_made_when_run_count_once(call):
    assert len(counted("a.test.js", f"import '@jest/globals';\n{call};").tests) == 1


@pytest.mark.parametrize(
    ("path", "language"),
    [("a.test.tsx", "TSX"), ("a.test.jsx", "JavaScript")],
)
def test_markup_in_scripts_is_read(path, language):
    found = counted(path, "import 'vitest'; it('shows', () => { render(<App a={1} />); });")
    assert (found.language, [test.name for test in found.tests]) == (language, ["shows"])


@rows_beside
def test_file_of_no_framework_is_none(path, source, configs):
    assert count_tests(path, source.encode(), configured(configs)) is None


def test_table_has_a_counter_for_every_framework_of_the_signs():
    assert {each["framework"] for each in TABLES["signs"]} == set(TABLES["counters"])


def test_table_has_every_language_of_the_signs():
    named = {language for each in TABLES["signs"] for language in each["languages"]}
    assert named == {language for each in TABLES["languages"] for language in each["grammars"]}
