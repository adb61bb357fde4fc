"""An analysis in a process of its own: bounded in memory and time, reported, and killed when it has to stop."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import IO, BinaryIO

from pydantic import ValidationError

from pipeline_defs.analysis.analysing import (
    ANSWER,
    REQUEST,
    AnalysisMessage,
    Progress,
    ProgressMessage,
    Refusal,
    ReportProgress,
    ResultMessage,
)
from pipeline_defs.analysis.reading.members import Code, Limits, refusal, timed_out
from pipeline_defs.analysis.report.analysis import Analysis
from pipeline_defs.analysis.sources import Source
from resources.contract.errors import PermanentError, TransientError
from resources.contract.protocol import Report

_LOOK_SECONDS = 0.1
_CHUNK = 1 << 16


def analyse_isolated(
    source: Source,
    limits: Limits,
    report_progress: ReportProgress,
    stop: Event,
    tarball: BinaryIO | None = None,
    *,
    grace_seconds: float = 5.0,
) -> Analysis:
    """The analysis of the source; `tarball` has the bytes of one that is a tarball.

    A process that has not ended by itself `grace_seconds` after its time is killed.

    Raises:
        PermanentError: with a code of `refusals.Code`.
        TransientError: `analysis_stopped`, since `stop` was set.
        Exception: what reading from `tarball` raises.
    """
    with _started(AnalysisMessage(source, limits)) as process:
        feeder = _Feeder(tarball, _pipe(process.stdin))
        with _killed_in_time(process, stop, limits.seconds + grace_seconds):
            answer = _last_answer(_pipe(process.stdout), report_progress)
            status = process.wait()
    if isinstance(answer, ResultMessage):
        return answer.analysis
    if stop.is_set():
        raise TransientError("the analysis was stopped", code=Code.ANALYSIS_STOPPED.value)
    raise feeder.error or _refused(answer, status, limits)


def _last_answer(
    answers: IO[bytes], report_progress: ReportProgress
) -> ResultMessage | Refusal | None:
    """The result or the refusal; None where the process ended without one."""
    for line in answers:
        try:
            answer = ANSWER.validate_json(line)
        except ValidationError:
            return None
        if not isinstance(answer, ProgressMessage):
            return answer
        report_progress(answer.progress)
    return None


def _refused(answer: Refusal | None, status: int, limits: Limits) -> PermanentError:
    if answer is not None:
        return PermanentError(answer.message, code=answer.code)
    if status in (-signal.SIGKILL, -signal.SIGXCPU):
        return timed_out(limits.seconds)
    return refusal(
        Code.ANALYSIS_CRASHED,
        f"repository: expected one that can be analysed; the process ended with status {status}",
    )


class _Feeder:
    """Writes the tarball to the process, in a thread, and closes its input; `error` is what reading it raised."""

    def __init__(self, tarball: BinaryIO | None, pipe: IO[bytes]) -> None:
        self.error: Exception | None = None
        self._tarball, self._pipe = tarball, pipe
        Thread(target=self._feed, name="analysis-feeder", daemon=True).start()

    def _feed(self) -> None:
        with suppress(BrokenPipeError), self._pipe:
            while piece := self._read():
                self._pipe.write(piece)

    def _read(self) -> bytes:
        """The next bytes; none after an error, which the caller raises: the process only sees a broken archive."""
        try:
            return self._tarball.read(_CHUNK) if self._tarball else b""
        except Exception as error:  # noqa: BLE001 - the caller raises it, of whatever kind it is
            self.error = error
            return b""


@contextmanager
def _started(request: AnalysisMessage) -> Iterator["subprocess.Popen[bytes]"]:
    """The process, which has ended afterwards; no variable that could be a secret reaches it.

    It imports nothing from the working folder (`-P`): that may be the repository.
    """
    module = "pipeline_defs.analysis.analysing_process"
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", module, REQUEST.dump_json(request).decode()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"PYTHONPATH": os.pathsep.join(sys.path), "MALLOC_ARENA_MAX": "1"},
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        _pipe(process.stdout).close()


@contextmanager
def _killed_in_time(
    process: "subprocess.Popen[bytes]", stop: Event, seconds: float
) -> Iterator[None]:
    """In the block the process is killed when `stop` is set, and after so many seconds."""
    over = Event()

    def watch() -> None:
        end = time.monotonic() + seconds
        while not over.wait(_LOOK_SECONDS):
            if stop.is_set() or time.monotonic() > end:
                process.kill()
                return

    watcher = Thread(target=watch, name="analysis-watch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise ValueError("the process was started without a pipe")
    return pipe


_READING_SHARE = 0.5


def analyse_supervised(
    source: Source, limits: Limits, report: Report, tarball: BinaryIO | None = None
) -> Analysis:
    """The analysis of the source; `tarball` has the bytes of one that is a tarball.

    Its process has ended when this returns or raises.

    Raises what `analyse_isolated` raises, and what `report` does, which is called again and again.
    """
    stop = Event()
    newest = [Progress("reading", 0)]
    made: Future[Analysis] = Future()

    def analyse() -> None:
        def keep(progress: Progress) -> None:
            newest[0] = progress

        try:
            made.set_result(analyse_isolated(source, limits, keep, stop, tarball))
        except BaseException as error:  # noqa: BLE001 - the caller raises it, of whatever kind it is
            made.set_exception(error)

    thread = Thread(target=analyse, name="analysis", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            report(share(newest[0]), note(newest[0]))
            thread.join(_LOOK_SECONDS)
    finally:
        stop.set()
        thread.join()
    return made.result()


def share(progress: Progress) -> float | None:
    """How far the analysis is: unknown while it reads, the second half while it counts tests."""
    if not progress.total:
        return None
    return _READING_SHARE + (1 - _READING_SHARE) * min(1.0, progress.done / progress.total)


def note(progress: Progress) -> str:
    """What the analysis does, in a few words."""
    of = "" if progress.total is None else f" of {progress.total}"
    return f"{progress.step}: {progress.done}{of} files"
