import pytest

from pipeline_defs.analysis.counting.count import Configs, count_tests, read_configs
from pipeline_defs.analysis.counting.counted_languages import CountedLanguage
from pipeline_defs.analysis.counting.frameworks import Framework
from tests.tables import read_beside
from tests.unit.analysis.counted import counted, statuses

JEST = read_beside(__file__)["JEST"]
VITEST = read_beside(__file__)["VITEST"]
PLAYWRIGHT = read_beside(__file__)["PLAYWRIGHT"]
MOCHA = read_beside(__file__)["MOCHA"]
CYPRESS = """
describe('page', () => {
  it('opens', () => { cy.visit('/'); });
  it.only('alone', () => {});
  xit('not', () => {});
});
"""
NODE = read_beside(__file__)["NODE"]


def test_jest_calls_are_tests():
    assert statuses("a.test.js", JEST) == {
        "plain": "active",
        "skipped": "skipped",
        "skipped by its name": "skipped",
        "to be done": "todo",
        "focused": "focused",
        "focused by its name": "focused",
        "expected to fail": "xfail",
        "concurrent": "active",
        "each %i": "active",
        "table": "active",
        "loop ${n}": "active",
        "of a skipped group": "skipped",
        "to be done in a skipped group": "todo",
        "of a focused group": "focused",
        "chained": "active",
    }


def test_vitest_calls_are_tests():
    assert statuses("a.test.ts", VITEST) == {
        "expected to fail": "xfail",
        "skipped on some": "active",
        "run on some": "active",
        "skipped by option": "skipped",
        "measured": "active",
        "without a function": "todo",
    }


def test_playwright_calls_are_tests():
    assert statuses("a.spec.ts", PLAYWRIGHT) == {
        "sign in": "active",
        "as a user": "active",
        "plain": "active",
        "to be mended": "skipped",
        "expected to fail": "xfail",
        "focused": "focused",
    }


def test_mocha_calls_are_tests():
    assert statuses("a.spec.js", MOCHA) == {
        "plain": "active",
        "specified": "active",
        "pending": "todo",
        "skipped": "skipped",
        "chosen": "active",
    }


def test_cypress_calls_are_tests():
    assert statuses("cypress/e2e/page.ts", CYPRESS) == {
        "opens": "active",
        "alone": "focused",
        "not": "skipped",
    }


def test_node_test_calls_are_tests():
    assert statuses("test/unit.mjs", NODE) == {
        "plain": "active",
        "skipped": "skipped",
        "to be done": "todo",
        "focused": "focused",
        "without a function": "active",
        "named": "active",
        "of a suite": "active",
    }


@pytest.mark.parametrize("call", ["ruleTester.run('rule', rule, {})", "defineTest(dir, 'name')"])
def test_cases_that_are_made_when_run_count_once(call):
    assert len(counted("a.test.js", f"import '@jest/globals';\n{call};").tests) == 1


@pytest.mark.parametrize(
    ("path", "language"),
    [("a.test.tsx", CountedLanguage.TSX), ("a.test.jsx", CountedLanguage.JAVASCRIPT)],
)
def test_markup_in_scripts_is_read(path, language):
    found = counted(path, "import 'vitest'; it('shows', () => { render(<App a={1} />); });")
    assert (found.language, [test.name for test in found.tests]) == (language, ["shows"])


JEST_HERE = {"web/jest.config.js": b"module.exports = {}"}


@pytest.mark.parametrize(
    ("path", "line", "framework"),
    [
        ("web/a.test.js", "import { it } from 'vitest'", Framework.VITEST),
        ("web/a.test.js", "const { it } = require('mocha')", Framework.MOCHA),
        ("web/a.cy.js", "it('a', () => {})", Framework.CYPRESS),
        ("web/a.test.js", "vi.mock('a')", Framework.JEST),
        ("a.test.js", "vi.mock('a')", Framework.VITEST),
        ("a.test.js", "jest.fn()", Framework.JEST),
        ("a.test.js", "this.timeout(5)", Framework.MOCHA),
    ],
)
def test_import_wins_over_name_over_folder_over_words(path, line, framework):
    assert counted(path, line, read_configs(JEST_HERE)).framework is framework


def test_name_that_only_node_uses_needs_the_import():
    assert count_tests("web/test/a.js", b"jest.fn()", read_configs(JEST_HERE)) is None


def test_file_of_no_framework_is_none():
    assert count_tests("a.test.js", b"console.log(1)", Configs()) is None
