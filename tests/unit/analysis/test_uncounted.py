"""A file that looks like tests of a framework that is not counted is named with that framework."""

import pytest

from pipeline_defs.analysis.analysing import analyse
from pipeline_defs.analysis.reading.members import Kind, Member
from pipeline_defs.analysis.reading.reading_limits import Limits
from pipeline_defs.analysis.report.analysis import Analysis


def analysed(**files: str) -> Analysis:
    """The analysis of files of these contents."""
    members = [Member(path, len(text), Kind.FILE, text.encode()) for path, text in files.items()]
    return analyse(members, Limits(), lambda progress: None)


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


@pytest.mark.parametrize(
    ("path", "text", "framework"),
    [
        ("test/a_test.exs", "defmodule A do\nend\n", "ExUnit"),
        ("features/buy.feature", "Feature: buying\n", "Cucumber"),
        ("tests/login.robot", "*** Test Cases ***\n", "Robot Framework"),
        ("src/test/groovy/ASpec.groovy", "class ASpec extends Specification {}\n", "Spock"),
        ("tests/testthat/test-a.R", 'test_that("a", {})\n', "testthat"),
        ("t/a.t", "use Test::More;\n", "Test::More"),
        ("lib/a_test.dart", "void main() {}\n", "package:test"),
        ("CMakeLists.txt", "enable_testing()\nadd_test(NAME a COMMAND a)\n", "CTest"),
        ("benches/a.rs", "criterion_group!(benches, a);\n", "Criterion"),
        ("src/a.zig", 'test "a" {}\n', "tests in Zig"),
        ("tests/test_a.c", "int main(void) { return 0; }\n", "tests in C"),
        ("ATests/ATests.m", "@implementation ATests\n@end\n", "XCTest (Objective-C)"),
        ("test/a.js", "import test from 'tape';\ntest('a', t => t.end());\n", "tape"),
        ("a.test.js", "QUnit.test('a', assert => {});\n", "QUnit"),
        ("a.test.js", "import { test } from 'uvu';\ntest('a', () => {});\n", "uvu"),
        ("a.spec.js", "describe('a', () => { it('b', () => {}); });\n", "unknown framework"),
        ("spec/aSpec.js", "describe('a', () => { it('b', () => {}); });\n", "unknown framework"),
        ("test/a.js", "describe('a', () => { it('b', () => {}); });\n", "unknown framework"),
        ("a_test.go", 'package a\nimport . "github.com/onsi/ginkgo/v2"\n', "Ginkgo"),
        ("ATests/A.swift", "import Quick\nclass A: QuickSpec {}\n", "Quick"),
        ("tests/ACest.php", "<?php class ACest { public function try() {} }\n", "Codeception"),
        ("spec/ASpec.php", "<?php class ASpec extends ObjectBehavior {}\n", "phpspec"),
        ("tests/a_test.cpp", "CPPUNIT_TEST_SUITE(A);\n", "CppUnit"),
        ("src/test/java/ATest.java", "import net.jqwik.api.*;\nclass ATest {}\n", "jqwik"),
        ("tests/steps/a.py", "from behave import given\n", "behave"),
        (
            "tests/FooTests.cs",
            "using Machine.Specifications;\nclass A {}\n",
            "Machine.Specifications",
        ),
    ],
)
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
