import pytest

from pipeline_defs.analysis.counting.frameworks import Framework
from tests.unit.analysis.counted import counted, statuses

JUNIT4 = """
import org.junit.Test;
public class NumbersTest {
  @Test public void plain() {}
  @Test(expected = Error.class) public void throwing() {}
  @Ignore("later") @Test public void skipped() {}
  @Before public void prepare() {}
  public static class Inner { @org.junit.Test public void inner() {} }
}
@Ignore class OtherTest { @Test public void ofSkippedClass() {} }
"""
JUNIT5 = """
import org.junit.jupiter.api.*;
class NumbersTest {
  @Test void plain() {}
  @ParameterizedTest @ValueSource(ints = {1, 2}) void withParameters(int n) {}
  @RepeatedTest(3) void repeated() {}
  @TestFactory Stream<DynamicTest> made() { return null; }
  @WindowsTest void ofAnOwnAnnotation() {}
  @Disabled @Test void skipped() {}
  @BeforeEach void prepare() {}
  @Nested class Inner { @Test void inner() {} }
  class Helper { @Test void ofNoNestedClass() {} }
}
@Disabled("later") class OtherTest { @Test void ofSkippedClass() {} }
"""
TESTNG = """
import org.testng.annotations.*;
public class NumbersTest {
  @Test public void plain() {}
  @Test(enabled = false) public void skipped() {}
  @DataProvider public Object[][] numbers() { return null; }
}
@Test public class AllTest {
  public void ofAClassOfTests() {}
  void notPublic() {}
  @BeforeMethod public void prepare() {}
}
"""
JUNIT_IN_KOTLIN = """
import org.junit.jupiter.api.Test
class NumbersTest {
  @Test fun `adds two numbers`() {}
  @Disabled("later") @Test fun skipped() {}
  fun helper() {}
}
"""
KOTEST = {
    "FunSpec": """
        test("plain") { 1 shouldBe 1 }
        xtest("skipped") { }
        ftest("focused") { }
        test("!switched off") { }
        test("f:alone") { }
        test("configured").config(enabled = false) { }
        context("group") { test("inner") { } }
        xcontext("group") { test("of a skipped group") { } }
        listOf(1, 2).forEach { test("in a loop") { } }
    """,
    "StringSpec": """
        "plain" { }
        "!switched off" { }
        "configured".config(invocations = 2) { }
    """,
    "BehaviorSpec": """
        given("a") { `when`("b") { then("plain") { } } ; xwhen("c") { then("skipped") { } } }
        Given("a") { When("b") { Then("written large") { } } }
    """,
    "DescribeSpec": """
        describe("a") { it("plain") { } ; xit("skipped") { } }
    """,
    "FreeSpec": """
        "a" - { "plain" { } }
    """,
    "WordSpec": """
        "a" should { "plain" { } }
        "a" When { "b" should { "deeper" { } } }
    """,
    "ShouldSpec": """
        context("a") { should("plain") { } }
    """,
    "FeatureSpec": """
        feature("a") { scenario("plain") { } ; xscenario("skipped") { } }
    """,
    "ExpectSpec": """
        context("a") { expect("plain") { } }
    """,
}
KOTEST_STATUSES = {
    "FunSpec": {
        "plain": "active",
        "skipped": "skipped",
        "focused": "focused",
        "switched off": "skipped",
        "alone": "focused",
        "configured": "skipped",
        "inner": "active",
        "of a skipped group": "skipped",
        "in a loop": "active",
    },
    "StringSpec": {"plain": "active", "switched off": "skipped", "configured": "active"},
    "BehaviorSpec": {"plain": "active", "skipped": "skipped", "written large": "active"},
    "DescribeSpec": {"plain": "active", "skipped": "skipped"},
    "FreeSpec": {"plain": "active"},
    "WordSpec": {"plain": "active", "deeper": "active"},
    "ShouldSpec": {"plain": "active"},
    "FeatureSpec": {"plain": "active", "skipped": "skipped"},
    "ExpectSpec": {"plain": "active"},
}
ANNOTATION_SPEC = """
import io.kotest.core.spec.style.AnnotationSpec
class NumbersTest : AnnotationSpec() {
  @Test fun plain() {}
  @Ignore @Test fun skipped() {}
  fun helper() {}
}
"""


def test_junit4_methods_are_tests():
    assert statuses("NumbersTest.java", JUNIT4) == {
        "plain": "active",
        "throwing": "active",
        "skipped": "skipped",
        "inner": "active",
        "ofSkippedClass": "skipped",
    }


def test_junit5_methods_are_tests():
    assert statuses("NumbersTest.java", JUNIT5) == {
        "plain": "active",
        "withParameters": "active",
        "repeated": "active",
        "made": "active",
        "ofAnOwnAnnotation": "active",
        "skipped": "skipped",
        "inner": "active",
        "ofSkippedClass": "skipped",
    }


def test_testng_methods_are_tests():
    assert statuses("NumbersTest.java", TESTNG) == {
        "plain": "active",
        "skipped": "skipped",
        "ofAClassOfTests": "active",
    }


def test_junit_methods_in_kotlin_are_tests():
    assert statuses("NumbersTest.kt", JUNIT_IN_KOTLIN) == {
        "adds two numbers": "active",
        "skipped": "skipped",
    }


@pytest.mark.parametrize("style", KOTEST)
def test_kotest_leaves_are_tests_in_every_style(style):
    for spec in (
        f": {style}({{ {KOTEST[style]} }})",
        f": {style}() {{ init {{ {KOTEST[style]} }} }}",
    ):
        source = f"import io.kotest.core.spec.style.{style}\nclass NumbersTest {spec}"
        assert statuses("NumbersTest.kt", source) == KOTEST_STATUSES[style]


def test_kotest_annotated_methods_are_tests():
    assert statuses("NumbersTest.kt", ANNOTATION_SPEC) == {"plain": "active", "skipped": "skipped"}


def test_kotest_spec_that_is_ignored_is_skipped():
    source = 'import io.kotest.core.spec.style.*\n@Ignored class A : StringSpec({ "a" { } })'
    assert statuses("NumbersTest.kt", source) == {"a": "skipped"}


@pytest.mark.parametrize(
    ("path", "line", "framework"),
    [
        ("ATest.java", "import static org.junit.jupiter.api.Assertions.*;", Framework.JUNIT5),
        ("ATest.java", "import org.junit.*;", Framework.JUNIT4),
        ("ATest.java", "import org.testng.annotations.Test;", Framework.TESTNG),
        ("ATest.java", "@Test\nvoid a() {}", Framework.JUNIT5),
        ("ATest.kt", "import kotlin.test.Test", Framework.JUNIT5),
        ("ATest.kt", "import org.junit.Test", Framework.JUNIT4),
        ("ATest.kt", "1 shouldBe 1", Framework.KOTEST),
    ],
)
def test_jvm_framework_follows_from_imports_or_words(path, line, framework):
    assert counted(path, line).framework is framework
