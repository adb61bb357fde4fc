"""Frameworks told apart as their own runners do, and several of them in one file."""

import pytest

from pipeline_defs.analysis.analysing import analyse
from pipeline_defs.analysis.counting.count import Configs, count_tests, read_configs
from pipeline_defs.analysis.reading.members import Kind, Member
from pipeline_defs.analysis.reading.reading_limits import Limits
from pipeline_defs.analysis.report.summary import Findings, summarize
from tests.tables import read_beside
from tests.unit.analysis.counted import counted, statuses

PEST = read_beside(__file__)["PEST"]
DENO = """
Deno.test("plain", () => {});
Deno.test(function named() {});
Deno.test({ name: "with options", ignore: true, fn() {} });
Deno.test.only("focused", () => {});
"""
BUN = "import { test, expect } from 'bun:test';\ntest('a', () => {});\ntest.skip('b', () => {});\n"
AVA = "import test from 'ava';\ntest('a', t => {});\ntest.serial.failing('b', t => {});\ntest.todo('c');\n"
DJANGO = """
from django.test import TestCase
class CartTests(TestCase):
    def test_adds(self): self.assertEqual(1, 1)
"""
CATCH2 = read_beside(__file__)["CATCH2"]
DOCTEST = """
#include "doctest.h"
TEST_CASE("adds") { SUBCASE("one") {} }
"""
BOOST = """
#include <boost/test/unit_test.hpp>
BOOST_AUTO_TEST_CASE(adds) {}
BOOST_FIXTURE_TEST_CASE(has_a_fixture, Fixture) {}
"""
JUNIT3 = read_beside(__file__)["JUNIT3"]


@pytest.mark.parametrize(
    ("path", "source", "framework", "expected"),
    [
        (
            "tests/Feature/AddTest.php",
            PEST,
            "pest",
            {
                "adds": "active",
                "subtracts": "active",
                "is skipped": "skipped",
                "is focused": "focused",
                "is to be done": "todo",
                "is to be written": "todo",
                "stands in a group": "active",
            },
        ),
        (
            "a_test.ts",
            DENO,
            "deno",
            {"plain": "active", "named": "active", "with options": "skipped", "focused": "focused"},
        ),
        ("a.test.ts", BUN, "bun", {"a": "active", "b": "skipped"}),
        ("a_spec.ts", BUN, "bun", {"a": "active", "b": "skipped"}),
        ("shop/tests.py", DJANGO, "unittest", {"test_adds": "active"}),
        ("test.js", AVA, "ava", {"a": "active", "b": "xfail", "c": "todo"}),
        (
            "tests/a.cpp",
            CATCH2,
            "catch2",
            {
                "adds": "active",
                "buys": "active",
                "has a fixture": "active",
                "is hidden": "skipped",
                "fails": "xfail",
            },
        ),
        ("tests/a.cpp", DOCTEST, "doctest", {"adds": "active"}),
        ("tests/a.cpp", BOOST, "boost-test", {"adds": "active", "has_a_fixture": "active"}),
        ("src/test/java/NumbersTest.java", JUNIT3, "junit3", {"testAdds": "active"}),
    ],
)
def test_framework_is_known_and_counted(path, source, framework, expected):
    assert counted(path, source).framework == framework
    assert statuses(path, source) == expected


SWIFT = """
import XCTest
import Testing
final class OldTests: XCTestCase { func testOld() {} }
struct New { @Test func fresh() {} }
"""
CSHARP = """
using NUnit.Framework;
using Xunit;
class A { [Test] public void One() {} }
class B { [Fact] public void Two() {} }
"""
JAVA = """
import org.junit.Test;
import junit.framework.TestCase;
class A extends TestCase { public void testOld() {} }
class B { @Test public void fresh() {} }
"""
CPP = """
#include <gtest/gtest.h>
#include <catch2/catch_all.hpp>
TEST(A, One) {}
TEST_CASE("two") {}
"""
PHP = """<?php
use PHPUnit\\Framework\\TestCase;
class ATest extends TestCase { public function testOne(): void {} }
it('is another', fn () => true);
"""
RUBY = """
require "minitest/autorun"
class A < Minitest::Test
  def test_one; end
end
RSpec.describe("b") { it("is another") { } }
"""


