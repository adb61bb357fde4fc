"""The languages with one or two frameworks each."""

import pytest

from pipeline_defs.analysis.counting.frameworks import Framework
from tests.unit.analysis.counted import counted, statuses

GO = """
package numbers
func TestPlain(t *testing.T) {}
func TestSkipped(t *testing.T) { t.Skip("later") }
func TestSkippedByCondition(t *testing.T) { if testing.Short() { t.Skip() } }
func TestParts(t *testing.T) {
  t.Run("first", func(t *testing.T) {})
  t.Run("second", func(t *testing.T) { t.SkipNow() })
}
func TestTable(t *testing.T) { for _, c := range cases { t.Run(c.name, func(t *testing.T) {}) } }
func BenchmarkPlain(b *testing.B) {}
func FuzzPlain(f *testing.F) {}
func ExamplePlain() {}
func TestMain(m *testing.M) {}
func Testimony(t *testing.T) {}
func TestWithTwo(t *testing.T, x int) {}
"""
RUST = """
#[cfg(test)]
mod tests {
    #[test]
    fn plain() {}
    /// Why.
    #[test]
    #[ignore]
    fn skipped() {}
    #[test]
    #[should_panic(expected = "no")]
    fn panics() {}
    #[tokio::test]
    async fn waits() {}
    fn helper() {}
    rgtest!(by_macro, |dir| {});
}
macro_rules! numbers { ($name:ident) => { #[test] fn $name() {} } }
numbers!(by_own_macro);
other!(no_test);
"""
CPP = """
#include "gtest/gtest.h"
namespace numbers {
TEST(Add, Plain) { EXPECT_EQ(2, 1 + 1); }
TEST_F(Fixture, DISABLED_Skipped) {}
TEST_P(DISABLED_Group, OfSkippedGroup) {}
TYPED_TEST(Typed, Skips) { GTEST_SKIP() << "later"; }
INSTANTIATE_TEST_SUITE_P(All, Fixture, testing::Values(1, 2));
void helper() {}
}
"""
PHPUNIT = """<?php
use PHPUnit\\Framework\\TestCase;
final class NumbersTest extends TestCase {
  public function testPlain(): void {}
  /** @test */
  public function annotated(): void {}
  #[Test]
  public function attributed(): void {}
  public function testSkipped(): void { $this->markTestSkipped('later'); }
  public function testToBeDone(): void { self::markTestIncomplete(); }
  #[DataProvider('numbers')]
  public function testWithData(int $n): void {}
  public function helper(): void {}
}
class Helper { public function testOfNoTestCase() {} }
"""
RSPEC = """
RSpec.describe "numbers" do
  it("adds") { expect(1).to eq 1 }
  xit "is skipped" do end
  fit "is focused" do end
  pending "is expected to fail" do fail end
  it "is to be done"
  it "is skipped by metadata", skip: "later" do end
  specify("focused by metadata", :focus) { }
  it { is_expected.to eq 1 }
  context "group", :skip do
    example("of a skipped group") { }
  end
  [1, 2].each { |n| it("in a loop") { } }
  before { skip "later" if windows? }
  let(:double) { notification.example.double }
  shared_examples("shared") { it("shared") { } }
end
"""
MINITEST = """
require "minitest/autorun"
class NumbersTest < Minitest::Test
  def test_plain; assert true; end
  def test_skipped
    skip "later"
  end
  def test_skipped_by_condition
    skip "later" if windows?
  end
  def helper; end
end
describe "numbers" do
  it("adds") { _(1).must_equal 1 }
  it "is to be done"
end
"""
XCTEST = """
import XCTest
final class NumbersTests: XCTestCase {
  func testPlain() {}
  func testSkipped() throws { throw XCTSkip("later") }
  func testSkippedByCondition() throws { try XCTSkipIf(true) }
  func testExpectedToFail() { XCTExpectFailure("a fault"); XCTFail() }
  func helper() {}
}
class Helper { func testOfNoTestCase() {} }
"""
SWIFT_TESTING = """
import Testing
@Suite struct NumbersTests {
  @Test func plain() {}
  @Test("Named", .disabled("later")) func skipped() {}
  @Test(.disabled(if: onLinux)) func skippedByCondition() {}
  @Test(arguments: [1, 2]) func withArguments(n: Int) {}
  func helper() {}
}
@Suite(.disabled()) struct Other { @Test func ofSkippedSuite() {} }
@Test func outside() {}
"""


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
