import pytest

from pipeline_defs.analysis.counting.frameworks import Framework
from tests.unit.analysis.counted import counted, statuses

PYTEST = """
import pytest

def test_plain(): ...

@pytest.mark.skip(reason="later")
def test_skipped(): ...

@pytest.mark.skipif(True, reason="later")
async def test_skipped_by_condition(): ...

@pytest.mark.xfail
def test_expected_to_fail(): ...

@pytest.mark.parametrize("x", [1, 2, pytest.param(3, marks=pytest.mark.skip)])
def test_with_parameters(x): ...

if True:
    def test_under_a_condition(): ...

def helper():
    def test_inside_a_function(): ...

class TestGroup:
    def test_method(self): ...
    def helper(self): ...

    class TestInner:
        def test_inner(self): ...

@pytest.mark.skip
class TestSkipped:
    def test_of_skipped_class(self): ...

class TestMarked:
    pytestmark = [pytest.mark.xfail]
    def test_of_marked_class(self): ...

class TestWithArguments:
    def __init__(self): ...
    def test_that_pytest_cannot_make(self): ...

class Plain:
    def test_of_no_test_class(self): ...

class Cases(unittest.TestCase):
    def test_of_a_test_case(self): ...
"""
UNITTEST = """
import unittest

class Numbers(unittest.TestCase):
    def testAddition(self): ...

    @unittest.skip("later")
    def test_skipped(self): ...

    @unittest.expectedFailure
    def test_expected_to_fail(self): ...

    def test_with_parts(self):
        for i in range(3):
            with self.subTest(i=i): ...

@unittest.skipUnless(False, "later")
class Other(unittest.IsolatedAsyncioTestCase):
    async def test_of_skipped_class(self): ...

def test_outside_of_a_class(): ...
"""


def test_pytest_functions_and_methods_are_tests():
    assert statuses("test_it.py", PYTEST) == {
        "test_plain": "active",
        "test_skipped": "skipped",
        "test_skipped_by_condition": "skipped",
        "test_expected_to_fail": "xfail",
        "test_with_parameters": "active",
        "test_under_a_condition": "active",
        "test_method": "active",
        "test_inner": "active",
        "test_of_skipped_class": "skipped",
        "test_of_marked_class": "xfail",
        "test_of_a_test_case": "active",
    }


def test_unittest_methods_are_tests():
    assert statuses("test_it.py", UNITTEST) == {
        "testAddition": "active",
        "test_skipped": "skipped",
        "test_expected_to_fail": "xfail",
        "test_with_parts": "active",
        "test_of_skipped_class": "skipped",
    }


def test_pytest_mark_of_the_module_holds_for_all_its_tests():
    source = "import pytest\npytestmark = pytest.mark.skip\ndef test_a(): ...\n"
    assert statuses("test_it.py", source) == {"test_a": "skipped"}


@pytest.mark.parametrize(
    ("line", "framework"),
    [
        ("import unittest", Framework.UNITTEST),
        ("from unittest import TestCase, mock", Framework.UNITTEST),
        ("from unittest import mock\nimport pytest", Framework.PYTEST),
        ("import unittest\nimport pytest", Framework.PYTEST),
        ("@pytest.fixture\ndef x(): ...", Framework.PYTEST),
        ("self.assertEqual(1, 1)", Framework.UNITTEST),
        ("def test_a(): assert True", Framework.PYTEST),
    ],
)
def test_python_framework_follows_from_imports_or_words(line, framework):
    assert counted("test_it.py", line).framework is framework


def test_lines_count_from_one():
    assert [test.line for test in counted("test_it.py", PYTEST).tests][:2] == [4, 7]