@pytest.mark.parametrize(
    ("path", "source", "frameworks"),
    [
        ("ATests/ATests.swift", SWIFT, {"xctest": 1, "swift-testing": 1}),
        ("ATests.cs", CSHARP, {"nunit": 1, "xunit": 1}),
        ("ATest.java", JAVA, {"junit3": 1, "junit4": 1}),
        ("a_test.cpp", CPP, {"gtest": 1, "catch2": 1}),
        ("tests/ATest.php", PHP, {"phpunit": 1, "pest": 1}),
        ("test/a_test.rb", RUBY, {"minitest": 2}),
        (
            "test_a.py",
            "import pytest, unittest\nclass A(unittest.TestCase):\n  def test_a(self): 0\n",
            {"pytest": 1},
        ),
    ],
)
def test_file_of_two_frameworks_has_the_tests_of_both_each_once(path, source, frameworks):
    analysis = summarize(Findings([], [counted(path, source)], {}))
    assert {each.framework: each.tests for each in analysis.tests} == frameworks


RAILS = read_beside(__file__)["RAILS"]


def test_rails_tests_are_counted():
    expected = {
        "adds": "active",
        "is skipped": "skipped",
        "in brackets": "active",
        "is to be done": "todo",
        "test_method": "active",
    }
    assert statuses("test/models/cart_test.rb", RAILS) == expected


SPEC = 'require "spec_helper"\ndescribe "numbers" do\n  it("adds") { assert true }\nend\n'


@pytest.mark.parametrize(
    ("path", "source", "configs", "framework"),
    [
        ("spec/a_spec.rb", SPEC, {"spec/spec_helper.rb": b"RSpec.configure { }\n"}, "rspec"),
        ("spec/a_spec.rb", SPEC, {".rspec": b"--require spec_helper\n"}, "rspec"),
        (
            "spec/a_spec.rb",
            SPEC,
            {"spec/spec_helper.rb": b"require 'minitest/autorun'\n"},
            "minitest",
        ),
        ("spec/a_spec.rb", SPEC, {"spec/minitest_helper.rb": b""}, "minitest"),
        (
            "test/a_test.rb",
            'describe "n" do\n  it("a") { expect(1).to eq 1 }\nend\n',
            {"test/test_helper.rb": b"require 'minitest/autorun'\n", ".rspec": b""},
            "minitest",
        ),
        (
            "spec/a_spec.rb",
            "class A < Minitest::Spec\n  it('a') { }\nend\n",
            {".rspec": b""},
            "minitest",
        ),
        (
            "spec/a_spec.rb",
            "require 'minitest_helper'\ndescribe('a') { it('b') { } }\n",
            {".rspec": b""},
            "minitest",
        ),
        (
            "spec/a_spec.rb",
            "RSpec.describe('a') { it('b') { } }\n",
            {"spec/spec_helper.rb": b"require 'minitest'\n"},
            "rspec",
        ),
    ],
)
def test_rspec_and_minitest_are_told_apart_as_their_runners_do(path, source, configs, framework):
    assert counted(path, source, read_configs(configs)).framework == framework


PHPUNIT = read_beside(__file__)["PHPUNIT"]


def test_phpunit_tests_are_those_that_phpunit_runs():
    names = {"testPlain", "testWithoutWord", "annotated", "attributed", "testWithData"}
    assert set(statuses("tests/CartTest.php", PHPUNIT)) == names


FIXTURES = read_beside(__file__)["FIXTURES"]


def test_fixture_of_pytest_is_no_test():
    names = {"test_plain", "test_with_data", "test_static"}
    assert set(statuses("test_a.py", FIXTURES)) == names


MSTEST = read_beside(__file__)["MSTEST"]


def test_derived_attributes_of_mstest_are_tests():
    found = counted("ATests.cs", MSTEST).tests
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
    analysis = analyse(members, Limits(), lambda progress: None)
    assert {each.framework: each.tests for each in analysis.tests} == {"mstest": 1}


def test_source_of_no_framework_is_none():
    assert count_tests("src/a.js", b"export const test = 1;\n", Configs()) is None
