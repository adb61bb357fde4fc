"""The process of one analysis: the request is its argument, a tarball its input, the answers its output.

`python -m pipeline_defs.analysis.analysing_process REQUEST`
"""

import resource
import sys
from typing import BinaryIO

from pipeline_defs.analysis.analysing import (
    ANSWER,
    REQUEST,
    AnalysisMessage,
    Answer,
    Progress,
    ProgressMessage,
    Refusal,
    ResultMessage,
    analyse,
)
from pipeline_defs.analysis.counting.count import KillableCounter
from pipeline_defs.analysis.reading.members import MEGABYTE, Code, Limits, make_refusal
from pipeline_defs.analysis.report.analysis import Analysis
from pipeline_defs.analysis.sources import read_members
from resources.contract.errors import PermanentError


def main(request: AnalysisMessage, tarball: BinaryIO, answers: BinaryIO) -> None:
    """Analyse, and write the answers, one per line; the last one is a result or a refusal."""
    _limit_process(request.limits)

    def report_progress(progress: Progress) -> None:
        _write(answers, _encode_line(ProgressMessage(progress)))

    counter = KillableCounter()
    try:
        members = read_members(request.source, tarball, request.limits)
        analysis = analyse(members, request.limits, report_progress, counter.count)
        answer = _encode_result(analysis, request.limits)
    except PermanentError as error:
        answer = _encode_line(Refusal(error.code, error.message))
    except MemoryError:
        answer = _encode_line(
            Refusal(
                Code.ANALYSIS_OUT_OF_MEMORY,
                "repository: expected one that is analysed within "
                f"{request.limits.memory_bytes / MEGABYTE:g} MB of memory",
            )
        )
    finally:
        counter.close()
    _write(answers, answer)


def _encode_result(analysis: Analysis, limits: Limits) -> bytes:
    """Encode the result as a line. Raise PermanentError `repository_too_large` if it is too long."""
    line = _encode_line(ResultMessage(analysis))
    if len(line) > limits.answer_bytes:
        raise make_refusal(
            Code.REPOSITORY_TOO_LARGE,
            "repository: expected one whose analysis is at most "
            f"{limits.answer_bytes / MEGABYTE:g} MB of JSON",
        )
    return line


def _limit_process(limits: Limits) -> None:
    """Limit the memory and processor time of this process, and disable core files."""
    seconds = int(limits.seconds) + 1
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _encode_line(answer: Answer) -> bytes:
    return ANSWER.dump_json(answer) + b"\n"


def _write(answers: BinaryIO, line: bytes) -> None:
    answers.write(line)
    answers.flush()


if __name__ == "__main__":
    main(REQUEST.validate_json(sys.argv[1]), sys.stdin.buffer, sys.stdout.buffer)
