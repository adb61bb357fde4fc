"""Count the tests in a source file by its text alone, in a process that can be killed.

A parse can be stopped only if its grammar asks whether to continue. Some scan without asking, in quadratic time: a
Swift file of 60 kB took 8 s (tree-sitter-swift 0.7), a C# file of that size 18 s (tree-sitter-c-sharp 0.23).
"""

import ctypes
import multiprocessing
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from pipeline_defs.analysis.counting.detect import find_frameworks
from pipeline_defs.analysis.counting.found import TABLES, Test, TestFile, find_language
from pipeline_defs.analysis.counting.scopes import FrameworkScope, read_scope
from pipeline_defs.analysis.counting.syntax import (
    MAX_SECONDS,
    MarkRules,
    ParsedFile,
    UncountableSourceError,
    check_size,
)
from pipeline_defs.analysis.reading.members import convert_to_utf8, normalize_line_ends


def _load_counter(
    find: str, rules: Mapping[str, Any] | None = None, **options: Any
) -> Callable[[ParsedFile], list[Test]]:
    module, function = find.split(":")
    counter = getattr(import_module(f"pipeline_defs.analysis.counting.{module}"), function)
    given = {} if rules is None else {"rules": MarkRules(**rules)}
    return partial(counter, **given, **options)


_COUNTERS = {name: _load_counter(**counter) for name, counter in TABLES["counters"].items()}


@dataclass(frozen=True)
class Configs:
    """The folders of a repository that are configured for a framework, and its derived attributes of tests."""

    scopes: tuple[FrameworkScope, ...] = ()
    derived: frozenset[str] = frozenset()


def read_configs(files: Mapping[str, bytes]) -> Configs:
    """Read the configuration files of a repository, by path; files without a framework are ignored."""
    scopes = (read_scope(path, convert_to_utf8(content)) for path, content in files.items())
    return Configs(tuple(sorted(filter(None, scopes), key=lambda scope: scope.rank)))


def count_tests(
    path: str, source: bytes, configs: Configs, *, seconds: float = MAX_SECONDS
) -> TestFile | None:
    """Return the tests of a file; None if it belongs to no framework.

    Raise UncountableSourceError if the source is too large or takes longer than `seconds`.
    """
    language = find_language(path)
    if language is None:
        return None
    check_size(source)
    text = normalize_line_ends(convert_to_utf8(source))
    found = find_frameworks(path, language, text, configs.scopes)
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
    """Counts one file after the other in a forked process: this process must have no other thread."""

    def __init__(self) -> None:
        self._worker: tuple[BaseProcess, Connection] | None = None

    def count(self, path: str, source: bytes, configs: Configs) -> TestFile | None:
        """Count as `count_tests`. Raise UncountableSourceError also if the process was killed or crashed."""
        _, pipe = self._worker or self._start()
        found: TestFile | Exception | None
        try:
            pipe.send((path, source, configs))
            if not pipe.poll(MAX_SECONDS + _GRACE_SECONDS):
                raise self._close_and_make_error()
            found = pipe.recv()
        except (EOFError, OSError):
            raise self._close_and_make_error() from None
        if isinstance(found, Exception):
            raise found
        return found

    def close(self) -> None:
        """Kill the process and wait for its end."""
        if self._worker is not None:
            process, pipe = self._worker
            process.kill()
            process.join()
            pipe.close()
            self._worker = None

    def _close_and_make_error(self) -> UncountableSourceError:
        self.close()
        message = f"source: expected to be counted within {MAX_SECONDS:g} seconds"
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
    """Answer each file with its tests, or with the error that counting raised; end with the parent."""
    other_end.close()  # else this process never notices that the parent's end is closed
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:  # it has died before prctl
        return
    with suppress(EOFError):
        while True:
            path, source, configs = pipe.recv()
            try:
                pipe.send(count_tests(path, source, configs))
            except Exception as error:  # noqa: BLE001 - the parent raises any error
                pipe.send(error)
