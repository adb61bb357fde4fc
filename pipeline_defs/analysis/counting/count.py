"""The tests in a source file, by its text alone: nothing is run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from pipeline_defs.analysis.counting.counted_languages import language_of
from pipeline_defs.analysis.counting.cpp import boost_tests, catch2_tests, gtest_tests
from pipeline_defs.analysis.counting.csharp import mstest_tests, nunit_tests, xunit_tests
from pipeline_defs.analysis.counting.detect import frameworks_of
from pipeline_defs.analysis.counting.found import Test, TestFile
from pipeline_defs.analysis.counting.frameworks import Framework
from pipeline_defs.analysis.counting.golang import go_tests
from pipeline_defs.analysis.counting.jvm import (
    junit3_tests,
    junit4_tests,
    junit5_tests,
    testng_tests,
)
from pipeline_defs.analysis.counting.kotest import kotest_tests
from pipeline_defs.analysis.counting.php import pest_tests, phpunit_tests
from pipeline_defs.analysis.counting.python import pytest_tests, unittest_tests
from pipeline_defs.analysis.counting.ruby import minitest_tests, rspec_tests
from pipeline_defs.analysis.counting.rust import cargo_tests
from pipeline_defs.analysis.counting.scopes import FrameworkScope, scope_of
from pipeline_defs.analysis.counting.script import node_tests, script_tests
from pipeline_defs.analysis.counting.swift import swift_testing_tests, xctest_tests
from pipeline_defs.analysis.counting.syntax import MAX_SECONDS, ParsedFile, refuse_too_large
from pipeline_defs.analysis.reading.text_encoding import as_utf8, with_line_feeds

_COUNTERS: dict[Framework, Callable[[ParsedFile], list[Test]]] = {
    Framework.AVA: node_tests,
    Framework.BOOST_TEST: boost_tests,
    Framework.BUN: script_tests,
    Framework.CATCH2: catch2_tests,
    Framework.DENO: node_tests,
    Framework.DOCTEST: catch2_tests,
    Framework.JUNIT3: junit3_tests,
    Framework.PEST: pest_tests,
    Framework.CARGO_TEST: cargo_tests,
    Framework.CYPRESS: script_tests,
    Framework.GO_TESTING: go_tests,
    Framework.GTEST: gtest_tests,
    Framework.JEST: script_tests,
    Framework.JUNIT4: junit4_tests,
    Framework.JUNIT5: junit5_tests,
    Framework.KOTEST: kotest_tests,
    Framework.MINITEST: minitest_tests,
    Framework.MOCHA: script_tests,
    Framework.MSTEST: mstest_tests,
    Framework.NODE_TEST: node_tests,
    Framework.NUNIT: nunit_tests,
    Framework.PHPUNIT: phpunit_tests,
    Framework.PLAYWRIGHT: script_tests,
    Framework.PYTEST: pytest_tests,
    Framework.RSPEC: rspec_tests,
    Framework.SWIFT_TESTING: swift_testing_tests,
    Framework.TESTNG: testng_tests,
    Framework.UNITTEST: unittest_tests,
    Framework.VITEST: script_tests,
    Framework.XCTEST: xctest_tests,
    Framework.XUNIT: xunit_tests,
}


@dataclass(frozen=True)
class Configs:
    """Which folders of a repository are configured for which framework, and its own attributes of tests."""

    scopes: tuple[FrameworkScope, ...] = ()
    derived: frozenset[str] = frozenset()


def read_configs(files: Mapping[str, bytes]) -> Configs:
    """What the configuration files of a repository say, by their paths; one that says nothing is left out."""
    scopes = (scope_of(path, as_utf8(content)) for path, content in files.items())
    return Configs(tuple(sorted(filter(None, scopes), key=lambda scope: scope.rank)))


def count_tests(
    path: str, source: bytes, configs: Configs, *, seconds: float = MAX_SECONDS
) -> TestFile | None:
    """The tests of a file, or None for a file of no framework.

    Raises UncountableSourceError for a source that is too large or takes longer than `seconds`.
    """
    language = language_of(path)
    if language is None:
        return None
    refuse_too_large(source)
    text = with_line_feeds(as_utf8(source))
    found = frameworks_of(path, language, text, configs.scopes)
    if not found:
        return None
    first, *others = found
    parsed = ParsedFile(language, text, seconds, configs.derived)
    tests = _COUNTERS[first](parsed)
    for other in others:
        lines = {test.line for test in tests}
        more = (test for test in _COUNTERS[other](parsed) if test.line not in lines)
        tests += [replace(test, framework=other) for test in more]
    return TestFile(path, first, language, tuple(tests))
