import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.analysis.counting.file_names import is_config, may_hold_tests

NAMED_AS_TESTS = [
    "test_a.py",
    "pkg/a_test.py",
    "tests/helpers/data.py",
    "a/b_test.go",
    "src/test/java/a/Helper.java",
    "NumbersTest.java",
    "TestNumbers.kt",
    "NumbersSpec.kt",
    "web/a.test.tsx",
    "a.spec.server.ts",
    "auth.setup.ts",
    "a.cy.js",
    "cypress/e2e/page.ts",
    "__tests__/a.js",
    "test/a.mjs",
    "lib/a-test.js",
    "Numbers.Tests/Helper.cs",
    "NumbersSpecs.cs",
    "spec/a/b_spec.rb",
    "test/test_a.rb",
    "tests/Feature/Helper.php",
    "NumbersTest.php",
    "src/lib.rs",
    "crates/a/b.rs",
    "tests/a.rs",
    "core/a_unittest.cc",
    "test/a.cpp",
    "NumbersTest.cc",
    "Tests/Numbers/Helper.swift",
    "AppUITests/Helper.swift",
]
OTHERS = [
    "a.py",
    "tests/conftest.py",
    "tests/a/conftest.py",
    "contest/a.py",
    "a.go",
    "src/main/java/NumbersTest.java",
    "a.js",
    "__tests__/__fixtures__/a.js",
    "attest/a.mjs",
    "Numbers.cs",
    "spec/spec_helper.rb",
    "spec/support/helper.rb",
    "a.rs",
    "a.cc",
    "Test.cc",
    "tests/a.txt",
    "README",
    "",
    "node_modules/a/a.test.js",
    "web/vendor/a_test.go",
    "dist/a.test.js",
    "coverage/a.test.js",
]
CONFIGS = [
    "jest.config.ts",
    "web/vitest.config.mts",
    "playwright.config.js",
    "cypress.config.cjs",
    ".mocharc.yml",
    "test/mocha.opts",
    "pytest.ini",
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
    "web/package.json",
    "vite.config.ts",
    "tests/conftest.py",
]


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
