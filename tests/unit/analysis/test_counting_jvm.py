import pytest

from pipeline_defs.analysis.counting.frameworks import Framework
from tests.tables import read_beside
from tests.unit.analysis.counted import counted, statuses

JUNIT4 = read_beside(__file__)["JUNIT4"]
JUNIT5 = read_beside(__file__)["JUNIT5"]
TESTNG = read_beside(__file__)["TESTNG"]
JUNIT_IN_KOTLIN = read_beside(__file__)["JUNIT_IN_KOTLIN"]
KOTEST = read_beside(__file__)["KOTEST"]
KOTEST_STATUSES = read_beside(__file__)["KOTEST_STATUSES"]
ANNOTATION_SPEC = read_beside(__file__)["ANNOTATION_SPEC"]


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
