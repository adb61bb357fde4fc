"""Counts the tests of files in a process of its own, which is killed where a file takes too long.

A parse can be stopped only where its grammar asks whether to go on. Some scan without asking, in quadratic time: a
Swift file of 60 kB took 8 s (tree-sitter-swift 0.7), a C# file of that size 18 s (tree-sitter-c-sharp 0.23).
"""

import ctypes
import multiprocessing
import os
import signal
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from pipeline_defs.analysis.counting.count import Configs, count_tests
from pipeline_defs.analysis.counting.found import TestFile
from pipeline_defs.analysis.counting.syntax import MAX_SECONDS, UncountableSourceError

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
