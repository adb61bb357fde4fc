from collections import Counter

import pytest

from pipeline_defs.analysis.counting.frameworks import Framework
from tests.tables import read_beside
from tests.unit.analysis.counted import counted, statuses

NUNIT = read_beside(__file__)["NUNIT"]
XUNIT = read_beside(__file__)["XUNIT"]
MSTEST = read_beside(__file__)["MSTEST"]


def test_nunit_methods_are_tests():
    assert statuses("NumbersTests.cs", NUNIT) == {
        "Plain": "active",
        "Cases": "active",
        "FromSource": "active",
        "Skipped": "skipped",
        "OnlyByName": "skipped",
        "OnOnePlatform": "active",
        "OfSkippedClass": "skipped",
    }


def test_xunit_methods_are_tests():
    assert statuses("NumbersTests.cs", XUNIT) == {
        "Plain": "active",
        "Skipped": "skipped",
        "Cases": "active",
        "SkippedCases": "skipped",
        "FromSource": "active",
        "OfAnOwnAttribute": "active",
    }


def test_mstest_methods_are_tests():
    assert statuses("NumbersTests.cs", MSTEST) == {
        "Plain": "active",
        "Cases": "active",
        "Skipped": "skipped",
    }


@pytest.mark.parametrize("source", [NUNIT, XUNIT, MSTEST], ids=["nunit", "xunit", "mstest"])
def test_cases_that_are_written_as_attributes_count_each(source):
    names = Counter(test.name for test in counted("NumbersTests.cs", source).tests)
    assert names["Cases"] == 2


@pytest.mark.parametrize(
    ("line", "framework"),
    [
        ("global using Xunit;", Framework.XUNIT),
        ("\ufeffusing NUnit.Framework;", Framework.NUNIT),
        ("[TestMethod] void A() {}", Framework.MSTEST),
        ("[Test] void A() {}", Framework.NUNIT),
        ("[Fact] void A() {}", Framework.XUNIT),
    ],
)
def test_dotnet_framework_follows_from_imports_or_words(line, framework):
    assert counted("NumbersTests.cs", line).framework is framework
