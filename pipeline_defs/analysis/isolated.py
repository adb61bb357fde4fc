"""Run an analysis in its own process, with limits on memory and time, and stop it on demand."""

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
    RefusalMessage,
    ReportProgress,
    ResultMessage,
    Source,
)
from pipeline_defs.analysis.reading.members import (
    AnalysisLimits,
    RefusalCode,
    make_refusal,
    make_timeout_error,
)
from pipeline_defs.analysis.report.analysis import Analysis
from resources.contract.errors import PermanentError, TransientError
from resources.contract.protocol import Report

_LOOK_SECONDS = 0.1
_CHUNK = 1 << 16


def analyse_isolated(
    source: Source,
    limits: AnalysisLimits,
    report_progress: ReportProgress,
    stop: Event,
    tarball: BinaryIO | None = None,
    *,
    grace_seconds: float = 5.0,
) -> Analysis:
    """Analyse the source in a process; `tarball` provides the bytes if it is a tarball.

    Kill the process if it has not ended `grace_seconds` after its time limit.

    Raises:
        PermanentError: with a code of `members.RefusalCode`.
        TransientError: `analysis_stopped`, since `stop` was set.
        Exception: what reading from `tarball` raises.
    """
    with _start_process(AnalysisMessage(source, limits)) as process:
        feeder = _Feeder(tarball, _check_pipe(process.stdin))
        with _kill_in_time(process, stop, limits.seconds + grace_seconds):
            answer = _read_last_answer(_check_pipe(process.stdout), report_progress)
            status = process.wait()
    if isinstance(answer, ResultMessage):
        return answer.analysis
    if stop.is_set():
        raise TransientError("the analysis was stopped", code=RefusalCode.ANALYSIS_STOPPED.value)
    if feeder.error is not None:
        raise feeder.error
    if answer is not None:
        raise PermanentError(answer.message, code=answer.code)
    if status in (-signal.SIGKILL, -signal.SIGXCPU):
        raise make_timeout_error(limits.seconds)
    raise make_refusal(
        RefusalCode.ANALYSIS_CRASHED,
        f"repository: expected one that can be analysed; the process ended with status {status}",
    )


def _read_last_answer(
    answers: IO[bytes], report_progress: ReportProgress
) -> ResultMessage | RefusalMessage | None:
    """Return the result or the refusal; None if the process ended without one."""
    for line in answers:
        try:
            answer = ANSWER.validate_json(line)
        except ValidationError:
            return None
        if not isinstance(answer, ProgressMessage):
            return answer
        report_progress(answer.progress)
    return None


class _Feeder:
    """Writes the tarball to the process in a thread and closes its input; `error` is what reading raised."""

    def __init__(self, tarball: BinaryIO | None, pipe: IO[bytes]) -> None:
        self.error: Exception | None = None
        self._tarball, self._pipe = tarball, pipe
        Thread(target=self._feed, name="analysis-feeder", daemon=True).start()

    def _feed(self) -> None:
        with suppress(BrokenPipeError), self._pipe:
            while self._tarball is not None:
                try:
                    piece = self._tarball.read(_CHUNK)
                except Exception as error:  # noqa: BLE001 - the caller raises any error
                    self.error = error
                    return
                if not piece:
                    return
                self._pipe.write(piece)


@contextmanager
def _start_process(request: AnalysisMessage) -> Iterator["subprocess.Popen[bytes]"]:
    """Start the process for the block; kill it afterwards. It gets no variable that could be a secret.

    It imports nothing from the working folder (`-P`), which may be the repository.
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
        _check_pipe(process.stdout).close()


@contextmanager
def _kill_in_time(
    process: "subprocess.Popen[bytes]", stop: Event, seconds: float
) -> Iterator[None]:
    """Kill the process during the block when `stop` is set or the seconds have passed."""
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


def _check_pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise ValueError("the process was started without a pipe")
    return pipe


_READING_SHARE = 0.5


def analyse_supervised(
    source: Source, limits: AnalysisLimits, report: Report, tarball: BinaryIO | None = None
) -> Analysis:
    """Analyse the source in a process and report progress until it ends; `tarball` as in `analyse_isolated`.

    The process has ended when this returns or raises. Raise the errors of `analyse_isolated` and of `report`.
    """
    stop = Event()
    newest = [Progress("reading", 0)]
    made: Future[Analysis] = Future()

    def analyse() -> None:
        def keep(progress: Progress) -> None:
            newest[0] = progress

        try:
            made.set_result(analyse_isolated(source, limits, keep, stop, tarball))
        except BaseException as error:  # noqa: BLE001 - the caller raises any error
            made.set_exception(error)

    thread = Thread(target=analyse, name="analysis", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            report(compute_share(newest[0]), build_note(newest[0]))
            thread.join(_LOOK_SECONDS)
    finally:
        stop.set()
        thread.join()
    return made.result()


def compute_share(progress: Progress) -> float | None:
    """Return the share that is done: None during reading, then 0.5 to 1 while tests are counted."""
    if not progress.total:
        return None
    return _READING_SHARE + (1 - _READING_SHARE) * min(1.0, progress.done / progress.total)


def build_note(progress: Progress) -> str:
    """Describe the current step in a few words."""
    of = "" if progress.total is None else f" of {progress.total}"
    return f"{progress.step}: {progress.done}{of} files"
