"""Count the tests in a source file by its text alone, in a process that can be killed.

Counts the tests of files in a process of its own, which is killed where a file takes too long.

A parse can be stopped only where its grammar asks whether to go on. Some scan without asking, in quadratic time: a
Swift file of 60 kB took 8 s (tree-sitter-swift 0.7), a C# file of that size 18 s (tree-sitter-c-sharp 0.23).
"""

import ctypes
import multiprocessing
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from pipeline_defs.analysis.counting.cpp import boost_tests, catch2_tests, gtest_tests
from pipeline_defs.analysis.counting.csharp import mstest_tests, nunit_tests, xunit_tests
from pipeline_defs.analysis.counting.detect import frameworks_of
from pipeline_defs.analysis.counting.found import Framework, Test, TestFile, language_of
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
from pipeline_defs.analysis.counting.syntax import (
    MAX_SECONDS,
    ParsedFile,
    UncountableSourceError,
    refuse_too_large,
)
from pipeline_defs.analysis.reading.members import as_utf8, with_line_feeds

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


_GRACE_SECONDS = 1.0
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG, prctl(2)


class KillableCounter:
    """Counts one file after the other. It forks, so that this process must have no other thread."""

    def __init__(self, seconds: float = MAX_SECONDS) -> None:
        self._seconds = seconds
        self._worker: tuple[BaseProcess, Connection] | None = None

    def count(self, path: str, source: bytes, configs: Configs) -> TestFile | None:
        """As `count_tests`; raises UncountableSourceError also where the process had to be killed, or crashed."""
        _, pipe = self._worker or self._start()
        found: TestFile | Exception | None
        try:
            pipe.send((path, source, configs))
            if not pipe.poll(self._seconds + _GRACE_SECONDS):
                raise self._uncountable()
            found = pipe.recv()
        except (EOFError, OSError):
            raise self._uncountable() from None
        if isinstance(found, Exception):
            raise found
        return found

    def close(self) -> None:
        """No process is left."""
        if self._worker is not None:
            process, pipe = self._worker
            process.kill()
            process.join()
            pipe.close()
            self._worker = None

    def _uncountable(self) -> UncountableSourceError:
        self.close()
        message = f"source: expected to be counted within {self._seconds:g} seconds"
        return UncountableSourceError(message)

    def _start(self) -> tuple[BaseProcess, Connection]:
        forking = multiprocessing.get_context("fork")
        ours, theirs = forking.Pipe()
        process = forking.Process(target=serve, args=(theirs, ours, os.getpid()), daemon=True)
        process.start()
        theirs.close()
        self._worker = process, ours
        return self._worker


def serve(pipe: Connection, other_end: Connection, parent: int) -> None:
    """Answers each file with its tests, or with the error that counting them raised; ends with the parent."""
    other_end.close()  # else it would never see that the parent's is closed
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:  # it has died before that
        return
    with suppress(EOFError):
        while True:
            path, source, configs = pipe.recv()
            try:
                pipe.send(count_tests(path, source, configs))
            except Exception as error:  # noqa: BLE001 - the parent raises it, of whatever kind it is
                pipe.send(error)
