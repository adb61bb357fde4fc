"""The languages with one or two frameworks each."""

import pytest

from pipeline_defs.analysis.counting.frameworks import Framework
from tests.tables import read_beside
from tests.unit.analysis.counted import counted, statuses

GO = read_beside(__file__)["GO"]
RUST = read_beside(__file__)["RUST"]
CPP = read_beside(__file__)["CPP"]
PHPUNIT = read_beside(__file__)["PHPUNIT"]
RSPEC = read_beside(__file__)["RSPEC"]
MINITEST = read_beside(__file__)["MINITEST"]
XCTEST = read_beside(__file__)["XCTEST"]
SWIFT_TESTING = read_beside(__file__)["SWIFT_TESTING"]


def test_go_functions_are_tests():
    assert statuses("numbers_test.go", GO) == {
        "TestPlain": "active",
        "TestSkipped": "skipped",
        "TestSkippedByCondition": "active",
        "first": "active",
        "second": "skipped",
        "TestTable": "active",
        "BenchmarkPlain": "active",
        "FuzzPlain": "active",
        "ExamplePlain": "active",
    }


def test_cargo_functions_and_macros_are_tests():
    assert statuses("src/numbers.rs", RUST) == {
        "plain": "active",
        "skipped": "skipped",
        "panics": "active",
        "waits": "active",
        "by_macro": "active",
        "by_own_macro": "active",
    }


def test_gtest_macros_are_tests():
    assert statuses("numbers_test.cc", CPP) == {
        "Add.Plain": "active",
        "Fixture.DISABLED_Skipped": "skipped",
        "DISABLED_Group.OfSkippedGroup": "skipped",
        "Typed.Skips": "skipped",
    }


def test_phpunit_methods_are_tests():
    assert statuses("NumbersTest.php", PHPUNIT) == {
        "testPlain": "active",
        "annotated": "active",
        "attributed": "active",
        "testSkipped": "skipped",
        "testToBeDone": "todo",
        "testWithData": "active",
    }


def test_rspec_examples_are_tests():
    assert statuses("spec/numbers_spec.rb", RSPEC) == {
        "adds": "active",
        "is skipped": "skipped",
        "is focused": "focused",
        "is expected to fail": "xfail",
        "is to be done": "todo",
        "is skipped by metadata": "skipped",
        "focused by metadata": "focused",
        "(anonymous)": "active",
        "of a skipped group": "skipped",
        "in a loop": "active",
        "shared": "active",
    }


def test_minitest_methods_and_blocks_are_tests():
    assert statuses("test/test_numbers.rb", MINITEST) == {
        "test_plain": "active",
        "test_skipped": "skipped",
        "test_skipped_by_condition": "active",
        "adds": "active",
        "is to be done": "todo",
    }


def test_xctest_methods_are_tests():
    assert statuses("NumbersTests.swift", XCTEST) == {
        "testPlain": "active",
        "testSkipped": "skipped",
        "testSkippedByCondition": "active",
        "testExpectedToFail": "xfail",
    }


def test_swift_testing_functions_are_tests():
    assert statuses("NumbersTests.swift", SWIFT_TESTING) == {
        "plain": "active",
        "skipped": "skipped",
        "skippedByCondition": "active",
        "withArguments": "active",
        "ofSkippedSuite": "skipped",
        "outside": "active",
    }


@pytest.mark.parametrize(
    ("path", "source", "framework"),
    [
        ("numbers_test.go", "package numbers", Framework.GO_TESTING),
        ("src/numbers.rs", "#[cfg(test)] mod tests {}", Framework.CARGO_TEST),
        ("numbers_test.cc", "TEST(A, B) {}", Framework.GTEST),
        ("NumbersTest.php", "<?php class A extends TestCase {}", Framework.PHPUNIT),
        ("spec/a_spec.rb", "describe 'a' do expect(1).to eq 1 end", Framework.RSPEC),
        ("test/a_test.rb", "class A < Test; def test_a; end; end", Framework.MINITEST),
        ("ATests.swift", "class A: XCTestCase {}", Framework.XCTEST),
        ("ATests.swift", "@Test func a() {}", Framework.SWIFT_TESTING),
    ],
)
def test_framework_follows_from_name_or_words(path, source, framework):
    assert counted(path, source).framework is framework
