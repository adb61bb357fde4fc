"""An analysis that a stage supervises: reported while it goes on, and killed when its attempt has to stop."""

from concurrent.futures import Future
from threading import Event, Thread
from typing import BinaryIO

from pipeline_defs.analysis.analysing import Progress
from pipeline_defs.analysis.isolated import analyse_isolated
from pipeline_defs.analysis.reading.reading_limits import Limits
from pipeline_defs.analysis.report.analysis import Analysis
from pipeline_defs.analysis.sources import Source
from resources.contract.protocol import Report

_LOOK_SECONDS = 0.1
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
