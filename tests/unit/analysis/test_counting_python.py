import pytest

from pipeline_defs.analysis.counting.frameworks import Framework
from tests.tables import read_beside
from tests.unit.analysis.counted import counted, statuses

PYTEST = read_beside(__file__)["PYTEST"]
UNITTEST = read_beside(__file__)["UNITTEST"]


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
