from collections import Counter

import pytest

from pipeline_defs.analysis.counting.frameworks import Framework
from tests.unit.analysis.counted import counted, statuses

NUNIT = """
using NUnit.Framework;
namespace Numbers.Tests;
public class NumbersTests {
  [Test] public void Plain() {}
  [TestCase(1)] [TestCase(2)] public void Cases(int n) {}
  [TestCaseSource(nameof(All))] public void FromSource(int n) {}
  [Test, Ignore("later")] public void Skipped() {}
  [Test, Explicit] public void OnlyByName() {}
  [SetUp] public void Prepare() {}
#if NET8_0
  [Test] public void OnOnePlatform() {}
#endif
  [Ignore("later")] class Inner { [NUnit.Framework.TestAttribute] public void OfSkippedClass() {} }
}
"""
XUNIT = """
using Xunit;
namespace Numbers { public class NumbersTests {
  [Fact] public void Plain() {}
  [Fact(Skip = "later")] public void Skipped() {}
  [Theory] [InlineData(1)] [InlineData(2)] public void Cases(int n) {}
  [Theory(Skip = "later")] [InlineData(1)] public void SkippedCases(int n) {}
  [Theory, MemberData(nameof(All))] public void FromSource(int n) {}
  [WindowsFact] public void OfAnOwnAttribute() {}
} }
"""
MSTEST = """
using Microsoft.VisualStudio.TestTools.UnitTesting;
[TestClass] public class NumbersTests {
  [TestMethod] public void Plain() {}
  [DataTestMethod] [DataRow(1)] [DataRow(2)] public void Cases(int n) {}
  [TestMethod] [Ignore] public void Skipped() {}
  [TestInitialize] public void Prepare() {}
}
"""


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
