import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.analysis.counting.found import is_config, may_hold_tests
from tests.tables import read_beside

NAMED_AS_TESTS = read_beside(__file__)["NAMED_AS_TESTS"]
OTHERS = read_beside(__file__)["OTHERS"]
CONFIGS = read_beside(__file__)["CONFIGS"]


@pytest.mark.parametrize("path", NAMED_AS_TESTS)
def test_file_that_is_named_as_a_test_may_hold_tests(path):
    assert may_hold_tests(path)


@pytest.mark.parametrize("path", OTHERS)
def test_other_file_holds_no_tests(path):
    assert not may_hold_tests(path)


def test_folder_of_coverage_is_left_out_at_the_top_only():
    assert may_hold_tests("src/coverage/a.test.js")


@pytest.mark.parametrize("path", CONFIGS)
def test_configuration_of_a_framework_is_known_by_its_name(path):
    assert is_config(path)


@pytest.mark.parametrize("path", ["my.jest.config.js", "node_modules/a/jest.config.js", "a.ini"])
def test_other_file_configures_nothing(path):
    assert not is_config(path)


@given(st.text(max_size=4096))
def test_any_name_is_answered(path):
    assert may_hold_tests(path) in (True, False)
    assert is_config(path) in (True, False)
